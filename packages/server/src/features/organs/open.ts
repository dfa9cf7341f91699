/** Opens the organs over the parts of the service that they measure or wrap. */
import type { Outbound } from '../../adapters/outbound/contract.ts'
import type { Config } from '../../config/config.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import type { HealthParts } from './health/checks.ts'
import { remoteHealth } from './health/remote.ts'
import { NOT_BUILT } from './not-built.ts'
import { joinOrgans } from './registry.ts'
import type { OrganPorts } from './run.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'

const ECHO = new URL('./echo-job.ts', import.meta.url)

export interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
  freeBytes: HealthParts['freeBytes']
  outbound: Pick<Outbound, 'exchange'>
}

export function openOrgans({ organHealth }: Pick<Config, 'organHealth'>, needs: OrganNeeds): OrganPorts {
  const { clock, compute, freeBytes, outbound } = needs
  const all = joinOrgans([
    // One line for each organ, in the order of their numbers.
    tune(() => machineProbes(clock)),
  ])
  return {
    organs: {
      all,
      gauges: { clock, hrtime: () => process.hrtime.bigint(), cpuMicros },
      organCount: () => all.size,
      isBuilt: (id) => all.get(id)?.organ.version !== NOT_BUILT,
      compute,
      echo: compute.register({ name: 'organ-health-echo', module: ECHO, function: 'echo', deadlineMs: 400 }),
      freeBytes,
      remotes: remoteHealth(organHealth, outbound.exchange('organ-health')),
    },
  }
}

function cpuMicros(): number {
  const used = process.threadCpuUsage()
  return used.user + used.system
}
