/** The service as it was found for this request: each node checked, each edge counted. */
import { measured, readingAsync } from '@orch/core'
import { findPaths } from '../../domain/page/links.ts'
import { isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'
import type { Ports, StateMemory } from '../../ports.ts'
import { CHECKS, type CheckPorts, type Outcome } from './checks.ts'
import { type AnyNodeId, countEdges, NODE_IDS, SIGNS } from './nodes.ts'
import type { Topology } from './schemas.ts'

/** The whole document stays under a second. */
const CHECK_MS = 900

export type TopologyPorts = CheckPorts & Pick<Ports, 'catalog'> & { stateSince: StateMemory }

export async function readTopology(ports: TopologyPorts): Promise<Topology> {
  const now = () => isoNow(ports.clock)
  // Counted before the checks run: what they do themselves is no traffic.
  const edges = countEdges(ports.telemetry.activity(), ports.telemetry.windowSeconds)
  const taken = await readingAsync('checks run for this request', now, () => {
    const nodes = NODE_IDS.map((id) => checkNode(id, ports))
    return Promise.all([checkNode('operator', ports), Promise.all(nodes)])
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

async function checkNode(id: AnyNodeId, ports: TopologyPorts): Promise<Topology['core']> {
  const { name, role, pos, check, readOn } = SIGNS[id]
  const terms = { clock: ports.clock, ms: CHECK_MS, failed }
  const { found, checked_at, latency_ms } = await runCheck((signal) => CHECKS[id](ports, signal), terms)
  const { healthy, reason, since, evidence } = found
  const first = ports.stateSince.since(`node ${id}`, String(healthy))
  return {
    ...{ id, name, role, pos: [...pos], healthy, reason, since: since ?? first, check, evidence },
    ...{ latency_ms, checked_at, links: findPaths(ports.catalog, readOn) },
  }
}

/** What a check threw stays inside. */
const failed = (code: string): Outcome => ({ healthy: false, reason: code, evidence: { code } })
