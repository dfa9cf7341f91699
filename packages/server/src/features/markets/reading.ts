/** One reading of a source as the markets tell it: what was read, when, and what its label may be. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { Observation, ObservationProvenance } from '../../domain/observation.ts'

type ReadingHead = Pick<
  Observation,
  | 'ok'
  | 'state'
  | 'mode'
  | 'label'
  | 'provenance'
  | 'fetched_at'
  | 'age_seconds'
  | 'served_at'
  | 'error'
  | 'retry_after_seconds'
>
export interface MarketReading<T> {
  head: ReadingHead
  /** Null exactly where there is nothing to serve. */
  data: T | null
  source: string
  sourceUrl: string
}

interface Failed {
  code: string
  retry_after_seconds: number | null
}
interface ReadValue<T> {
  value: T
  fetched_at: string
  age_seconds: number
  bytes_sha256: string
  bytes: number
}
/** How a reading ended, as the one way out reports it. */
type ReadOutcome<T> =
  | ({ ok: true; state: 'SNAPSHOT' | 'CACHED' } & ReadValue<T>)
  | ({ ok: false; state: 'STALE'; failure: Failed } & ReadValue<T>)
  | ({ ok: false; state: 'UNAVAILABLE' } & Failed)

/** Where and how it was asked. */
export interface AskedSource {
  source: string
  provider: string
  origin: string
  overridden: boolean
  path: string
  query: Readonly<Record<string, string>>
  adapterVersion: string
  revision: string
  servedAt: string
}

const STATES = {
  SNAPSHOT: { mode: 'live', label: 'LIVE' },
  CACHED: { mode: 'cached', label: 'SAMPLE' },
  STALE: { mode: 'cached', label: 'SAMPLE' },
  UNAVAILABLE: { mode: 'unreachable', label: 'UNAVAILABLE' },
} as const

export function toReading<T>(outcome: ReadOutcome<T>, asked: AskedSource): MarketReading<T> {
  const { ok, state } = outcome
  const place = { source: asked.source, sourceUrl: urlOf(asked) }
  const shared = { ok, state, ...STATES[state], served_at: asked.servedAt }
  if (outcome.state === 'UNAVAILABLE')
    return { data: null, ...place, head: { ...shared, ...NOTHING, ...failed(outcome) } }
  const { value, fetched_at, age_seconds } = outcome
  const failure = outcome.ok ? { error: null, retry_after_seconds: null } : failed(outcome.failure)
  const provenance = provenanceOf(outcome, asked)
  return { data: value, ...place, head: { ...shared, provenance, fetched_at, age_seconds, ...failure } }
}

const NOTHING = { provenance: null, fetched_at: null, age_seconds: null } as const

/** Of a reading without the row that was asked for: it was read, and there is nothing to serve. */
export const withoutData = <T>({ head, ...rest }: MarketReading<unknown>): MarketReading<T> => ({
  ...rest,
  data: null,
  head: {
    ...{ ...head, ...NOTHING, ok: false, state: 'UNAVAILABLE', ...STATES.UNAVAILABLE },
    error: { code: 'MISSING_SOURCE_FIELD', retryable: false },
  },
})

export const urlOf = ({ origin, path, query }: Pick<AskedSource, 'origin' | 'path' | 'query'>): string => {
  const text = new URLSearchParams({ ...query }).toString()
  return `${origin}${path}${text === '' ? '' : `?${text}`}`
}

const failed = ({ code, retry_after_seconds }: Failed) => ({
  error: { code, retryable: RETRYABLE.test(code) },
  retry_after_seconds,
})

/** The same request may succeed later without anybody changing anything. */
const RETRYABLE =
  /^(?:TRANSPORT_UNAVAILABLE|RESPONSE_DEADLINE|PROVIDER_(?:BUSY|COOLDOWN|BUDGET_SPENT)|UPSTREAM_HTTP_(?:408|425|429|5\d\d))$/

function provenanceOf(read: ReadValue<unknown>, asked: AskedSource): ObservationProvenance {
  const { source, provider, path, query, adapterVersion, revision } = asked
  const fields = {
    ...{ source, provider, upstream_origin: asked.origin, upstream_overridden: asked.overridden },
    ...{ path, query: { ...query }, fetched_at: read.fetched_at },
    ...{ source_bytes_sha256: read.bytes_sha256, source_bytes: read.bytes },
    normalized_data_sha256: sha256Hex(canonicalBytes(read.value)),
    ...{ adapter_version: adapterVersion, source_revision: revision, signed: false as const },
  }
  return { ...fields, observation_id: sha256Hex(canonicalBytes(fields)) }
}
