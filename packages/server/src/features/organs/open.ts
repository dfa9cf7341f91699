/** Opens the organs over the parts of the service that they measure or wrap. */
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import { type EvalNeeds, evaluation } from './eval/organ.ts'
import { isBuilt } from './not-built.ts'
import { joinOrgans } from './registry.ts'
import { readRequest } from './request.ts'
import { type OrganPorts, runOrgan } from './run.ts'
import { sandbox } from './sandbox/organ.ts'
import { schema } from './schema/organ.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'

export interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
}

export function openOrgans(needs: OrganNeeds): OrganPorts {
  const { clock, compute } = needs
  const gauges = { clock, hrtime: () => process.hrtime.bigint(), cpuMicros }
  /** The answer of an organ to another one, for the same caller and without a receipt of its own. */
  const answerOf: EvalNeeds['runSuiteOrgan'] = async (id, request, { caller, signal }) => {
    const registered = all.get(id)!
    if (!isBuilt(registered.organ)) return null
    const { answer } = await runOrgan(registered, readRequest(registered.organ, request), { caller, signal }, gauges)
    return answer as Record<string, unknown>
  }
  const all: OrganPorts['organs']['all'] = joinOrgans([
    // One line for each organ, in the order of their numbers.
    tune(() => machineProbes(clock)),
    schema(needs),
    evaluation({ compute, runSuiteOrgan: answerOf }),
    sandbox(needs),
  ])
  return { organs: { all, gauges } }
}

function cpuMicros(): number {
  const used = process.threadCpuUsage()
  return used.user + used.system
}
