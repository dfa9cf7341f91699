/** One thing that is read of a provider: where it lies, under which key it is remembered, and what its reply says. */
import type { Failure, Outbound } from '../../../adapters/outbound/contract.ts'
import type { LatestReadings, Read } from './latest.ts'

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

/** Reads the source and records what came of it. */
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

/** Reads the status line of a path and records it. */
export async function readProbe(
  { provider, path, key }: Pick<Source, 'provider' | 'path' | 'key'>,
  { outbound, latest, signal }: Reach,
): Promise<void> {
  const found = await outbound.probe(provider, path, signal)
  if (!found.ok) return latest.record(key, found)
  const { http_status, latency_ms } = found
  latest.record(key, { ok: true, value: { http_status, latency_ms }, bytes_sha256: null })
}
