/** The latest readings of this process by key: the last good value of each, and what its newest attempt came to. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import type { Failure, Outbound } from '../../../adapters/outbound/contract.ts'
import { isoNow } from '../../../platform/clock.ts'
import type { Clock } from '../../../ports.ts'
import type { Stored } from '../contract.ts'

/** What an attempt came to. */
type Read<T = object> =
  | { ok: true; value: T; bytes_sha256: string | null }
  | { ok: false; code: string; unasked?: true }

const Text = Type.Union([Type.String(), Type.Null()])
export const LatestReading = Type.Object({
  value: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  fetched_at: Text,
  bytes_sha256: Text,
  attempted_at: Type.String(),
  last_error: Type.Union([Type.Object({ code: Type.String(), at: Type.String() }), Type.Null()]),
})
export type LatestReading = Static<typeof LatestReading>

/** A key names what is read and of whom: a reading of another repository is never taken for one of this. */
export const readingKey = (name: string, about: string): string =>
  `${name}#${sha256Hex(canonicalBytes([about])).slice(0, 16)}`

export class LatestReadings {
  readonly #clock: Clock
  readonly #latest = new Map<string, LatestReading>()
  /** When in the order of this process a value came in; what was restored has no place in it. */
  readonly #order = new Map<string, number>()
  /** Why nothing was sent for what has never been attempted. */
  readonly #unasked = new Map<string, string>()
  /** Recorded since they were last taken to be stored. */
  readonly #changed = new Set<string>()
  #count = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What was not asked for was not attempted: its newest attempt stays what it was, and so does what that failed with. */
  record(key: string, read: Read): void {
    if (!read.ok && read.unasked) return void this.#unasked.set(key, read.code)
    const at = isoNow(this.#clock)
    this.#changed.add(key)
    const before = this.#latest.get(key)
    if (!read.ok) {
      const last = before ?? { value: null, fetched_at: null, bytes_sha256: null }
      this.#latest.set(key, { ...last, attempted_at: at, last_error: { code: read.code, at } })
      return
    }
    const { value, bytes_sha256 } = read
    this.#latest.set(key, {
      value: value as Record<string, unknown>,
      fetched_at: at,
      bytes_sha256,
      attempted_at: at,
      last_error: null,
    })
    this.#order.set(key, ++this.#count)
  }

  /** Takes over what another node or an earlier process stored, where it is newer than what is here. */
  restore(readings: ReadonlyMap<string, LatestReading>): void {
    for (const [key, reading] of readings) {
      const here = this.#latest.get(key)
      if (here !== undefined && !isNewer(reading.attempted_at, here.attempted_at, this.#clock.now())) continue
      this.#latest.set(key, reading)
      this.#order.delete(key)
    }
  }

  takeChanged(): [key: string, reading: LatestReading][] {
    const changed = [...this.#changed].map((key): [string, LatestReading] => [key, this.#latest.get(key)!])
    this.#changed.clear()
    return changed
  }

  /** After a failure to store them: they are to be taken again. */
  markChanged(keys: readonly string[]): void {
    for (const key of keys) this.#changed.add(key)
  }

  /** To be handed to `find`: values that come in from now on are `live` for whoever has this mark. */
  mark(): number {
    return this.#count
  }

  value<T extends object>(key: string): T | null {
    return (this.#latest.get(key)?.value ?? null) as T | null
  }

  /** Whether its newest attempt, good or bad, is less than `ms` ago. */
  isYounger(key: string, ms: number): boolean {
    const age = this.#clock.now() - Date.parse(this.#latest.get(key)?.attempted_at ?? '')
    return age >= 0 && age < ms
  }

  /** Whether its newest attempt was good and is less than `ms` ago. */
  isFresh(key: string, ms: number): boolean {
    return this.#latest.get(key)?.last_error === null && this.isYounger(key, ms)
  }

  find<T extends object>(key: string, since: number, absent = 'NOT_READ'): Stored<T> {
    const latest = this.#latest.get(key)
    if (latest === undefined) return unavailable(this.#unasked.get(key) ?? absent)
    const { fetched_at, bytes_sha256, last_error } = latest
    if (latest.value === null || fetched_at === null) return { ...unavailable(last_error?.code ?? absent), last_error }
    const mode = (this.#order.get(key) ?? 0) > since && last_error === null ? 'live' : 'cached'
    const age_seconds = ageOf(fetched_at, this.#clock.now())
    return { value: latest.value as T, mode, fetched_at, age_seconds, bytes_sha256, last_error, reason: null }
  }
}

/** Clocks of two machines are never quite the same. */
const SKEW_MS = 10_000

const isFuture = (at: string, now: number): boolean => Date.parse(at) > now + SKEW_MS

/** Null for a time of the future: the clock was set back, and how long ago it was is not known. */
export const ageOf = (at: string, now: number): number | null =>
  isFuture(at, now) ? null : Math.max(0, Math.round((now - Date.parse(at)) / 1000))

/** A time of the future is older than any other: whoever wrote it had a clock that was wrong. */
export function isNewer(at: string, than: string, now: number): boolean {
  if (isFuture(at, now)) return false
  return isFuture(than, now) || at > than
}

export const unavailable = (reason: string): Stored<never> => ({
  value: null,
  mode: 'unreachable',
  fetched_at: null,
  age_seconds: null,
  bytes_sha256: null,
  last_error: null,
  reason,
})

export interface Source<T extends object = object> {
  provider: string
  /** A path of the provider, or one of its URLs. */
  path: string
  key: string
  /** The facts of a reply; throws `OutboundFault` for a reply of another shape. */
  toFacts(reply: unknown): T
  /** What a 404 or a 422 says: that it is not there is a finding. */
  absent?: T
  /** What a 401 or a 403 says of a provider that wants a credential. */
  unauthorized?(status: number): T
}

export interface Reach {
  outbound: Outbound
  latest: LatestReadings
  signal: AbortSignal
}

export async function readSource<T extends object>(
  source: Source<T>,
  { outbound, latest, signal }: Reach,
): Promise<Read<T>> {
  const limits = {
    normalise: source.toFacts,
    ...(source.unauthorized === undefined ? {} : { unauthorizedIsAnswer: true as const }),
  }
  const found = await outbound.get(source.provider, source.path, {}, limits, signal)
  const read: Read<T> = found.ok ? found : 'failure' in found ? found.failure : (finding(source, found) ?? found)
  latest.record(source.key, read)
  return read
}

function finding<T extends object>({ absent, unauthorized }: Source<T>, { code }: Failure): Read<T> | null {
  const status = Number(/^UPSTREAM_HTTP_(401|403|404|422)$/.exec(code)?.[1] ?? 0)
  const value = status === 404 || status === 422 ? absent : status === 0 ? undefined : unauthorized?.(status)
  return value === undefined ? null : { ok: true, value, bytes_sha256: null }
}

export async function readProbe(
  { provider, path, key }: Pick<Source, 'provider' | 'path' | 'key'>,
  { outbound, latest, signal }: Reach,
): Promise<void> {
  const found = await outbound.probe(provider, path, signal)
  if (!found.ok) return latest.record(key, found)
  const { http_status, latency_ms } = found
  latest.record(key, { ok: true, value: { http_status, latency_ms }, bytes_sha256: null })
}
