/** Opens the organs over the parts of the service that they measure or wrap. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { countTokensNow } from '../../adapters/models/tokens.ts'
import type { JsonExchange, Outbound } from '../../adapters/outbound/contract.ts'
import type { Config } from '../../config/config.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import { readCounters } from './energy/io/powercap.ts'
import { energy } from './energy/organ.ts'
import { type EvalNeeds, evaluation } from './eval/organ.ts'
import { outsideClassifier } from './guard/io/classifier.ts'
import { guard } from './guard/organ.ts'
import { screenText } from './guard/screen.ts'
import type { HealthParts } from './health/checks.ts'
import { remoteHealth } from './health/remote.ts'
import { identity } from './identity/organ.ts'
import { memory } from './memory/organ.ts'
import { isBuilt } from './not-built.ts'
import { policy } from './policy/organ.ts'
import { joinOrgans } from './registry.ts'
import { readRequest } from './request.ts'
import { readBundled } from './retrieve/io/bundled.ts'
import { retrieve } from './retrieve/organ.ts'
import { openGateway } from './route/io/gateway.ts'
import { route } from './route/organ.ts'
import { type OrganPorts, runOrgan } from './run.ts'
import { sandbox } from './sandbox/organ.ts'
import type { ScreenSecrets } from './screening.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'

const ECHO = new URL('./echo-job.ts', import.meta.url)

export interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
  freeBytes: HealthParts['freeBytes']
  outbound: Pick<Outbound, 'exchange'>
  /** The classifier beside N3, where the operator configured one. */
  guardBackend: Backend | null
}

interface Backend {
  url: string
  exchange: JsonExchange
}

const classifierOf = (backend: Backend | null) =>
  backend === null ? null : outsideClassifier(backend.url, backend.exchange)

export function openOrgans({ organHealth }: Pick<Config, 'organHealth'>, needs: OrganNeeds): OrganPorts {
  const { clock, compute, freeBytes, outbound, ledger, gates, upstreams } = needs
  const gauges = { clock, hrtime: () => process.hrtime.bigint(), cpuMicros }
  const screen = (text: string, direction: 'input' | 'output') => screenText(gates, text, direction)
  const screenSecrets: ScreenSecrets = (text) => screenText(gates, text, 'output', { scanners: ['secrets'] })
  /** The answer of an organ to another one, for the same caller and without a receipt of its own. */
  const answerOf: EvalNeeds['runSuiteOrgan'] = async (id, request, { caller, signal }) => {
    const registered = all.get(id)!
    if (!isBuilt(registered.organ)) return null
    const { answer } = await runOrgan(registered, readRequest(registered.organ, request), { caller, signal }, gauges)
    return answer as Record<string, unknown>
  }
  const all: OrganPorts['organs']['all'] = joinOrgans([
    // One line for each organ, in the order of their numbers.
    guard({ gates, classify: classifierOf(needs.guardBackend) }),
    retrieve({ ledger, bundled: readBundled }),
    tune(() => machineProbes(clock)),
    energy({
      countTokens: countTokensNow,
      counters: readCounters,
      cpuMicros: processMicros,
      cores: availableParallelism(),
    }),
    memory({ ledger, screen: screenSecrets, secret: () => randomBytes(32).toString('hex') }),
    evaluation({ compute, runSuiteOrgan: answerOf }),
    route({ gateway: openGateway(upstreams, clock), countTokens: countTokensNow, screen }),
    sandbox(needs),
    identity,
    policy(needs),
  ])
  return {
    organs: {
      all,
      gauges,
      organCount: () => all.size,
      isBuilt: (id) => isBuilt(all.get(id)!.organ),
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

function processMicros(): number {
  const used = process.cpuUsage()
  return used.user + used.system
}
