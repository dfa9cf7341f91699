/** This process and the surfaces the operator listed. Ours is checked in the request; the others as last read. */
import type { Live } from '@orch/core'
import type { Peer, PeerFacts } from '../readings/contract.ts'
import { freshness } from './freshness.ts'
import type { Constellation } from './schemas.ts'

export interface OwnSurface {
  url: string | null
  ready: boolean
  latencyMs: number
  report: PeerFacts['report']
}

export function buildConstellation(own: Live<OwnSurface>, peers: readonly Peer[]): Constellation {
  const surfaces = [ownSurface(own), ...peers.map(peerSurface)]
  return {
    schema: 'orch.constellation/v1',
    surfaces,
    reachable: surfaces.filter(({ reachable }) => reachable === true).length,
    total: surfaces.length,
    unknown: surfaces.filter(({ reachable }) => reachable === null).length,
  }
}

type Surface = Constellation['surfaces'][number]

/** Checked within the process: nothing was sent over HTTP, so there is no status. */
const ownSurface = ({ value: { url, ready, latencyMs, report }, label, read_at }: Live<OwnSurface>): Surface => ({
  name: 'orch',
  kind: 'service',
  group: 'Core',
  url,
  mode: 'live',
  probe_via: 'in-process',
  http_status: null,
  reachable: true,
  latency_ms: latencyMs,
  fetched_at: read_at,
  age_seconds: 0,
  last_error: null,
  reason: ready ? null : 'NOT_READY',
  label,
  report,
})

function peerSurface({ name, kind, group, url, reading }: Peer): Surface {
  const { value } = reading
  return {
    name,
    kind,
    group,
    url,
    probe_via: 'background',
    ...freshness(reading),
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
