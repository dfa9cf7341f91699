/** This process and the surfaces the operator listed. Ours is checked in the request; the others as last read. */
import type { Live } from '@orch/core'
import type { Peer, PeerFacts } from '../readings/contract.ts'
import { standingOf } from './readings.ts'

export interface OwnSurface {
  url: string | null
  ready: boolean
  latencyMs: number
  report: PeerFacts['report']
}

export function constellationOf(own: Live<OwnSurface>, neighbours: readonly Peer[]) {
  const surfaces = [ownSurface(own), ...neighbours.map(peerFeature)]
  return {
    schema: 'orch.constellation/v1',
    surfaces,
    reachable: surfaces.filter(({ reachable }) => reachable === true).length,
    total: surfaces.length,
    unknown: surfaces.filter(({ reachable }) => reachable === null).length,
  }
}

/** Checked within the process: nothing was sent over HTTP, so there is no status. */
const ownSurface = ({ value: { url, ready, latencyMs, report }, label, read_at }: Live<OwnSurface>) => ({
  name: 'orch',
  kind: 'service',
  group: 'Core' as const,
  url,
  mode: 'live' as const,
  probe_via: 'in-process' as const,
  http_status: null,
  reachable: true as boolean | null,
  latency_ms: latencyMs as number | null,
  fetched_at: read_at as string | null,
  age_seconds: 0 as number | null,
  last_error: null as string | null,
  reason: ready ? null : 'NOT_READY',
  label,
  report,
})

function peerFeature({ name, kind, group, url, reading }: Peer) {
  const { value } = reading
  return {
    name,
    kind,
    group,
    url,
    probe_via: 'background' as const,
    ...standingOf(reading),
    http_status: value?.http_status ?? null,
    reachable: isReachable(reading),
    latency_ms: value?.latency_ms ?? null,
    report: value?.report ?? NO_REPORT,
  }
}

const NO_REPORT: PeerFacts['report'] = {
  version: null,
  commit: null,
  doctrine: null,
  service: null,
  signer: null,
}

/** The newest attempt decides: what answered an hour ago and does not now is not reachable. Never asked is unknown. */
function isReachable({ value, last_error }: Peer['reading']): boolean | null {
  if (last_error !== null) return false
  return value === null ? null : value.http_status >= 200 && value.http_status < 400
}
