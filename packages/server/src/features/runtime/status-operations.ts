import type { Telemetry } from '../../adapters/telemetry/contract.ts'
import { API_PREFIX, operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports, Runtime, StateMemory } from '../../ports.ts'
import { signerRecord } from './health.ts'
import { otelStatus } from './otel-status.ts'
import { buildRollup } from './rollup.ts'
import { Rollup, TelemetryStatus } from './schemas.ts'

export type StatusDeps = Pick<
  Ports,
  'clock' | 'readiness' | 'signer' | 'ledger' | 'upstreams' | 'governance' | 'readings' | 'catalog'
> & { runtime: Runtime; stateSince: StateMemory; telemetry: Telemetry }

/** The liveness record names this path as well. */
export const ROLLUP_PATH = '/api/orch/healthz'

/** What the checks and counters of this process add up to. */
export const statuses = (deps: StatusDeps) => [
  operation({
    id: 'runtime.rollup',
    group: 'Health and identity',
    method: 'GET',
    path: ROLLUP_PATH,
    root: true,
    scope: null,
    exempt: true,
    summary: 'Every part of the service in one record, from the checks of readiness and the running registries',
    description: 'Always 200: degraded and why stands in the body.',
    reply: Rollup,
    labels: ['MEASURED'],
    example: {},
    run: async () => buildRollup(await rollupFacts(deps)),
  }),
  operation({
    id: 'runtime.otelStatus',
    group: 'Health and identity',
    method: 'GET',
    path: '/otel/status',
    scope: null,
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
  const { clock, runtime, readiness, signer, ledger, upstreams, governance, readings, stateSince, catalog } = deps
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
    mounted: catalog.map(({ id }) => id),
    basePath: API_PREFIX,
    uptimeSeconds: Math.max(0, Math.round(clock.now() - runtime.startedAt) / 1000),
    ts: isoNow(clock),
  }
}
