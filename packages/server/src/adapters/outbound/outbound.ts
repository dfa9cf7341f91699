/** The one way out. A request passes, in this order: the switch of the operator, the cache, the flight of whoever asks for
 *  the same, the cooldown, a place in the air, its turn, the budget of the day, and the wire. Whoever answers controls every
 *  byte and the pace; where it goes, how much is read and how often it is asked are ours. */
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalBytes, sha256Hex } from '@orch/core'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { type CacheStore, StoreCache } from './cache.ts'
import {
  type Failure,
  type FailureCode,
  type Limits,
  type Outbound,
  OutboundFault,
  type Outcome,
  type Provider,
  type Query,
  type Reading,
  type ReadingCache,
  type StatusLine,
} from './contract.ts'
import { parseReply, parseText } from './json-reply.ts'
import { Cooldowns, dayBudgets, Pace, SharedFlights, unasked, type Wait } from './pace.ts'
import { destination } from './providers.ts'
import { bodyParts, CSV_TYPE, failureCode, JSON_TYPE, refuseUnfit } from './transport.ts'
import { conversation, jsonExchange, type OutboundSettings, openWire, type Target, TIMES, type Times } from './wire.ts'

const MAX_STALE_MS = 7 * 86_400_000
/** Half a mebibyte is parsed within a few milliseconds on an idle core. */
const MAX_INLINE_BYTES = 2 ** 19

/** Goes around what is really sent, and nothing else. */
export type Measure = <T extends { ok: true } | { ok: false; code: string }>(
  provider: string,
  call: () => Promise<T>,
) => Promise<T>

interface Deps {
  store: CacheStore
  clock: Clock
  measure?: Measure
  wait?: Wait
  times?: Times
  cache?: ReadingCache
}

interface Fetched<T> {
  ok: true
  value: T
  fetchedAt: number
  bytes_sha256: string
  bytes: number
}

/** What the cache holds of a reading. */
type CachedReading = Omit<Fetched<unknown>, 'ok' | 'fetchedAt'>

export function openOutbound(settings: OutboundSettings, providers: readonly Provider[], deps: Deps): Outbound {
  const { store, clock, measure = (_, call) => call(), wait = sleep, times = TIMES } = deps
  const { enabled } = settings
  const table = new Map(providers.map((provider) => [provider.id, provider]))
  if (table.size !== providers.length) throw new Error('two providers have the same id')
  const cache = deps.cache ?? new StoreCache(store, clock)
  const [pace, cooldowns, flights] = [new Pace(clock, wait), new Cooldowns(clock), new SharedFlights()]
  const [wire, budgets] = [openWire(settings, times), dayBudgets(store, clock)]
  const [exchange, converse] = [jsonExchange(settings), conversation(settings)]

  function find(id: string): Provider {
    const provider = table.get(id)
    if (provider === undefined) throw new Error(`there is no provider ${id} in the table`)
    return provider
  }

  async function attempt<T extends { ok: true }>(
    { provider: { id }, url, deadlineMs, unauthorizedIsAnswer }: Target,
    signal: AbortSignal,
    work: (limit: AbortSignal) => Promise<T>,
  ): Promise<T | Failure> {
    const begun = clock.monotonic()
    const late = AbortSignal.timeout(deadlineMs)
    const limit = AbortSignal.any([signal, late])
    try {
      const found = await work(limit)
      cooldowns.answered(id, url.origin)
      return found
    } catch (error) {
      const code = codeOf(error, limit)
      // Nothing was found out about a provider that was not given its time.
      if (hasLeft(signal) && !late.aborted && !(error instanceof OutboundFault))
        return { ok: false, code, retry_after_seconds: cooldowns.remaining(id, url.origin) }
      if (unauthorizedIsAnswer && UNAUTHORIZED.test(code)) cooldowns.answered(id, url.origin)
      else cooldowns.failed(id, url.origin, code, begun)
      return { ok: false, code, retry_after_seconds: cooldowns.remaining(id, url.origin) }
    }
  }

  async function ask<T extends { ok: true }>(
    target: Target,
    signal: AbortSignal,
    work: (limit: AbortSignal) => Promise<T>,
  ): Promise<T | Failure> {
    const { provider, url } = target
    const remaining = cooldowns.remaining(provider.id, url.origin)
    if (remaining !== null) return unasked('PROVIDER_COOLDOWN', remaining)
    const refused = await pace.enter(provider)
    if (refused !== null) return refused
    try {
      return (await budgets.spend(provider)) ?? (await measure(provider.id, () => attempt(target, signal, work)))
    } finally {
      pace.leave(provider.id)
    }
  }

  const fetchReading = <T>(target: Target, limits: Limits<T>, signal: AbortSignal): Promise<Fetched<T> | Failure> =>
    ask(target, signal, async (limit): Promise<Fetched<T>> => {
      const maxBytes = limits.maxBytes ?? target.provider.maxBytes
      const response = await wire.follow(target, limit)
      cooldowns.hear(target.provider.id, target.url.origin, response.headers)
      refuseUnfit(response, { status: 200, type: limits.csv ? CSV_TYPE : JSON_TYPE, maxBytes })
      const bytes = Buffer.concat(await Array.fromAsync(bodyParts(response, maxBytes)))
      const sha256 = sha256Hex(bytes)
      const isApart = limits.normaliseApart !== undefined && bytes.length > MAX_INLINE_BYTES
      const value = isApart ? await limits.normaliseApart!({ bytes, sha256 }, limit) : normalised(bytes, limits)
      return { ok: true, value, fetchedAt: clock.now(), bytes_sha256: sha256, bytes: bytes.length }
    })

  /** Why nothing can be sent at all, or where it goes. */
  function targetOf(id: string, path: string, query: Query, limits: Partial<Limits<unknown>>): Target | Failure {
    const provider = find(id)
    if (!enabled) return unasked('TRANSPORT_DISABLED', null)
    if (provider.missing !== null) return unasked(provider.missing, null)
    const url = destination(provider, path, query)
    if (url === null) return unasked('DESTINATION_DENIED', null)
    const { accept = limits.csv ? 'text/csv' : 'application/json', unauthorizedIsAnswer = false } = limits
    return {
      provider,
      url,
      accept,
      deadlineMs: Math.min(times.wholeMs, limits.deadlineMs ?? times.wholeMs),
      unauthorizedIsAnswer,
    }
  }

  /** Fetched once for all who ask for it together, and cached where it may be. */
  function refresh<T>(target: Target, limits: Limits<T>, key: string | null, signal?: AbortSignal) {
    const flight = `${target.provider.id} ${target.url.href} ${limits.adapterVersion ?? ''} ${key ?? ''}`
    return flights.join(flight, signal, async (both): Promise<Fetched<T> | Failure> => {
      const found = await fetchReading(target, limits, both)
      if (found.ok && key !== null) {
        const { ok: _, fetchedAt, ...value } = found
        // The reading is served, also where it could not be cached.
        await cache.write([{ key, at: fetchedAt, value }]).catch(ignoreStore)
      }
      return found
    })
  }

  const get: Outbound['get'] = async <T>(
    id: string,
    path: string,
    query: Query,
    limits: Limits<T>,
    signal?: AbortSignal,
  ): Promise<Outcome<T>> => {
    const key = limits.ttlSeconds === undefined ? null : cacheKey(find(id), path, query, limits.adapterVersion)
    const cached = key === null ? null : await cache.read(key).catch(ignoreStore)
    const age = cached === null ? Number.NaN : clock.now() - cached.at
    if (cached !== null && !limits.fresh && age >= 0 && age <= limits.ttlSeconds! * 1000)
      return { ok: true, state: 'CACHED', ...toReading<T>(cached.at, cached.value as CachedReading, clock.now()) }
    const target = targetOf(id, path, query, limits)
    const found = 'ok' in target ? target : await refresh(target, limits, key, signal)
    if (found.ok) return { ok: true, state: 'SNAPSHOT', ...toReading<T>(found.fetchedAt, found, clock.now()) }
    if (cached === null || !(age <= MAX_STALE_MS)) return { state: 'UNAVAILABLE', ...found }
    const old = toReading<T>(cached.at, cached.value as CachedReading, clock.now())
    return { ok: false, state: 'STALE', ...old, failure: found }
  }

  return {
    isOff: !enabled,
    get,
    cache,
    async probe(id, path, signal = new AbortController().signal) {
      const target = targetOf(id, path, {}, { accept: '*/*' })
      if ('ok' in target) return target
      return ask(target, signal, async (limit): Promise<StatusLine> => {
        const begun = clock.monotonic()
        const response = await wire.open(target, limit)
        response.destroy()
        const latency_ms = Math.round((clock.monotonic() - begun) * 1000) / 1000
        return { ok: true, http_status: response.statusCode ?? 0, latency_ms }
      })
    },
    exchange(id) {
      const provider = find(id)
      return (request, signal) =>
        destination(provider, request.url, {}) === null
          ? Promise.resolve({ ok: false, code: 'DESTINATION_DENIED' })
          : measure(id, () => exchange(request, signal))
    },
    converse(id) {
      const provider = find(id)
      return (request, work, signal) =>
        destination(provider, request.url, {}) === null
          ? Promise.resolve({ ok: false, code: 'DESTINATION_DENIED' })
          : measure(id, () => converse(request, work, signal))
    },
    isCoolingDown: (id) => cooldowns.isActive(id),
    async status(id) {
      const provider = find(id)
      const { origins, overridden, missing } = provider
      const waits = origins.map((origin) => cooldowns.remaining(id, origin) ?? 0)
      const seconds = Math.max(0, ...waits)
      const cooldown_until = seconds === 0 ? null : new Date(clock.now() + seconds * 1000).toISOString()
      return { origins, overridden, missing, cooldown_until, budget: await budgets.state(provider) }
    },
  }
}

const normalised = <T>(bytes: Uint8Array, { normalise, csv, decimals, members }: Limits<T>): T =>
  normalise(csv ? parseText(bytes) : parseReply(bytes, decimals === true, members))

/** A store that does not answer makes readings slower and not wrong. */
function ignoreStore(error: unknown): null {
  if (error instanceof ServiceError) return null
  throw error
}

const UNAUTHORIZED = /^UPSTREAM_HTTP_(?:401|403)$/

const toReading = <T>(
  at: number,
  { value, bytes_sha256, bytes }: CachedReading,
  now: number,
): Omit<Reading<T>, 'ok' | 'state'> => ({
  value: value as T,
  fetched_at: new Date(at).toISOString(),
  age_seconds: Math.max(0, Math.round((now - at) / 1000)),
  bytes_sha256,
  bytes,
})

/** What was read with another credential, from another origin or by another adapter is another reading. */
function cacheKey(provider: Provider, path: string, query: Query, adapterVersion = '1'): string {
  const { id, origins, headers, secretQuery } = provider
  const parameters = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const credential_sha256 = sha256Hex(canonicalBytes([{ ...headers }, { ...secretQuery }]))
  const described = {
    source: id,
    path,
    parameters,
    adapter_version: adapterVersion,
    origin: origins[0] ?? '',
    credential_sha256,
  }
  return sha256Hex(canonicalBytes(described))
}

/** Whoever asked is gone. One whose own time is over has waited for the provider, and that is told as a deadline. */
const hasLeft = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && (reason as { name?: unknown } | undefined)?.name !== 'TimeoutError'

function codeOf(error: unknown, limit: AbortSignal): FailureCode {
  if (error instanceof OutboundFault) return error.code
  return limit.aborted ? 'RESPONSE_DEADLINE' : failureCode(error)
}
