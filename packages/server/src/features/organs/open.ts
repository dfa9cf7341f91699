/** Opens the organs over the parts of the service that they measure or wrap. */
import { availableParallelism } from 'node:os'
import { countTokensNow } from '../../adapters/models/tokens.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import { readCounters } from './energy/io/powercap.ts'
import { energy } from './energy/organ.ts'
import { screenText } from './guard/screen.ts'
import { identity } from './identity/organ.ts'
import { joinOrgans } from './registry.ts'
import { openGateway } from './route/io/gateway.ts'
import { route } from './route/organ.ts'
import type { OrganPorts } from './run.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'

export interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
}

export function openOrgans(needs: OrganNeeds): OrganPorts {
  const { clock, upstreams, gates } = needs
  const screen = (text: string, direction: 'input' | 'output') => screenText(gates, text, direction)
  const all = joinOrgans([
    // One line for each organ, in the order of their numbers.
    tune(() => machineProbes(clock)),
    energy({
      countTokens: countTokensNow,
      counters: readCounters,
      cpuMicros: processMicros,
      cores: availableParallelism(),
    }),
    route({ gateway: openGateway(upstreams, clock), countTokens: countTokensNow, screen }),
    identity,
  ])
  return { organs: { all, gauges: { clock, hrtime: () => process.hrtime.bigint(), cpuMicros } } }
}

function cpuMicros(): number {
  const used = process.threadCpuUsage()
  return used.user + used.system
}

function processMicros(): number {
  const used = process.cpuUsage()
  return used.user + used.system
}
