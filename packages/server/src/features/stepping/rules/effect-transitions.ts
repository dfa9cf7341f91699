/** The life of an effect as functions over plain rows. Null means that the move is not this caller's to make: a
 *  worker whose claim was taken over must change nothing, however sure it is of its result. Times are the store's
 *  clock in milliseconds; a clock that steps back ends a lease early or late, and the generation still holds. */

export const ERROR_CLASSES = ['TRANSIENT', 'PERMANENT', 'UNCLASSIFIED'] as const
type ErrorClass = (typeof ERROR_CLASSES)[number]

export interface EffectError {
  class: ErrorClass
  code: string
  /** ISO 8601. */
  at: string
}

const FINAL_LEASE = 'LEASE_EXPIRED_FINAL_ATTEMPT'

const TRANSIENT = new Set([
  ...'EAGAIN EBUSY EIO ENOSPC EDQUOT EMFILE ENFILE ENOTSUP ETIMEDOUT ECONNREFUSED ECONNRESET'.split(' '),
  ...'EHOSTUNREACH ENETUNREACH EAI_AGAIN HTTP_408 HTTP_425 HTTP_429 HTTP_5XX STORE_BUSY LEASE_EXPIRED'.split(' '),
  FINAL_LEASE,
])
const PERMANENT = new Set(['EACCES', 'EROFS', 'ENAMETOOLONG', 'PAYLOAD_INVALID', 'ARTIFACT_CONFLICT', 'HTTP_4XX'])

/** What a failed delivery means for the next try. Only codes are looked at: a message is text from the other side. */
function errorClass(code: string): ErrorClass {
  if (TRANSIENT.has(code) || /^HTTP_5[0-9]{2}$/.test(code)) return 'TRANSIENT'
  return PERMANENT.has(code) || /^HTTP_4[0-9]{2}$/.test(code) ? 'PERMANENT' : 'UNCLASSIFIED'
}

export const EFFECT_STATES = ['PENDING', 'CLAIMED', 'EXPORTED', 'DEAD_LETTER'] as const
export type EffectState = (typeof EFFECT_STATES)[number]

export interface EffectProgress {
  state: EffectState
  /** Claims taken so far, 8 at most. */
  attempts: number
  claim_generation: number
  recoveries: number
  due_at: number
  /** Null unless claimed. */
  lease_until: number | null
  last_error: EffectError | null
}

export const MAX_ATTEMPTS = 8
export const LEASE_MS = 300_000
const FIRST_DELAY_MS = 5_000

export const newEffect = (now: number): EffectProgress => ({
  state: 'PENDING',
  attempts: 0,
  claim_generation: 0,
  recoveries: 0,
  due_at: now,
  lease_until: null,
  last_error: null,
})

/** After the n-th failure, from 1: 5, 10, 20 ... 320 s, no jitter. */
export const backoffMs = (failures: number): number => FIRST_DELAY_MS * 2 ** (failures - 1)

export const isDue = ({ state, due_at }: EffectProgress, now: number): boolean => state === 'PENDING' && due_at <= now

export function claim(row: EffectProgress, now: number): EffectProgress | null {
  if (!isDue(row, now) || row.attempts >= MAX_ATTEMPTS) return null
  return {
    ...row,
    state: 'CLAIMED',
    attempts: row.attempts + 1,
    claim_generation: row.claim_generation + 1,
    lease_until: now + LEASE_MS,
  }
}

/** Null: fenced out. A lease that ran out does not matter as long as nobody else holds a newer generation. */
export function exported(row: EffectProgress, generation: number): EffectProgress | null {
  if (!holds(row, generation)) return null
  return { ...row, state: 'EXPORTED', lease_until: null, last_error: null }
}

/** Null: fenced out. */
export function failed(row: EffectProgress, generation: number, code: string, now: number): EffectProgress | null {
  return holds(row, generation) ? afterFailure(row, code, now) : null
}

/** What becomes of a claim whose worker was not heard of again; null while the lease runs. */
export function leaseExpired(row: EffectProgress, now: number): EffectProgress | null {
  if (row.state !== 'CLAIMED' || row.lease_until === null || now < row.lease_until) return null
  return afterFailure(row, row.attempts >= MAX_ATTEMPTS ? FINAL_LEASE : 'LEASE_EXPIRED', now)
}

const holds = ({ state, claim_generation }: EffectProgress, generation: number): boolean =>
  state === 'CLAIMED' && claim_generation === generation

function afterFailure(row: EffectProgress, code: string, now: number): EffectProgress {
  const last_error = { class: errorClass(code), code, at: new Date(now).toISOString() }
  const over = last_error.class === 'PERMANENT' || row.attempts >= MAX_ATTEMPTS
  const rest = { ...row, lease_until: null, last_error }
  return over ? { ...rest, state: 'DEAD_LETTER' } : { ...rest, state: 'PENDING', due_at: now + backoffMs(row.attempts) }
}
