/** The one way out: what the rest of the service may ask of other services, and what it learns from asking. */

/** The only words in which a failure of the outside leaves this service. */
export type FailureCode =
  | 'DESTINATION_DENIED'
  | 'REDIRECT_DENIED'
  | 'TRANSPORT_UNAVAILABLE'
  | 'TRANSPORT_DISABLED'
  | 'TLS_INVALID'
  | 'RESPONSE_DEADLINE'
  | 'RESPONSE_TOO_LARGE'
  | `UPSTREAM_HTTP_${number}`
  | 'NON_JSON_RESPONSE'
  | 'ENCODED_RESPONSE_DENIED'
  | 'INVALID_JSON'
  | 'DUPLICATE_JSON_KEY'
  | 'NONFINITE_JSON'
  | `INVALID_SOURCE_${'SCHEMA' | 'COLLECTION' | 'TEXT' | 'NUMBER' | 'IDENTIFIER' | 'TIMESTAMP'}`
  | 'MISSING_SOURCE_FIELD'
  | 'IDENTITY_MISMATCH'
  | 'INCONSISTENT_SOURCE'
  | 'PROVIDER_BUSY'
  | 'PROVIDER_COOLDOWN'
  | 'PROVIDER_BUDGET_SPENT'
  | `NEEDS_${string}`

/** Thrown where a request or its reply is refused, and by a `normalise` whose reply is not what the adapter knows. */
export class OutboundFault extends Error {
  readonly code: FailureCode

  constructor(code: FailureCode) {
    super(code)
    this.code = code
  }
}

/** One service that may be asked. The table of them is closed when the process starts. */
export interface Provider {
  /** The name in metrics and in the keys of the cache. */
  id: string
  /** The only origins that may be asked; a path without an origin belongs to the first. */
  origins: readonly string[]
  /** The operator replaced the usual origin, which every reading must disclose. */
  overridden: boolean
  minIntervalMs: number
  /** Requests per UTC day, counted in the store; null: as many as the pace allows. */
  perDay: number | null
  maxBytes: number
  maxInFlight: number
  /** Sent with every request; a credential among them appears in no reply, log line or cached row. */
  headers: Readonly<Record<string, string>>
  /** Added to every query; kept as secret as the headers. */
  secretQuery: Readonly<Record<string, string>>
  /** Why it cannot be asked at all: a credential that is not set. */
  missing: FailureCode | null
}

/** Which members of an object are read, by their names; `true`: all of it. */
export type Members = true | { readonly [name: string]: Members }

/** A body as it came. */
interface LargeBody {
  bytes: Uint8Array
  sha256: string
}

export interface Limits<T> {
  /** Makes the value of the parsed reply; throws `OutboundFault` where the reply is not what the adapter knows. The value
   *  is what is cached, so it MUST hold no credential. */
  normalise(reply: unknown): T
  /** The same for a large body, of which the main thread would make nothing else for seconds. Rejects with `OutboundFault`
   *  where `normalise` throws it. */
  normaliseApart?(body: LargeBody, signal: AbortSignal): Promise<T>
  /** Left out: all of the reply. */
  members?: Members
  /** For how long a cached value answers; left out: this reading is neither looked up nor cached. */
  ttlSeconds?: number
  /** Not from the cache; pace and cooldown still hold. */
  fresh?: boolean
  /** Of the normaliser: another version never meets what an earlier one cached. */
  adapterVersion?: string
  maxBytes?: number
  deadlineMs?: number
  accept?: string
  /** The reply is a table: `text/csv` in place of JSON, handed to `normalise` as its text. */
  csv?: true
  /** Numbers come as decimal strings, taken from their digits and never through a binary double. */
  decimals?: true
  /** A provider that asks for a credential has answered: it gets no cooldown. */
  unauthorizedIsAnswer?: true
}

export interface Reading<T> {
  ok: true
  /** `SNAPSHOT`: fetched while this request was served. `CACHED`: taken from the cache, nothing was attempted. */
  state: 'SNAPSHOT' | 'CACHED'
  value: T
  fetched_at: string
  age_seconds: number
  bytes_sha256: string
  bytes: number
}

export interface Failure {
  ok: false
  code: FailureCode
  retry_after_seconds: number | null
  /** Nothing was sent, so nothing was found out about the other side. */
  unasked?: true
}

/** The refresh failed; the value is an old one, at most seven days old. */
type StaleReading<T> = Omit<Reading<T>, 'ok' | 'state'> & { ok: false; state: 'STALE'; failure: Failure }
type Unavailable = Failure & { state: 'UNAVAILABLE' }
export type Outcome<T> = Reading<T> | StaleReading<T> | Unavailable

export interface StatusLine {
  ok: true
  http_status: number
  latency_ms: number
}

export type Query = Readonly<Record<string, string | number>>

export interface ExchangeRequest {
  url: string
  /** GET without, POST with. */
  body?: string
  headers?: Readonly<Record<string, string>>
  status: number
  deadlineMs: number
  maxBytes: number
}
type Exchanged = { ok: true; value: unknown } | { ok: false; code: FailureCode }
export type JsonExchange = (request: ExchangeRequest, signal?: AbortSignal) => Promise<Exchanged>

/** Text in both directions. Reading throws where the other side breaks the protocol, the limits or the connection. */
export interface TextSocket {
  send(text: string): void
  messages: AsyncIterable<string>
  close(): void
}

/** Opens a socket, does the work with it and closes it. What the work throws is told as a failure of the other side. */
export type Converse = <T>(
  request: { url: string; deadlineMs: number; maxBytes: number },
  work: (socket: TextSocket) => Promise<T>,
  signal?: AbortSignal,
) => Promise<{ ok: true; value: T } | { ok: false; code: FailureCode }>

/** Nothing here rejects for what another side does. An id that is not in the table is a mistake of the caller and throws. */
export interface Outbound {
  /** The operator wants nothing sent. */
  isOff: boolean
  /** `path` begins with a slash, or is a whole URL of an origin of the provider. */
  get<T>(provider: string, path: string, query: Query, limits: Limits<T>, signal?: AbortSignal): Promise<Outcome<T>>
  /** The status line alone: the body is dropped unread, and a redirect is a status like any other. */
  probe(provider: string, path: string, signal?: AbortSignal): Promise<StatusLine | Failure>
  /** One request that is neither paced nor cached, for what is sent rather than read. */
  exchange(provider: string): JsonExchange
  /** A WebSocket under the same rules; the address is that of its handshake, `https:` or `http:`. */
  converse(provider: string): Converse
  /** Whether the provider failed at one of its origins and has not answered there since. */
  isCoolingDown(provider: string): boolean
  /** How a provider stands now; sends nothing. */
  status(provider: string): Promise<ProviderStatus>
  cache: ReadingCache
}

interface ProviderStatus extends Pick<Provider, 'origins' | 'overridden' | 'missing'> {
  cooldown_until: string | null
  /** Of this UTC day; null where there is none. */
  budget: { limit: number; used: number } | null
}

export interface CacheEntry {
  key: string
  /** When it was made, in milliseconds: an older entry never replaces a newer one. */
  at: number
  value: unknown
}

/** Values that outlive the process. What is damaged counts as absent; both reject where the store does not answer. */
export interface ReadingCache {
  read(key: string): Promise<CacheEntry | null>
  /** All of them or none; a value that is too large for the store is left out. */
  write(entries: readonly CacheEntry[]): Promise<void>
}
