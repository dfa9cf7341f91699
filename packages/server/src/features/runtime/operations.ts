import { sha256Hex } from '@orch/core'
import Type from 'typebox'
import type { Telemetry } from '../../adapters/telemetry/contract.ts'
import { entityTag, isCachedBy } from '../../domain/entity-tag.ts'
import { keyPath } from '../../domain/keys.ts'
import { AnyObject } from '../../domain/wire.ts'
import { API_PREFIX, operation, Reply } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { once } from '../../platform/once.ts'
import type { Metrics, Ports, Runtime, StateMemory } from '../../ports.ts'
import { buildInfo, healthLinks, healthRecord, livenessRecord, signerRecord } from './health.ts'
import { otelStatus } from './otel-status.ts'
import { prefersJson } from './preferred-form.ts'
import { buildRollup, type RollupFacts } from './rollup.ts'
import {
  BuildInfo,
  Health,
  Liveness,
  LivenessRecord,
  MetricsDocument,
  ReadinessRecord,
  Rollup,
  TelemetryStatus,
} from './schemas.ts'

type Deps = Pick<Ports, 'build' | 'authMode'> &
  StatusDeps & {
    metrics: Metrics
    /** The interface description as it is served: written once, for it is large and anybody may ask for it. */
    openApiBytes: () => Uint8Array
  }

/** The paths of this feature are written here and nowhere else. */
const PATHS = {
  livez: '/api/livez',
  readyz: '/api/readyz',
  build: '/api/build-info',
  metrics: '/metrics',
  openapi: '/openapi.json',
}
const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'

/** What runs here, whether it lives and whether it can do its work. None of these appends, signs or opens a socket. */
export const runtime = (deps: Deps) => {
  const { clock, runtime, build, readiness, metrics, authMode, signer, ledger, catalog, openApiBytes } = deps
  const now = () => isoNow(clock)
  const uptime = () => Math.max(0, Math.round(clock.now() - runtime.startedAt) / 1000)
  // What is served is known only after every feature was opened.
  const links = once(() => healthLinks(catalog))
  const openApiTag = once(() => entityTag(sha256Hex(openApiBytes())))
  return [
    ...statuses(deps),
    operation({
      ...getDefaults,
      id: 'runtime.livez',
      path: PATHS.livez,
      root: true,
      exempt: true,
      anyHost: true,
      summary: 'Whether the process answers; touches no store',
      reply: Liveness,
      labels: ['MEASURED'],
      run: (): Liveness => ({
        status: 'LIVE',
        scope: 'PROCESS_LIVENESS',
        process: {
          runtime: 'node',
          runtime_version: runtime.versions().node,
          uptime_s: uptime(),
          event_loop_delay_ms_p99: runtime.eventLoopDelayP99(),
          label: 'MEASURED',
        },
        receipt_minted: false,
        checked_at: now(),
      }),
    }),
    operation({
      ...getDefaults,
      id: 'runtime.readyz',
      path: PATHS.readyz,
      root: true,
      exempt: true,
      anyHost: true,
      summary: 'Whether the service can do its work: every component checked for this request',
      description: '200 READY or 503 NOT_READY with the same body.',
      reply: ReadinessRecord,
      labels: ['MEASURED'],
      async run() {
        const report = await readiness.report()
        const body: ReadinessRecord = {
          status: report.ready ? 'READY' : 'NOT_READY',
          ready: report.ready,
          production_ready: report.productionReady,
          draining: report.draining,
          components: report.components,
          blocking_components: report.blocking,
          receipt_minted: false,
          checked_at: report.checkedAt,
        }
        return report.ready ? body : new Reply(body, { status: 503, headers: { 'retry-after': '5' } })
      },
    }),
    operation({
      ...getDefaults,
      id: 'runtime.buildInfo',
      path: PATHS.build,
      root: true,
      exempt: true,
      summary: 'Which build runs, and who says so',
      reply: BuildInfo,
      labels: ['STRUCTURAL-ONLY', 'UNAVAILABLE'],
      run: () => buildInfo(build, runtime.versions()),
    }),
    operation({
      ...getDefaults,
      id: 'runtime.health',
      path: '/health',
      exempt: true,
      summary: 'Health in one word, with the components behind it',
      reply: Health,
      labels: ['MEASURED'],
      async run() {
        const report = await readiness.report()
        const { durability: mode, size } = ledger.state()
        const body: Health = {
          ...healthRecord(report, signer()),
          auth_mode: authMode(),
          ledger: { mode, size, production_ready: report.productionReady },
          uptime_s: uptime(),
          links: links(),
          ts: now(),
        }
        return new Reply(body, { headers: { 'x-orch-health': body.status } })
      },
    }),
    operation({
      ...getDefaults,
      id: 'runtime.healthz',
      path: '/healthz',
      root: true,
      exempt: true,
      summary: 'Liveness record: doctrine, lock and what the signer can do',
      reply: LivenessRecord,
      labels: ['STRUCTURAL-ONLY'],
      run: () => livenessRecord(build.gitSha.value, signer(), { rollup: ROLLUP_PATH, pubkey: keyPath(null) }),
    }),
    operation({
      ...getDefaults,
      id: 'runtime.metrics',
      path: PATHS.metrics,
      root: true,
      scope: 'metrics:read',
      summary: 'Prometheus text, or the same readings as JSON when asked for application/json',
      reply: Type.Union([MetricsDocument, Type.String()]),
      otherForms: ['text/plain'],
      labels: ['MEASURED'],
      async run({ headers }) {
        const vary = { vary: 'accept' }
        if (!prefersJson(headers.accept)) return new Reply(await metrics.text(), { type: PROMETHEUS, headers: vary })
        const body: MetricsDocument = {
          schema: 'orch.metrics/v1',
          metrics: await metrics.json(),
          label: 'MEASURED',
          read_at: now(),
        }
        return new Reply(body, { headers: vary })
      },
    }),
    operation({
      ...getDefaults,
      id: 'runtime.openapi',
      path: PATHS.openapi,
      root: true,
      summary: 'This interface as OpenAPI 3.1',
      description: 'Its SHA-256 is the ETag.',
      reply: AnyObject,
      labels: ['STRUCTURAL-ONLY'],
      run({ headers }) {
        const etag = openApiTag()
        const isCached = isCachedBy(headers['if-none-match'], etag)
        return new Reply(isCached ? null : openApiBytes(), { status: isCached ? 304 : 200, headers: { etag } })
      },
    }),
  ]
}

type StatusDeps = Pick<
  Ports,
  'clock' | 'readiness' | 'signer' | 'ledger' | 'upstreams' | 'governance' | 'readings' | 'catalog'
> & {
  runtime: Runtime
  stateSince: StateMemory
  telemetry: Telemetry
  organClasses(): RollupFacts['organs']
}

const getDefaults = { group: 'Health and identity', method: 'GET', scope: null } as const

/** The liveness record names this path as well. */
const ROLLUP_PATH = '/api/orch/healthz'

const statuses = (deps: StatusDeps) => [
  operation({
    ...getDefaults,
    id: 'runtime.rollup',
    path: ROLLUP_PATH,
    root: true,
    exempt: true,
    summary: 'Every part of the service in one record, from the checks of readiness and the running registries',
    description: 'Always 200: degraded and why stands in the body.',
    reply: Rollup,
    labels: ['MEASURED'],
    example: {},
    run: async () => buildRollup(await rollupFacts(deps)),
  }),
  operation({
    ...getDefaults,
    id: 'runtime.otelStatus',
    path: '/otel/status',
    exempt: true,
    summary: 'Whether traces are made here and whether a collector takes them',
    description:
      'A span is opened and found again for this request. Nobody is called: what is known of the collector comes from exports and from a probe every 60 seconds.',
    reply: TelemetryStatus,
    labels: ['MEASURED', 'UNAVAILABLE'],
    example: {},
    async run() {
      const { telemetry, clock } = deps
      const roundTrip = await telemetry.roundTrip()
      const [counts, exporter, probe] = [telemetry.counts(), telemetry.exporter(), telemetry.newestProbe()]
      return otelStatus({ roundTrip, counts, exporter, probe, now: clock.now() })
    },
  }),
]

async function rollupFacts(deps: StatusDeps) {
  const { clock, runtime, readiness, signer, ledger, upstreams, governance, readings, stateSince, organClasses } = deps
  const report = await readiness.report()
  const { durability, size } = ledger.state()
  return {
    report,
    ledger: { durability, size, waiting: ledger.waiting() },
    signer: signerRecord(signer()),
    targets: upstreams.targets(),
    readings: readings.sources(),
    gates: governance.tallies().gates,
    since: stateSince.since,
    organs: organClasses(),
    basePath: API_PREFIX,
    uptimeSeconds: Math.max(0, Math.round(clock.now() - runtime.startedAt) / 1000),
    ts: isoNow(clock),
  }
}
