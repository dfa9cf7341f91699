/** Opens the organs over the parts of the service that they measure or wrap. */
import { availableParallelism } from 'node:os'
import { countTokensNow } from '../../adapters/models/tokens.ts'
import { receiptFacts } from '../../domain/tools/receipt-facts.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import { shared } from '../../platform/shared-result.ts'
import type { Ports } from '../../ports.ts'
import { readCounters } from './energy/io/powercap.ts'
import { energy } from './energy/organ.ts'
import { screenText } from './guard/screen.ts'
import { identity } from './identity/organ.ts'
import { authorizeTool } from './policy/authorize.ts'
import { joinOrgans } from './registry.ts'
import { openGateway } from './route/io/gateway.ts'
import { route } from './route/organ.ts'
import type { OrganPorts } from './run.ts'
import { type OutsideSettings, openOutsideServers } from './tool/io/outside.ts'
import { openSession, serveMessage } from './tool/io/protocol.ts'
import { tool } from './tool/organ.ts'
import type { McpPorts } from './tool/protocol.ts'
import { BUILT_IN } from './tool/tools.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'

export interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
  /** MCP servers of the operator, by their names. */
  mcpServers: OutsideSettings
}

const LISTED_MS = 10_000

export function openOrgans(needs: OrganNeeds): OrganPorts & McpPorts {
  const { clock, upstreams, gates, policies, ledger } = needs
  const outside = openOutsideServers(needs.mcpServers)
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
    tool({
      builtIn: BUILT_IN,
      outsideIds: outside.ids,
      outside: outside.tools,
      openSession,
      reader: ledger.reader,
      authorize: (agent, name) => authorizeTool(policies, agent, name),
      screen: (text) => screen(text, 'input'),
      worldFor: (caller) => ({
        now: () => clock.now(),
        receipt: async (digest) => receiptFacts(caller, await ledger.reader.byDigest(digest)),
      }),
    }),
    route({ gateway: openGateway(upstreams, clock), countTokens: countTokensNow, screen }),
    identity,
  ])
  // A server that does not answer takes its five seconds once and not for every client that lists.
  const listed = shared({ keepMs: LISTED_MS, monotonic: () => clock.monotonic() }, async () => {
    const answers = await Promise.all(outside.ids.map(outside.tools))
    return [...BUILT_IN, ...answers.flatMap(({ tools }) => tools)]
  })
  return {
    organs: { all, gauges: { clock, hrtime: () => process.hrtime.bigint(), cpuMicros } },
    mcp: { tools: listed, serve: serveMessage },
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
