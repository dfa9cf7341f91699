/** What is said of a reading: its state, its label and where it comes from. `LIVE` belongs to the request that made it. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { flags, type Observation, type ObservationProvenance } from '../../../domain/observation.ts'
import type { Source } from './source.ts'

/** How a reading ended, as the one way out reports it. */
interface ReadValue {
  value: object
  fetched_at: string
  age_seconds: number
  bytes_sha256: string
  bytes: number
}
interface Failed {
  code: string
  retry_after_seconds: number | null
  unasked?: true
}
export type SourceOutcome =
  | ({ ok: true; state: 'SNAPSHOT' | 'CACHED' } & ReadValue)
  | ({ ok: false; state: 'STALE'; failure: Failed } & ReadValue)
  | ({ ok: false; state: 'UNAVAILABLE' } & Failed)

/** Where and how it was asked. */
interface Asked {
  source: Source
  origin: string
  overridden: boolean
  path: string
  query: Readonly<Record<string, string>>
  revision: string
  servedAt: string
}

const STATES: Record<Observation['state'], Pick<Observation, 'mode' | 'label' | 'freshness_note'>> = {
  SNAPSHOT: { mode: 'live', label: 'LIVE', freshness_note: 'fetched while this request was served' },
  CACHED: { mode: 'cached', label: 'SAMPLE', freshness_note: 'read earlier and within its lifetime; not asked again' },
  STALE: { mode: 'cached', label: 'SAMPLE', freshness_note: 'an earlier reading: its refresh failed, as error says' },
  UNAVAILABLE: { mode: 'unreachable', label: 'UNAVAILABLE', freshness_note: 'nothing to serve, as error says' },
}

export const adapterVersion = ({ id }: Pick<Source, 'id'>): string => `${id}/1`

export function toObservation(outcome: SourceOutcome, asked: Asked, select = (data: object) => data): Observation {
  const { source, servedAt } = asked
  const head = {
    schema: 'orch.finance.observation/v1',
    source: source.id,
    ok: outcome.ok,
    state: outcome.state,
  } as const
  const tail = { served_at: servedAt, cache_ttl_seconds: source.ttlSeconds, ...STATES[outcome.state], ...flags }
  if (outcome.state === 'UNAVAILABLE')
    return { ...head, ...tail, data: null, provenance: null, fetched_at: null, age_seconds: null, ...failed(outcome) }
  const data = select(outcome.value) as Record<string, unknown>
  const { fetched_at, age_seconds } = outcome
  const failure = outcome.ok ? { error: null, retry_after_seconds: null } : failed(outcome.failure)
  return { ...head, ...tail, data, provenance: provenanceOf(outcome, data, asked), fetched_at, age_seconds, ...failure }
}

const failed = ({ code, retry_after_seconds }: Failed) => ({
  error: { code, retryable: isRetryable(code) },
  retry_after_seconds,
})

/** Whether the same request may succeed later without anybody changing anything. */
const isRetryable = (code: string): boolean =>
  /^(?:TRANSPORT_UNAVAILABLE|RESPONSE_DEADLINE|PROVIDER_(?:BUSY|COOLDOWN|BUDGET_SPENT)|UPSTREAM_HTTP_(?:408|425|429|5\d\d))$/.test(
    code,
  )

function provenanceOf(read: ReadValue, data: object, asked: Asked): ObservationProvenance {
  const fields = {
    source: asked.source.id,
    provider: asked.source.provider,
    upstream_origin: asked.origin,
    upstream_overridden: asked.overridden,
    path: asked.path,
    query: { ...asked.query },
    fetched_at: read.fetched_at,
    source_bytes_sha256: read.bytes_sha256,
    source_bytes: read.bytes,
    normalized_data_sha256: sha256Hex(canonicalBytes(data)),
    adapter_version: adapterVersion(asked.source),
    source_revision: asked.revision,
    signed: false as const,
  }
  return { ...fields, observation_id: sha256Hex(canonicalBytes(fields)) }
}
