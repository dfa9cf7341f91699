/** The composition root: adapters are made here, handed to the surfaces as ports, and mounted. */
import { BUILD_VERSION } from '@orch/core'
import { artifacts } from './adapters/artifacts.ts'
import { gatherBuildFacts } from './adapters/build-facts.ts'
import { systemClock } from './adapters/clock.ts'
import { type CredentialSource, credentialSource, isLoopback, tokenDigest } from './adapters/credentials.ts'
import { openDataFolder } from './adapters/data-folder.ts'
import { diskCheck } from './adapters/disk.ts'
import { createLog } from './adapters/log.ts'
import { energyMeters } from './adapters/meters/meters.ts'
import { createMetrics } from './adapters/metrics.ts'
import { type JsonExchange, jsonExchange } from './adapters/outbound/json-exchange.ts'
import { loadPages } from './adapters/pages.ts'
import { createReadiness } from './adapters/readiness.ts'
import { anchorFile, anchorInMemory } from './adapters/rekor/anchor-file.ts'
import { noAnchoring, rekorAnchoring } from './adapters/rekor/anchoring.ts'
import { processRuntime } from './adapters/runtime.ts'
import { createTracing } from './adapters/tracing.ts'
import { readTrustedKeys } from './adapters/trusted-keys.ts'
import type { Config } from './config.ts'
import type { ReplyObserver } from './http/mount.ts'
import { openApi } from './http/openapi.ts'
import { createHttp } from './http/server.ts'
import { isProductionReady, ledgerChecks, signerStatus } from './ledger/checks.ts'
import { openLedger } from './ledger/ledger.ts'
import type { Operation } from './operation.ts'
import type { Anchoring, Check, Ledger, Log, Ports } from './ports.ts'
import { publicOriginOf } from './public-origin.ts'
import { createRecorder } from './recorder.ts'
import { surfaces } from './surfaces.ts'

export interface App {
  http: ReturnType<typeof createHttp>
  ports: Ports
  log: Log
  generatedToken: string | null
  /** Why the credential registry cannot be used; null when it can, or there is none. */
  credentialFault: string | null
  /** Refuses new work at once, lets what is in flight finish, then lets go of everything. */
  close(): Promise<void>
}

export interface BuildOptions {
  /** Sees every reply beside its operation; the tests hold each one to its schema with it. */
  observe?: ReplyObserver
  /** Operations beside the service’s own; the bench and the layer’s tests mount theirs. */
  extra?: readonly Operation[]
}

export async function buildApp(config: Config, { observe, extra = [] }: BuildOptions = {}): Promise<App> {
  const clock = systemClock
  const log = createLog({ format: config.log, level: config.logLevel })
  const data = openDataFolder(config.data)
  const state = { draining: false }
  const credentials = credentialSource(config)
  const build = gatherBuildFacts(config, clock)
  const runtime = processRuntime(clock)
  const metrics = createMetrics({
    version: BUILD_VERSION,
    revision: build.gitSha.value ?? 'unknown',
    node: process.versions.node,
  })
  const tracing = createTracing({
    endpoint: config.otlpEndpoint,
    headers: config.otlpHeaders as Record<string, string> | null,
    ratio: config.traceRatio,
    version: BUILD_VERSION,
  })
  const pages = await loadPages()
  const ledger = await openLedger({ ...ledgerSettings(config), data }, readTrustedKeys(config.trustedKeys))
  const checks: Check[] = [
    ...ledgerChecks(ledger, clock, config),
    credentialsCheck(credentials),
    diskCheck(data, config.minFreeBytes),
  ]
  const exchange = jsonExchange({ enabled: config.outbound, privateHosts: config.outboundPrivate ?? [] })
  const ports: Ports = {
    clock,
    ledger,
    recorder: createRecorder(ledger, clock),
    runtime,
    build,
    metrics,
    readiness: createReadiness(
      () => checks,
      state,
      clock,
      () => isProductionReady(ledger, clock),
    ),
    artifacts: artifacts(),
    meters: energyMeters(config.energyMeters ?? [], exchange, clock),
    anchoring: anchoringOf(config, ledger, exchange, data),
    pages,
    authMode: () => credentials.current().mode,
    publicOrigin: publicOriginOf(config),
    signer: () => signerStatus(ledger, clock),
    openApi: () => description,
    openApiBytes: () => descriptionBytes,
  }
  const operations = [...surfaces(ports), ...extra]
  const description = openApi(operations)
  const descriptionBytes = new TextEncoder().encode(JSON.stringify(description))
  const http = createHttp(operations, httpSettings(config), {
    clock,
    log,
    metrics,
    tracing,
    credentials: () => credentials.current(),
    hashToken: tokenDigest,
    state,
    observe: observe ?? null,
  })
  return {
    http,
    ports,
    log,
    generatedToken: credentials.generatedToken,
    credentialFault: faultOf(credentials),
    async close() {
      state.draining = true
      await http.close()
      await ledger.close()
      credentials.stop()
      runtime.stop()
      await tracing.stop()
    },
  }
}

const ledgerSettings = (config: Config) => ({
  store: config.store,
  postgresUrl: config.postgresUrl,
  signer: config.signer,
  signerUrl: config.signerUrl,
  signerPublicKey: config.signerPublicKey,
  allowUnsigned: config.allowUnsigned,
  logOrigin: config.logOrigin,
  defaultOrigin: new URL(
    config.baseUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`,
  ).host,
})

function anchoringOf(config: Config, ledger: Ledger, exchange: JsonExchange, data: string): Anchoring {
  const { rekorUrl: url, rekorPublicKey: publicKeyPem } = config
  if (url === null || publicKeyPem === null) return noAnchoring
  return rekorAnchoring(
    { url, publicKeyPem },
    ledger,
    exchange,
    config.store === 'memory' ? anchorInMemory() : anchorFile(data),
  )
}

const httpSettings = (config: Config) => ({
  baseUrl: config.baseUrl,
  allowedHosts: config.allowedHosts,
  ratePerMinute: config.ratePerMinute ?? (isLoopback(config.host) ? 0 : 600),
  maxConnections: config.maxConnections,
  trustProxy: config.trustProxy,
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
