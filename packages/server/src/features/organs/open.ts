/** Opens the organs over the parts of the service that they measure or wrap. */
import type { JsonExchange } from '../../adapters/outbound/contract.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import { outsideClassifier } from './guard/io/classifier.ts'
import { guard } from './guard/organ.ts'
import { lattice } from './lattice/organ.ts'
import { policy } from './policy/organ.ts'
import { rails } from './rails/organ.ts'
import { joinOrgans } from './registry.ts'
import type { OrganPorts } from './run.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'

export interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
  /** The classifier beside N3, where the operator configured one. */
  guardBackend: Backend | null
}

interface Backend {
  url: string
  exchange: JsonExchange
}

const classifierOf = (backend: Backend | null) =>
  backend === null ? null : outsideClassifier(backend.url, backend.exchange)

export function openOrgans(needs: OrganNeeds): OrganPorts {
  const { clock } = needs
  const all = joinOrgans([
    // One line for each organ, in the order of their numbers.
    guard({ gates: needs.gates, classify: classifierOf(needs.guardBackend) }),
    lattice(needs),
    tune(() => machineProbes(clock)),
    rails(needs),
    policy(needs),
  ])
  return { organs: { all, gauges: { clock, hrtime: () => process.hrtime.bigint(), cpuMicros } } }
}

function cpuMicros(): number {
  const used = process.threadCpuUsage()
  return used.user + used.system
}
