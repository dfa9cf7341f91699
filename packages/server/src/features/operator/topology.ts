/** The service as it was found for this request: each node checked, each edge counted. */
import { measured, readingAsync } from '@orch/core'
import { pathsOfReads } from '../../domain/page/links.ts'
import { withDeadline } from '../../platform/deadline.ts'
import type { Ports } from '../../ports.ts'
import { CHECKS, type CheckPorts, type Outcome } from './checks.ts'
import { edgesOf } from './edges.ts'
import { type AnyNodeId, NODE_IDS, SIGNS } from './nodes.ts'

/** The whole document stays under a second. */
const CHECK_MS = 900

export type TopologyPorts = CheckPorts & Pick<Ports, 'openApi' | 'standing'>
export type Topology = Awaited<ReturnType<typeof topologyOf>>
export type TopologyNode = Topology['core']

export async function topologyOf(ports: TopologyPorts) {
  const now = () => new Date(ports.clock.now()).toISOString()
  // Counted before the checks run: what they do themselves is nobody’s traffic.
  const edges = edgesOf(ports.telemetry.activity(), ports.telemetry.windowSeconds)
  const taken = await readingAsync('checks run for this request', now, () => {
    const nodes = NODE_IDS.map((id) => nodeOf(id, ports))
    return Promise.all([nodeOf('operator', ports), Promise.all(nodes)])
  })
  const {
    value: [core, nodes],
    label,
    read_at,
  } = measured(taken)
  const counted = (healthy: boolean | null) => [core, ...nodes].filter((node) => node.healthy === healthy).length
  return {
    schema: 'orch.topology/v1',
    core,
    nodes,
    edges,
    counts: { healthy: counted(true), failing: counted(false), unknown: counted(null) },
    generated_at: read_at,
    label,
  }
}

async function nodeOf(id: AnyNodeId, ports: TopologyPorts) {
  const { name, role, pos, check, requestHeaders } = SIGNS[id]
  const begun = ports.clock.monotonic()
  const { healthy, reason, since, evidence } = await checked(id, ports)
  const found = ports.standing.since(`node ${id}`, String(healthy))
  return {
    id,
    name,
    role,
    pos: [...pos],
    healthy,
    reason,
    since: since ?? found,
    check,
    evidence,
    latency_ms: Math.round((ports.clock.monotonic() - begun) * 1000) / 1000,
    checked_at: new Date(ports.clock.now()).toISOString(),
    links: pathsOfReads(ports.openApi(), requestHeaders),
  }
}

/** A check that throws or runs over its time has failed; what it threw stays inside. */
async function checked(id: AnyNodeId, ports: CheckPorts): Promise<Outcome> {
  try {
    return await withDeadline(
      CHECK_MS,
      (signal) => CHECKS[id](ports, signal),
      () => failed('CHECK_TIMEOUT'),
    )
  } catch {
    return failed('CHECK_FAILED')
  }
}

const failed = (code: string): Outcome => ({ healthy: false, reason: code, evidence: { code } })
