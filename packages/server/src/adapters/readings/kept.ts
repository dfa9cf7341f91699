/** The readings of this process by key: the last good value of each, and what its newest attempt came to. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { Clock } from '../../ports.ts'
import type { Stored } from '../../readings-contract.ts'
import { Unfit } from './fields.ts'
import type { Document, Failure } from './outside.ts'

/** What an attempt came to. */
export type Read<T = object> = { ok: true; value: T; bytes_sha256: string | null } | { ok: false; code: string }

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
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  keep(key: string, read: Read): void {
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
      if (here !== undefined && here.attempted_at >= reading.attempted_at) continue
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

  stored<T extends object>(key: string, since: number, absent = 'NOT_READ'): Stored<T> {
    const kept = this.#kept.get(key)
    if (kept === undefined) return nothing(absent)
    const { fetched_at, bytes_sha256, last_error } = kept
    if (kept.value === null || fetched_at === null) return { ...nothing(last_error?.code ?? absent), last_error }
    const mode = (this.#order.get(key) ?? 0) > since && last_error === null ? 'live' : 'cached'
    // A clock that was set back must not make a reading younger than now.
    const age_seconds = Math.max(0, Math.round((this.#clock.now() - Date.parse(fetched_at)) / 1000))
    return { value: kept.value as T, mode, fetched_at, age_seconds, bytes_sha256, last_error, reason: null }
  }
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
