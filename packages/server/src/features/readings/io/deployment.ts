/** Our own paths: read over the network at the configured public address, else called in this process. */
import { isoNow } from '../../../platform/clock.ts'
import { withDeadline } from '../../../platform/deadline.ts'
import type { Clock } from '../../../ports.ts'
import type { DeploymentReadings, EndpointId, Probe, Stored } from '../contract.ts'
import { fieldsOf } from './fields.ts'
import { type LatestReadings, type Reach, readingKey, readProbe, readSource, unavailable } from './latest.ts'

/** Calls one of our own operations with no request behind it. */
export type OwnPath = (path: string) => Promise<{ http_status: number; body: unknown }>

const ENDPOINTS: Readonly<Record<EndpointId, string>> = {
  apex: '/',
  console: '/console',
  healthz: '/healthz',
  api: '/api/orch/v1/evidence/research',
}
const RECORDS = { healthz: '/healthz', version: '/api/orch/v1/version' } as const
const OWN_LIMIT_MS = 1_000
const provider = 'public-address'

const endpointIds = Object.keys(ENDPOINTS) as EndpointId[]
const recordIds = Object.keys(RECORDS) as (keyof typeof RECORDS)[]
const endpointKey = (base: string, id: EndpointId): string => readingKey(`deployment.${id}`, base)
export const recordKey = (base: string, id: keyof typeof RECORDS): string => readingKey(`deployment.record.${id}`, base)

export const deploymentKeys = (base: string): string[] => [
  ...endpointIds.map((id) => endpointKey(base, id)),
  ...recordIds.map((id) => recordKey(base, id)),
]

export async function readDeployment(base: string, reach: Reach): Promise<void> {
  await Promise.all([
    ...endpointIds.map((id) =>
      readProbe({ provider, path: `${base}${ENDPOINTS[id]}`, key: endpointKey(base, id) }, reach),
    ),
    ...recordIds.map((id) =>
      readSource({ provider, path: `${base}${RECORDS[id]}`, key: recordKey(base, id), toFacts: fieldsOf }, reach),
    ),
  ])
}

const mapped = <K extends string, T>(keys: readonly K[], entry: (key: K) => T): Record<K, T> =>
  Object.fromEntries(keys.map((key) => [key, entry(key)])) as Record<K, T>

export function publicDeployment(base: string, latest: LatestReadings, since: number): DeploymentReadings {
  const record = (id: keyof typeof RECORDS) => ({
    ...latest.find<Record<string, unknown>>(recordKey(base, id), since),
    url: `${base}${RECORDS[id]}`,
  })
  return {
    probe_via: 'public-address',
    base,
    endpoints: mapped(endpointIds, (id) => ({
      ...latest.find<Probe>(endpointKey(base, id), since),
      url: `${base}${ENDPOINTS[id]}`,
    })),
    healthz: record('healthz'),
    version: record('version'),
  }
}

/** Taken for whoever asks, and so `live`; each path is called once. */
export async function ownDeployment(own: OwnPath, clock: Clock): Promise<DeploymentReadings> {
  const paths = [...new Set([...Object.values(ENDPOINTS), ...Object.values(RECORDS)])]
  const called = new Map(
    await Promise.all(paths.map(async (path) => [path, await ownAnswer(own, clock, path)] as const)),
  )
  const answer = (path: string): Answer => called.get(path) as Answer
  return {
    probe_via: 'in-process',
    base: null,
    endpoints: mapped(endpointIds, (id) => ({ ...answer(ENDPOINTS[id]).probe, url: ENDPOINTS[id] })),
    healthz: { ...answer(RECORDS.healthz).record, url: RECORDS.healthz },
    version: { ...answer(RECORDS.version).record, url: RECORDS.version },
  }
}

interface Answer {
  probe: Stored<Probe>
  record: Stored<Record<string, unknown>>
}

async function ownAnswer(own: OwnPath, clock: Clock, path: string): Promise<Answer> {
  const begun = clock.monotonic()
  const answered = await withDeadline(
    OWN_LIMIT_MS,
    () => own(path),
    () => null,
  )
  if (answered === null) return { probe: unavailable('CHECK_TIMEOUT'), record: unavailable('CHECK_TIMEOUT') }
  const { http_status, body } = answered
  const fetched_at = isoNow(clock)
  const taken = {
    mode: 'live',
    fetched_at,
    age_seconds: 0,
    bytes_sha256: null,
    last_error: null,
    reason: null,
  } as const
  const latency_ms = Math.round((clock.monotonic() - begun) * 1000) / 1000
  const isRecord = http_status === 200 && typeof body === 'object' && body !== null && !ArrayBuffer.isView(body)
  return {
    probe: { ...taken, value: { http_status, latency_ms } },
    record: isRecord ? { ...taken, value: body as Record<string, unknown> } : unavailable(`OWN_HTTP_${http_status}`),
  }
}
