/** The readings of this process by key: the last good value of each, and what its newest attempt came to. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { Clock } from '../../../ports.ts'
import type { Stored } from '../contract.ts'
import type { Document, Failure } from './client.ts'
import { Unfit } from './fields.ts'

/** What an attempt came to. */
export type Read<T = object> =
  | { ok: true; value: T; bytes_sha256: string | null }
  | { ok: false; code: string; unasked?: true }

export interface KeptReading {
  value: object | null
  fetched_at: string | null
  bytes_sha256: string | null
  attempted_at: string
  last_error: { code: string; at: string } | null
}

/** A key names what is read and of whom: a reading of another repository is never taken for one of this. */
export const readingKey = (name: string, about: string): string =>
  `${name}#${sha256Hex(canonicalBytes([about])).slice(0, 16)}`

export class Kept {
  readonly #clock: Clock
  readonly #kept = new Map<string, KeptReading>()
  /** When in the order of this process a value came in; what was restored has no place in it. */
  readonly #order = new Map<string, number>()
  /** Why nothing was sent for what has never been attempted. */
  readonly #unasked = new Map<string, string>()
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What was not asked for was not attempted: its newest attempt stays what it was, and so does what that failed with. */
  keep(key: string, read: Read): void {
    if (!read.ok && read.unasked) return void this.#unasked.set(key, read.code)
    const at = new Date(this.#clock.now()).toISOString()
    const before = this.#kept.get(key)
    if (!read.ok) {
      const last = before ?? { value: null, fetched_at: null, bytes_sha256: null }
      this.#kept.set(key, { ...last, attempted_at: at, last_error: { code: read.code, at } })
      return
    }
    const { value, bytes_sha256 } = read
    this.#kept.set(key, { value, fetched_at: at, bytes_sha256, attempted_at: at, last_error: null })
    this.#order.set(key, ++this.#count)
  }

  /** Takes over what another node or an earlier process kept, where it is newer than what is here. */
  restore(readings: ReadonlyMap<string, KeptReading>): void {
    for (const [key, reading] of readings) {
      const here = this.#kept.get(key)
      if (here !== undefined && !isNewer(reading.attempted_at, here.attempted_at, this.#clock.now())) continue
      this.#kept.set(key, reading)
      this.#order.delete(key)
    }
  }

  entries(): ReadonlyMap<string, KeptReading> {
    return this.#kept
  }

  /** To be handed to `stored`: values that come in from now on are `live` for whoever holds it. */
  mark(): number {
    return this.#count
  }

  value<T extends object>(key: string): T | null {
    return (this.#kept.get(key)?.value ?? null) as T | null
  }

  /** Whether its newest attempt, good or bad, is less than `ms` ago. */
  isYounger(key: string, ms: number): boolean {
    const age = this.#clock.now() - Date.parse(this.#kept.get(key)?.attempted_at ?? '')
    return age >= 0 && age < ms
  }

  /** Whether its newest attempt was good and is less than `ms` ago. */
  isFresh(key: string, ms: number): boolean {
    return this.#kept.get(key)?.last_error === null && this.isYounger(key, ms)
  }

  stored<T extends object>(key: string, since: number, absent = 'NOT_READ'): Stored<T> {
    const kept = this.#kept.get(key)
    if (kept === undefined) return nothing(this.#unasked.get(key) ?? absent)
    const { fetched_at, bytes_sha256, last_error } = kept
    if (kept.value === null || fetched_at === null) return { ...nothing(last_error?.code ?? absent), last_error }
    const mode = (this.#order.get(key) ?? 0) > since && last_error === null ? 'live' : 'cached'
    const age_seconds = ageOf(fetched_at, this.#clock.now())
    return { value: kept.value as T, mode, fetched_at, age_seconds, bytes_sha256, last_error, reason: null }
  }
}

/** Clocks of two machines are never quite the same. */
const SKEW_MS = 10_000

export const isFuture = (at: string, now: number): boolean => Date.parse(at) > now + SKEW_MS

/** Null for a time of the future: the clock was set back, and how long ago it was cannot be told. */
export const ageOf = (at: string, now: number): number | null =>
  isFuture(at, now) ? null : Math.max(0, Math.round((now - Date.parse(at)) / 1000))

/** A time of the future is older than any other: whoever wrote it had a clock that was wrong. */
export function isNewer(at: string, than: string, now: number): boolean {
  if (isFuture(at, now)) return false
  return isFuture(than, now) || at > than
}

export const nothing = (reason: string): Stored<never> => ({
  value: null,
  mode: 'unreachable',
  fetched_at: null,
  age_seconds: null,
  bytes_sha256: null,
  last_error: null,
  reason,
})

/** The facts of a document, or why it gives none. */
export function factsOf<T extends object>(found: Document | Failure, read: (value: unknown) => T): Read<T> {
  if (!found.ok) return found
  try {
    return { ok: true, value: read(found.value), bytes_sha256: found.bytes_sha256 }
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, code: error.code }
    throw error
  }
}
