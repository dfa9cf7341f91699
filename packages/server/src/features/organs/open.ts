/** Opens the organs over the parts of the service that they measure or wrap. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { readCounters } from '../../adapters/meters/powercap.ts'
import { countTokens, toTokens } from '../../adapters/models/tokens.ts'
import type { Converse, JsonExchange, Outbound } from '../../adapters/outbound/contract.ts'
import type { Config } from '../../config/config.ts'
import { receiptFacts } from '../../domain/tools/receipt-facts.ts'
import { ServiceError } from '../../errors.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import { withDeadline } from '../../platform/deadline.ts'
import { once } from '../../platform/once.ts'
import type { EnergyMeters, Ports } from '../../ports.ts'
import { authorizeTool } from './authorize.ts'
import { boundedGates } from './bounded-gates.ts'
import { REPLAY_MS, realBrowser } from './browser/io/replay.ts'
import { browser } from './browser/organ.ts'
import { cache } from './cache/organ.ts'
import { cover } from './cover/organ.ts'
import { energy } from './energy/organ.ts'
import { type EvalNeeds, evaluation } from './eval/organ.ts'
import { graph } from './graph/organ.ts'
import { outsideClassifier } from './guard/io/classifier.ts'
import { guard } from './guard/organ.ts'
import type { HealthParts } from './health/checks.ts'
import { remoteHealth } from './health/remote.ts'
import { SENTINEL, sentinelText } from './health/sentinel.ts'
import { identity } from './identity/organ.ts'
import { lattice } from './lattice/organ.ts'
import { memory } from './memory/organ.ts'
import { mesh } from './mesh/organ.ts'
import { mosaic } from './mosaic/organ.ts'
import { isBuilt } from './not-built.ts'
import { observe } from './observe/organ.ts'
import { receiptFinder } from './observe/receipts.ts'
import { policy } from './policy/organ.ts'
import { quant } from './quant/organ.ts'
import { rails } from './rails/organ.ts'
import { joinOrgans } from './registry.ts'
import { readRequest } from './request.ts'
import { rivalRanking } from './retrieve/io/rival.ts'
import { retrieve } from './retrieve/organ.ts'
import { openGateway } from './route/io/gateway.ts'
import { route } from './route/organ.ts'
import { type OrganPorts, runOrgan, SERVICE_CALLER } from './run.ts'
import { sandbox } from './sandbox/organ.ts'
import { schema } from './schema/organ.ts'
import type { ScreenSecrets } from './screening.ts'
import { askUpstream } from './serve/io/upstream.ts'
import { serve } from './serve/organ.ts'
import { screenText } from './text-screen.ts'
import { title } from './title/organ.ts'
import { type OutsideSettings, openOutsideServers } from './tool/io/outside.ts'
import { exchange, loadProtocol, serveMessage } from './tool/io/protocol.ts'
import { tool } from './tool/organ.ts'
import { BUILT_IN, type McpPorts } from './tool/tools.ts'
import { machineProbes } from './tune/io/probes.ts'
import { tune } from './tune/organ.ts'
import { voice } from './voice/organ.ts'

const PLANT_MS = 2_000
const ECHO = new URL('./echo-job.ts', import.meta.url)

interface OrganNeeds extends Pick<Ports, 'clock' | 'ledger' | 'gates' | 'policies' | 'upstreams'> {
  compute: Compute
  freeBytes: HealthParts['freeBytes']
  credentialFault: HealthParts['credentialFault']
  /** How long one check of organ health may take, where it is not the usual time. */
  checkLimitMs: number | undefined
  outbound: Pick<Outbound, 'exchange'>
  meters: EnergyMeters
  /** The completions server beside N1, where the operator configured one. */
  serveBackend: Backend | null
  /** The classifier beside N3, where the operator configured one. */
  guardBackend: Backend | null
  /** The embeddings server beside N9, where the operator configured one. */
  retrieveBackend: Backend | null
  /** The trainer that N11 looks for, where the operator configured one. */
  trainer: Backend | null
  /** The browser in which N24 replays what it did, where the operator configured one. */
  realBrowser: (Backend & { converse: Converse }) | null
  /** MCP servers of the operator, by their names. */
  mcpServers: OutsideSettings
}

interface Backend {
  url: string
  exchange: JsonExchange
}

const through = <T>(backend: Backend | null, make: (url: string, exchange: JsonExchange) => T): T | null =>
  backend === null ? null : make(backend.url, backend.exchange)

export function openOrgans({ organHealth }: Pick<Config, 'organHealth'>, needs: OrganNeeds) {
  const { clock, compute, freeBytes, outbound, ledger, gates, upstreams, policies } = needs
  const outside = openOutsideServers(needs.mcpServers)
  const gauges = { clock, hrtime: () => process.hrtime.bigint(), cpuMicros }
  const bounded = boundedGates(gates)
  const [brief, patient] = [bounded(800), bounded(1500)]
  // What a call came to is looked at however busy the gates are: it has been made.
  const screen = (text: string, direction: 'input' | 'output') =>
    screenText(direction === 'input' ? brief : gates, text, direction)
  const screenSecrets: ScreenSecrets = (text) => screenText(brief, text, 'output', { scanners: ['secrets'] })
  /** The answer of an organ to another one, for the same caller and without a receipt of its own. */
  const answerOf: EvalNeeds['runSuiteOrgan'] = async (id, request, { caller, signal }) => {
    const registered = all.get(id)!
    if (!isBuilt(registered.organ)) return null
    const { answer } = await runOrgan(
      registered,
      await readRequest(registered.organ, request),
      { caller, signal },
      gauges,
    )
    return answer as Record<string, unknown>
  }
  const all: OrganPorts['organs']['all'] = joinOrgans([
    // One line for each organ, in the order of their numbers.
    serve({ compute, upstreams, countTokens, askUpstream: through(needs.serveBackend, askUpstream), screen }),
    graph(needs),
    guard({ gates: patient, classify: through(needs.guardBackend, outsideClassifier) }),
    mosaic(needs),
    lattice({ gates: brief, policies }),
    cover(needs),
    quant(needs),
    title(needs),
    retrieve({ ledger, rival: through(needs.retrieveBackend, rivalRanking) }),
    observe({ ledger, findReceipt: receiptFinder(ledger) }),
    tune((signal) => machineProbes(clock, { trainer: needs.trainer, signal }), needs.trainer !== null),
    schema(needs),
    energy({
      countTokens,
      counters: readCounters,
      meters: needs.meters,
      cpuMicros: processMicros,
      cores: availableParallelism(),
    }),
    tool({
      builtIn: BUILT_IN,
      outsideIds: outside.ids,
      outside: outside.tools,
      loadProtocol,
      exchange,
      reader: ledger.reader,
      authorize: (agent, name) => authorizeTool(policies, agent, name),
      screen: (text) => screen(text, 'input'),
      worldFor: (caller) => ({
        now: () => clock.now(),
        receipt: async (digest) => receiptFacts(caller, await ledger.reader.byDigest(digest)),
      }),
    }),
    memory({ ledger, screen: screenSecrets, secret: () => randomBytes(32).toString('hex') }),
    evaluation({ compute, runSuiteOrgan: answerOf }),
    mesh(needs),
    route({ gateway: openGateway(upstreams, clock), countTokens, screen }),
    cache({ ledger, screen: screenSecrets, toTokens }),
    voice(needs),
    sandbox(needs),
    identity,
    rails({ gates: patient, compute }),
    browser({
      gates: patient,
      compute,
      replay: needs.realBrowser && { run: realBrowser(needs.realBrowser), deadlineMs: REPLAY_MS },
    }),
    policy(needs),
  ])
  const listed = async () => [
    ...BUILT_IN,
    ...(await Promise.all(outside.ids.map(outside.tools))).flatMap(({ tools }) => tools),
  ]
  /** Written when the service starts and it is not there, so that the checks only read. Never rejects, and holds no start
   *  up for long: a check finds what is missing. */
  const plantSentinel = once(() => withDeadline(PLANT_MS, plant, () => 'the store did not answer in time'))
  const plant = async (signal: AbortSignal): Promise<string | null> => {
    const registered = all.get('N15')!
    const text = sentinelText(registered.organ.version)
    const call = { caller: SERVICE_CALLER, signal }
    const run = async (request: Record<string, unknown>) =>
      runOrgan(registered, await readRequest(registered.organ, { ...SENTINEL, ...request }), call, gauges)
    try {
      const found = await run({ op: 'get' }).catch(() => null)
      if (JSON.stringify(found?.answer.result ?? null).includes(JSON.stringify(text))) return null
      const { documents = [] } = await run({ op: 'put', text })
      if (documents.length > 0) await ledger.writeDocuments(documents)
      return null
    } catch (error) {
      return error instanceof ServiceError ? error.code : 'it could not be written'
    }
  }
  const organs: OrganPorts['organs'] = {
    all,
    gauges,
    organCount: () => all.size,
    isBuilt: (id) => isBuilt(all.get(id)!.organ),
    compute,
    echo: compute.register({ name: 'organ-health-echo', module: ECHO, function: 'echo', deadlineMs: 400 }),
    freeBytes,
    credentialFault: needs.credentialFault,
    organVersion: (id) => all.get(id)!.organ.version,
    plantSentinel,
    health: { remotes: remoteHealth(organHealth, outbound.exchange('organ-health')), limitMs: needs.checkLimitMs },
  }
  const mcp: McpPorts['mcp'] = { tools: listed, serve: serveMessage }
  return {
    organClasses: () =>
      [...all.values()].map(({ organ, item }) => ({ evidenceClass: item.evidence_class, built: isBuilt(organ) })),
    mcp,
    organs,
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
