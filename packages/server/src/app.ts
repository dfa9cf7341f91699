/** The composition root: adapters are made here, handed to the features as ports, and mounted. */
import { fileURLToPath } from 'node:url'
import { BUILD_VERSION } from '@orch/core'
import { type CredentialSource, credentialSource, isLoopback, tokenDigest } from './adapters/credentials.ts'
import { energyMeters } from './adapters/meters/meters.ts'
import { createUpstreams } from './adapters/models/upstreams.ts'
import { reachOf } from './adapters/outbound/addresses.ts'
import type { JsonExchange, Outbound } from './adapters/outbound/contract.ts'
import { openOutbound } from './adapters/outbound/outbound.ts'
import { configured } from './adapters/outbound/providers.ts'
import { anchorFile, anchorInMemory, noAnchoring } from './adapters/rekor/readings.ts'
import { ephemeralKeys, readTrustedKeys } from './adapters/signers/signer.ts'
import { observeRecorder } from './adapters/telemetry/instrumentation/decisions.ts'
import { observeLedger } from './adapters/telemetry/instrumentation/ledger.ts'
import { measureOutbound, observeReadings, observeUpstreams } from './adapters/telemetry/instrumentation/outgoing.ts'
import { createLog } from './adapters/telemetry/log.ts'
import { createMetrics } from './adapters/telemetry/metrics.ts'
import {
  backgroundCheck,
  createReadiness,
  diskCheck,
  freeBytes,
  outboundCheck,
  stateMemory,
} from './adapters/telemetry/readiness.ts'
import { processRuntime } from './adapters/telemetry/runtime.ts'
import { openCalls } from './adapters/telemetry/state-metrics.ts'
import { createTracing } from './adapters/telemetry/tracing.ts'
import { type Config, gitEnvironment } from './config/config.ts'
import { ledgerSettings } from './config/ledger-settings.ts'
import { assetFiles } from './features/assets/io/asset-files.ts'
import requirements from './features/assurance/requirements.json' with { type: 'json' }
import { artifacts } from './features/attestation/io/artifacts.ts'
import { openBrain } from './features/brain/open.ts'
import { claimsCheck, loadClaimCompiler, loadShipped } from './features/claims/open.ts'
import type { ClaimCompiler } from './features/claims/rules/compiler.ts'
import { loadDocuments } from './features/docs/io/documents.ts'
import { FORMULAS } from './features/finance/analytics/formulas.ts'
import { RECEIPT_RULES } from './features/finance/analytics/receipts/listing.ts'
import { openPrices } from './features/finance/open-prices.ts'
import { openFinanceSources } from './features/finance/open-sources.ts'
import { PEER_PROVIDER } from './features/finance/prices/io/peer.ts'
import { financeProviders } from './features/finance/sources/io/providers.ts'
import { githubProviders } from './features/frontier/io/github.ts'
import { openFrontier } from './features/frontier/open.ts'
import { projectDocuments } from './features/frontier/registry.ts'
import { gatherBuildFacts } from './features/identity/io/build-facts.ts'
import { openIdentity } from './features/identity/open.ts'
import { allOperations, type FeaturePorts } from './features/index.ts'
import { openInterpretability } from './features/interpretability/open.ts'
import { MODEL_FOLDER, openM1 } from './features/m1/open.ts'
import { openMarkets } from './features/markets/open.ts'
import { openMaterials } from './features/materials/open.ts'
import { openOperator } from './features/operator/open.ts'
import { openOrgans } from './features/organs/open.ts'
import { pagesForBrowsers } from './features/pages/for-browsers.ts'
import { loadPages } from './features/pages/io/page-files.ts'
import { openPinn } from './features/pinn/open.ts'
import { openQuantumUtility } from './features/quantum-utility/open.ts'
import { evidenceLinks } from './features/readiness/claims.ts'
import { readingProviders } from './features/readings/io/sources.ts'
import { openOutside, readingSettings } from './features/readings/open.ts'
import { openSecurityLoop } from './features/security-loop/open.ts'
import { openSovereignCompute } from './features/sovereign-compute/open.ts'
import { stepReviewed } from './features/stepping/approvals.ts'
import { openStepping } from './features/stepping/open.ts'
import { openSteward } from './features/steward/open.ts'
import { openWirea } from './features/wirea/open.ts'
import { type GovernanceFolders, openGovernance, SHIPPED } from './governance/open.ts'
import { openCedar } from './governance/policy/cedar.ts'
import { policiesOf } from './governance/policy/policies.ts'
import { LIMIT_ROWS } from './http/limits.ts'
import type { ReplyObserver } from './http/mount.ts'
import { braced, openApi, toCatalog } from './http/openapi.ts'
import { createPublicOrigin } from './http/origin-check.ts'
import { createHttp } from './http/server.ts'
import { ledgerHealth } from './ledger/checks.ts'
import { openLedger } from './ledger/ledger.ts'
import { createRecorder } from './ledger/recorder.ts'
import { logStop } from './ledger/stop-log.ts'
import { type Operation, pathsOf } from './operation.ts'
import { systemClock } from './platform/clock.ts'
import { Compute } from './platform/compute/compute.ts'
import { openDataFolder } from './platform/data-folder.ts'
import { once } from './platform/once.ts'
import { shared } from './platform/shared-result.ts'
import type { Anchoring, CatalogEntry, Check, Ledger, Log } from './ports.ts'

const ANATOMY_POLICIES = fileURLToPath(new URL('../../../policies/anatomy/', import.meta.url))

export interface App {
  http: ReturnType<typeof createHttp>
  ports: FeaturePorts
  log: Log
  generatedToken: string | null
  /** Why the credential registry cannot be used; null when it can, or there is none. */
  credentialFault: string | null
  /** Rules or policies that this start could not use, one sentence each. */
  unusableSets: readonly string[]
  /** Refuses new work at once, lets what is in flight finish, then lets go of everything. */
  close(): Promise<void>
}

export interface BuildOptions {
  /** Sees every reply with its operation; the tests check each one against its schema with it. */
  observe?: ReplyObserver
  /** Operations in addition to the service's own; the bench and the layer's tests mount theirs. */
  extra?: readonly Operation[]
  /** Ids of operations that are not mounted; a test sees that the audit names what is missing. */
  omit?: readonly string[]
  /** Where the claim compiler comes from; the tests hand over one that does not load. */
  claimCompiler?: () => Promise<ClaimCompiler>
  /** Where rules and policies lie, where it is not the place they are shipped in. */
  governanceFolders?: GovernanceFolders
  /** How long a shared result counts; the tests that look several times in a row hand over less. */
  resultKeepMs?: number
  /** How long readiness waits for one check; tests on a loaded machine hand over more. */
  checkLimitMs?: number
  /** Asks git and every shipped file; the tests ask once per process. */
  buildFacts?: typeof gatherBuildFacts
  /** Where the embedded model lies; the tests hand over a folder they may damage. */
  modelFolder?: string
  /** Whether the model of materials is calibrated once somebody looks at it; the tests of others do without. */
  calibrates?: boolean
}

export async function buildApp(
  config: Config,
  {
    observe,
    extra = [],
    omit = [],
    claimCompiler = loadShipped,
    governanceFolders = SHIPPED,
    resultKeepMs = 10_000,
    checkLimitMs,
    buildFacts = gatherBuildFacts,
    modelFolder = MODEL_FOLDER,
    calibrates = true,
  }: BuildOptions = {},
): Promise<App> {
  const clock = systemClock
  const log = createLog({ format: config.log, level: config.logLevel })
  const data = openDataFolder(config.data)
  const state = { draining: false }
  const credentials = credentialSource(config)
  const build = buildFacts({ ...config, gitEnvironment: gitEnvironment() }, clock)
  const identity = openIdentity(config, clock, () => http.server.address())
  const runtime = processRuntime(clock)
  const node = process.versions.node
  const metrics = createMetrics({ version: BUILD_VERSION, revision: build.gitSha.value ?? 'unknown', node }, runtime)
  const tracing = createTracing({
    endpoint: config.otlpEndpoint,
    outbound: config.outbound,
    headers: config.otlpHeaders as Record<string, string> | null,
    ratio: config.traceRatio,
    version: BUILD_VERSION,
  })
  const pages = await loadPages()
  const ledger = await openLedger(ledgerSettings(config, data), readTrustedKeys(config.trustedKeys))
  const instruments = { tracing, series: metrics.work, clock }
  observeLedger(ledger, instruments)
  logStop(ledger, log)
  const claims = await loadClaimCompiler(claimCompiler, log)
  const health = ledgerHealth(ledger, clock, config)
  const checks: Check[] = [
    ...health.checks,
    credentialsCheck(credentials),
    diskCheck(data, config.minFreeBytes),
    claimsCheck(claims),
    outboundCheck(config.outbound),
  ]
  const readingSources = readingSettings(config, build, evidenceLinks)
  const github = githubSettings(config)
  const financial = financeProviders({ ...config, origins: config.sources })
  const providers = [
    ...[...readingProviders(readingSources), ...githubProviders(github), ...financial],
    ...configuredProviders(config),
  ]
  const sending = outboundSettings(config)
  const outbound = openOutbound(sending, providers, { store: ledger, clock, measure: measureOutbound(instruments) })
  const governing = await openGovernance(
    config,
    { ledger, log, stepReviewed, outbound, calls: metrics.calls, ...instruments },
    governanceFolders,
  )
  const { background } = governing.ports
  checks.push(backgroundCheck(background, runtime, clock))
  const reading = await openOutside(readingSources, { ledger, background, clock, log, outbound }, () => operations)
  const recorder = observeRecorder(createRecorder(ledger, clock), metrics.work)
  const stepping = await openStepping(config, {
    ...{ ...governing.ports, ledger, recorder, clock, build, log, calls: metrics.calls, data, outbound: sending },
    hasRegistry: () => faultOf(credentials) === null,
  })
  const stateSince = stateMemory(clock)
  const m1 = openM1({ clock, folder: modelFolder })
  const upstreams = observeUpstreams(createUpstreams(upstreamSettings(config), clock, m1.embedded), instruments)
  const meters = energyMeters(config.energyMeters ?? [], outbound.exchange('meters'), clock)
  const compute = new Compute()
  // Trainings take seconds: what others compute does not wait behind them.
  const trainings = new Compute({ maxQueue: 16, waitMs: 10_000 })
  // Replies of other services that are too large for the main thread.
  const replies = new Compute({ threads: 1, memoryMb: 256, waitMs: 8_000, maxResultBytes: 16 * 2 ** 20 })
  // A problem at its budget takes as long, and a training before it longer than a caller waits.
  const solving = new Compute({ maxQueue: 16, waitMs: 10_000 })
  const catalog: CatalogEntry[] = []
  const files = artifacts()
  const space = freeBytes(data, config.minFreeBytes)
  const securityLoop = openSecurityLoop({ artifacts: files })
  const formulaRun = shared({ keepMs: resultKeepMs, monotonic: () => clock.monotonic() }, () =>
    ledger.queries.runFormulas(),
  )
  const readings = observeReadings(reading.port, metrics.work)
  const readiness = createReadiness(
    () => [...checks, ...governing.checks],
    state,
    clock,
    health.isProductionReady,
    stateSince,
    checkLimitMs,
  )
  const looked = { productionReady: false }
  const openApiBytes = once(() => new TextEncoder().encode(JSON.stringify(openApi(operations))))
  const frontier = openFrontier(github, {
    ...{ artifacts: files, outbound },
    served: () => new Set(operations.filter((op) => isRouted(op, http)).map(({ id }) => id)),
  })
  const wirea = openWirea({
    ...{ ledger, clock, compute, catalog, openApiBytes, gates: governing.ports.gates, artifacts: files },
    organs: () => ports.organs.all,
    requirements,
    limits: LIMIT_ROWS,
    // One line for each feature whose rows can be searched along.
    searchSources: [{ kind: 'project', documents: async () => projectDocuments((await frontier.registry()).registry) }],
  })
  const finance = openFinanceSources({
    ...{ outbound, clock, build, providers: financial, alpacaFeed: config.alpacaFeed, compute: replies },
    ...{ operations: () => operations, formulas: FORMULAS, receiptRules: RECEIPT_RULES },
  })
  const ports: FeaturePorts = {
    ...governing.ports,
    ...stepping.ports,
    ...openOrgans(config, {
      ...{ ...governing.ports, ledger, clock, upstreams, compute, outbound, meters },
      ...organBackends(config, outbound),
      mcpServers: mcpSettings(config),
      checkLimitMs,
      freeBytes: space,
      credentialFault: () => faultOf(credentials),
    }),
    ...openBrain(config, {
      ...{ clock, ledger, catalog, runtime, calls: metrics.calls, activeOrgans: metrics.work.activeOrgans },
      searchDocuments: wirea.searchDocuments,
    }),
    ...wirea,
    ...openInterpretability({ compute: trainings, clock, background, warm: config.researchWarm }),
    ...openQuantumUtility({ compute, longRuns: solving, ledger, clock }),
    ...openMaterials({
      ...{ compute: trainings, clock, artifacts: files, warm: config.researchWarm, calibrates, keepMs: resultKeepMs },
    }),
    ...openPinn({ compute, clock, artifacts: files }),
    ...openSovereignCompute({ clock, compute, outbound, upstreams, m1, ...modelEndpoints(config, outbound) }),
    ...openOperator(config, { ledger, clock, background }, () => operations),
    clock,
    ledger,
    recorder,
    runtime,
    build,
    identity,
    metrics,
    telemetry: tracing,
    calls: metrics.calls,
    sampleMode: config.sampleMode,
    resultKeepMs,
    streamLimits: { total: config.maxStreams, perCaller: config.maxStreamsPerCaller },
    readiness,
    stateSince,
    artifacts: files,
    formulaRun,
    securityLoop,
    frontier,
    finance,
    ...openPrices(priceSettings(config), { clock, ledger, outbound, background, signer: health.signerStatus }),
    ...openMarkets(seriesSettings(config), { clock, outbound, build, compute: replies, observe: finance.observe }),
    steward: openSteward({
      ...{ ledger, clock, background, build, runtime, readings, formulaRun, securityLoop, m1 },
      ...{ artifacts: files, freeBytes: space, calls: metrics.calls, signer: health.signerStatus },
      productionReady: () => looked.productionReady,
      ...{ keepMs: resultKeepMs, operations: () => operations, servedRoutes: () => servedRoutes(operations, http) },
    }),
    assetFiles: assetFiles(undefined, { policies: governanceFolders.policies, 'gate-rules': governanceFolders.rules }),
    meters,
    anchoring: await anchoringOf(config, ledger, outbound.exchange('rekor'), data),
    anatomy: policiesOf(() => openCedar(ANATOMY_POLICIES)),
    trustedBuilders: config.trustedBuilders,
    ephemeralKeys,
    upstreams,
    m1,
    readings,
    pages,
    documents: loadDocuments(),
    claims,
    authMode: () => credentials.current().mode,
    publicOrigin: createPublicOrigin(config),
    signer: health.signerStatus,
    catalog,
    openApiBytes,
  }
  const operations = [...allOperations(ports).filter(({ id }) => !omit.includes(id)), ...extra]
  catalog.push(...toCatalog(operations))
  metrics.watch({
    ...ports,
    sessions: governing.sessions,
    eventClients: () => openCalls(metrics.calls, eventStreams(operations)),
  })
  watchCollector(ports, config)
  // So that a state is known since it came and not since somebody asked.
  background.every('readiness', LOOK_MS, async () => {
    looked.productionReady = (await ports.readiness.report()).productionReady
  })
  const ratePerMinute = config.ratePerMinute ?? (isLoopback(config.host) ? 0 : 600)
  const http = createHttp(
    operations,
    { ...config, ratePerMinute },
    {
      clock,
      log,
      metrics,
      tracing,
      credentials: () => credentials.current(),
      hashToken: tokenDigest,
      state,
      observe: observe ?? null,
      pages: pagesForBrowsers(ports),
    },
  )
  await governing.started()
  await ports.organs.plantSentinel()
  return {
    http,
    ports,
    log,
    generatedToken: credentials.generatedToken,
    credentialFault: faultOf(credentials),
    unusableSets: governing.unusableSets,
    async close() {
      state.draining = true
      await http.close()
      ports.upstreams.close()
      const pools = [compute, trainings, replies, solving, m1]
      await Promise.all(pools.map((pool) => pool.close(AbortSignal.timeout(COMPUTE_CLOSE_MS))))
      await reading.stop()
      await stepping.close()
      await governing.close()
      await ledger.close()
      credentials.stop()
      runtime.stop()
      await tracing.stop()
    },
  }
}

/** Every path of the operation, asked of the router itself. */
const isRouted = (op: Operation, http: App['http']): boolean =>
  pathsOf(op).every((url) => http.hasRoute({ method: op.method, url }))

/** Asked of the router itself: what an operation declares and the router does not answer is not served. */
const servedRoutes = (operations: readonly Operation[], http: App['http']) =>
  operations.flatMap((op) =>
    pathsOf(op).flatMap((url) =>
      (op.method === 'GET' ? (['GET', 'HEAD'] as const) : [op.method])
        .filter((method) => http.hasRoute({ method, url }))
        .map((method) => ({ method, path: braced(url) })),
    ),
  )

const eventStreams = (operations: readonly Operation[]): ReadonlySet<string> =>
  new Set(operations.filter(({ produces }) => produces === 'text/event-stream').map(({ id }) => id))

const LOOK_MS = 5_000
/** What a computation may still take when the service ends. */
const COMPUTE_CLOSE_MS = 2_000
const COLLECTOR_PROBE_MS = 60_000

/** What is known of the collector must not wait a minute for its first look. */
function watchCollector({ background, telemetry }: FeaturePorts, { otlpEndpoint }: Config): void {
  if (otlpEndpoint === null) return
  background.every('otel-collector-probe', COLLECTOR_PROBE_MS, () => telemetry.probe())
  void telemetry.probe()
}

/** What is sent to addresses that the operator configured. */
const configuredProviders = (config: Config) => [
  configured(PEER_PROVIDER, oneOrNone(config.pricePeerUrl)),
  configured('organ-health', Object.values(config.organHealth)),
  configured('meters', config.energyMeters ?? []),
  configured('rekor', oneOrNone(config.rekorUrl)),
  configured('review-webhook', oneOrNone(config.reviewWebhook)),
  configured('organ-n3', oneOrNone(config.organN3Url)),
  configured('organ-n1', oneOrNone(config.organN1Url)),
  configured('organ-n9', oneOrNone(config.organN9Url)),
  configured('organ-n11', oneOrNone(config.organN11Url)),
  configured('organ-n24', oneOrNone(config.organN24Cdp)),
  ...modelProbes(config),
]

const MODEL_PROBE = 'model-probe'

/** One for each target, with its key: what asks whether it answers. */
const modelProbes = ({ targets, targetKeys }: Config) =>
  targets.map(({ id, baseUrl }) => {
    const key = targetKeys[id]
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
    return configured(`${MODEL_PROBE}-${id}`, [baseUrl], { headers })
  })

function modelEndpoints(config: Config, outbound: Outbound) {
  const isOwn = (url: string) => reachOf(new URL(url), config.outboundPrivate ?? []) !== 'public'
  const { targets, organN9Url: url } = config
  return {
    models: targets.map(({ id, baseUrl, model, zone }) => ({
      ...{ id, baseUrl, model, provider: `${MODEL_PROBE}-${id}`, selfHosted: zone === 'local' },
    })),
    embeddings:
      url === null ? null : { id: 'organ-n9', url, selfHosted: isOwn(url), exchange: outbound.exchange('organ-n9') },
  }
}

const oneOrNone = (url: string | null): string[] => (url === null ? [] : [url])

function organBackends(config: Config, outbound: Outbound) {
  const { organN1Url, organN3Url, organN9Url, organN11Url, organN24Cdp } = config
  const backend = (url: string | null, id: string) => (url === null ? null : { url, exchange: outbound.exchange(id) })
  return {
    serveBackend: backend(organN1Url, 'organ-n1'),
    guardBackend: backend(organN3Url, 'organ-n3'),
    retrieveBackend: backend(organN9Url, 'organ-n9'),
    trainer: backend(organN11Url, 'organ-n11'),
    realBrowser:
      organN24Cdp === null ? null : { ...backend(organN24Cdp, 'organ-n24')!, converse: outbound.converse('organ-n24') },
  }
}

async function anchoringOf(config: Config, ledger: Ledger, exchange: JsonExchange, data: string): Promise<Anchoring> {
  const { rekorUrl: url, rekorPublicKey: publicKeyPem } = config
  if (url === null || publicKeyPem === null) return noAnchoring
  const { rekorAnchoring } = await import('./adapters/rekor/anchoring.ts')
  return rekorAnchoring(
    { url, publicKeyPem },
    ledger,
    exchange,
    config.store === 'memory' ? anchorInMemory() : anchorFile(data),
  )
}

const outboundSettings = ({ outbound, outboundPrivate, baseUrl }: Config) => ({
  enabled: outbound,
  privateHosts: outboundPrivate ?? [],
  from: baseUrl,
})

const mcpSettings = ({ mcpServers, outbound, outboundPrivate }: Config) => ({
  enabled: outbound,
  privateHosts: outboundPrivate ?? [],
  servers: mcpServers ?? {},
})

const githubSettings = ({ frontierMetadata, githubToken, sources }: Config) => ({
  enabled: frontierMetadata,
  token: githubToken,
  origin: sources.GITHUB ?? null,
})

const priceSettings = ({ pricePublisher, priceMaxDispersionBps, pricePeerUrl, pricePeerKeys }: Config) => ({
  mode: pricePublisher,
  maxDispersionBps: priceMaxDispersionBps,
  peer:
    pricePeerUrl === null
      ? null
      : { url: pricePeerUrl, keys: readTrustedKeys(pricePeerKeys, 'ORCH_PRICE_PEER_KEYS').map(({ key }) => key) },
})

const seriesSettings = ({ fredApiKey, fredKeyless }: Config) => ({ hasKey: fredApiKey !== null, keyless: fredKeyless })

const upstreamSettings = ({ targets, targetKeys, m1, outbound, outboundPrivate, streamSeconds }: Config) => ({
  targets: targets.map((target) => ({ ...target, apiKey: targetKeys[target.id] ?? null })),
  keyless: targets.filter(({ id, keyVariable }) => keyVariable !== null && !(id in targetKeys)).map(({ id }) => id),
  m1,
  outbound,
  privateHosts: outboundPrivate ?? [],
  streamMs: streamSeconds * 1000,
})

function faultOf(source: CredentialSource): string | null {
  const current = source.current()
  return 'fault' in current ? current.fault : null
}

const credentialsCheck = (source: CredentialSource): Check => ({
  name: 'credentials',
  blocking: () => true,
  async run() {
    const current = source.current()
    const fault = faultOf(source)
    return {
      state: fault === null ? 'OK' : 'FAILED',
      detail: { auth_mode: current.mode, ...(fault === null ? {} : { code: 'REGISTRY_INVALID', reason: fault }) },
    }
  },
})
