/** The life of an effect as functions over plain rows. Null means that the move is not this caller's to make: a
 *  worker whose claim was taken over must change nothing, however sure it is of its result. Times are the store's
 *  clock in milliseconds; a clock that steps back ends a lease early or late, and the generation still holds. */
import { type EffectError, errorClass, FINAL_LEASE } from './effect-errors.ts'

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
