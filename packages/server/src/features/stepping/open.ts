/** Opens governed stepping: decisions on steps, the sink and the outbox of their effects, walks over what was recorded, and
 *  the metrics of all of it. */
import { join } from 'node:path'
import { sha256Hex } from '@orch/core'
import type { OutboundSettings } from '../../adapters/outbound/wire.ts'
import type { Config } from '../../config/config.ts'
import { partitionName } from '../../domain/partition.ts'
import { SingleFlight } from '../../platform/single-flight.ts'
import type { Log, Ports, ServedCalls } from '../../ports.ts'
import type { EffectSink, Stepping } from './contract.ts'
import { globalReport, isIntact, ownReport } from './integrity/report.ts'
import { Verifier } from './integrity/verifier.ts'
import { openFileSink } from './io/sink-file.ts'
import { observeStepping, observeSteppingRecorder, steppingGauges, steppingSeries } from './io/stepping-metrics.ts'
import { webSink } from './io/web-sink.ts'
import { createOutbox, DRAIN_INTERVAL_MS } from './outbox/service.ts'
import { outboxStats } from './outbox/stats.ts'
import { limitsFor, quotaLimits } from './quotas.ts'
import { EFFECT_KINDS } from './rules/effects.ts'
import { MODES } from './rules/mode.ts'
import { createSteps } from './service.ts'
import { SchemaWatch } from './store/schema-watch.ts'
import { idleSessions, isConflict } from './store/session-documents.ts'
import { sessionView } from './store/session-view.ts'
import { storeTime, watchedReader } from './store/store-reader.ts'
import { stepTerms } from './terms.ts'
import { assertNoBlockers, steppingHealth, writeBlockers } from './write-blockers.ts'

const EFFECTS_FOLDER = 'gdw-effects'
const VERIFY_MS = 60_000
const EXPIRY_MS = 60_000
const ENGINES = { sqlite: 'sqlite', memory: 'sqlite', postgres: 'postgresql' } as const

type Shared = Pick<Ports, 'ledger' | 'recorder' | 'governance' | 'gates' | 'policies' | 'clock' | 'background'> & {
  hasRegistry(): boolean
}

interface SteppingNeeds extends Shared, Pick<Ports, 'build'> {
  calls: ServedCalls
  log: Log
  /** The data folder, where the file sink has its own. */
  data: string
  outbound: OutboundSettings
}

export async function openStepping(config: Config, needs: SteppingNeeds) {
  const { ledger, clock, background, build, calls } = needs
  const warning = sinkWarning(config)
  if (warning !== null) needs.log.warn({}, warning)
  const sink = await openSink(config, needs)
  const series = steppingSeries({ kinds: EFFECT_KINDS, routes: MODES })
  const recorder = observeSteppingRecorder(needs.recorder, series)
  const stepping = observeStepping(createStepping(config, { ...needs, recorder, sink }), series, clock)
  const outbox = createOutbox({
    ...{ ledger, clock, sink, recorder, build },
    storeNow: storeTime(ledger.reader, clock),
    attempted: ({ outcome, document }) => series.attempted(document.effect.kind, outcome.toLowerCase()),
    isIntact: (namespace) => stepping.isIntact(namespace),
  })
  background.every('gdw-drain', DRAIN_INTERVAL_MS, () => outbox.drainAll())
  const ownCalls = () => calls.series().filter(({ id }) => id.startsWith('stepping.'))
  const gauges = () => steppingGauges(ledger.reader, outbox, clock.now(), () => stepping.blockers().length === 0)
  const steppingMetrics = { text: async () => series.text(ownCalls(), await gauges()) }
  return {
    ports: { stepping, effects: outbox, outbox: outboxStats(ledger.reader, () => clock.now()), steppingMetrics },
    close: () => outbox.stop(),
  }
}

const openSink = async (config: Config, { data, outbound, clock }: SteppingNeeds): Promise<EffectSink> =>
  config.gdwSinkUrl === null
    ? openFileSink({ folder: join(data, EFFECTS_FOLDER), now: clock.now })
    : webSink(config.gdwSinkUrl, outbound)

/** What an operator should know of the sink before he relies on it; null where there is nothing to say. */
export const sinkWarning = ({ store, gdwSink }: Pick<Config, 'store' | 'gdwSink'>): string | null =>
  store === 'postgres' && gdwSink === 'file'
    ? 'effects of steps go to the data folder of whichever node takes them; with several nodes set ORCH_GDW_SINK=web'
    : null

type Deps = Shared & { sink: EffectSink; freshSecret?: () => string }

/** Decisions and walks, without the outbox. */
export function createStepping(config: Config, deps: Deps): Stepping {
  const { ledger, clock, sink } = deps
  const { reader, isAway } = watchedReader(ledger.reader, clock)
  const schemas = new SchemaWatch(reader)
  const limits = quotaLimits(config.gdwQuotas)
  const engine = ENGINES[config.store]
  const storeModes = () =>
    ledger.storeModes().catch(() => ({ engine, journal_mode: 'unknown', synchronous: 'unknown' }))
  const verifier = new Verifier({ reader, ledger, clock, sink })
  const blockers = () =>
    writeBlockers({
      ...deps,
      isBroken: () => verifier.isBroken,
      isStoreAway: isAway,
      isOtherSchema: () => schemas.isOther,
      mustSign: config.signer !== 'none' && !config.allowUnsigned,
    })
  const isLedgerBroken = () => ledger.state().broken
  const generationId = sha256Hex(ledger.vkey).slice(0, 32)
  const report = { reader, clock, verifier, storeModes, isLedgerBroken, generationId }
  // Whoever asks while a walk is under way gets what it finds, which says itself when that was.
  const walks = new SingleFlight<string>()
  keepWatch(deps, verifier, schemas)
  return {
    blockers,
    assertWritable: () => assertNoBlockers(blockers()),
    step: createSteps({ ...deps, reader, limits, dayLimit: config.dayRiskBudget }),
    session: (caller, sessionId) => sessionView(reader, caller, sessionId, clock.now()),
    integrity: (caller) =>
      caller === null
        ? walks.run('global', () => globalReport(report))
        : walks.run(`of ${partitionName(caller)}`, () => ownReport(report, caller)),
    isIntact: (namespace) => walks.run(`in ${namespace}`, () => isIntact(report, namespace)),
    async health() {
      // What comes of this read is among the blockers.
      await reader.head().catch(() => null)
      return { ...steppingHealth(deps, engine, blockers()), last_full_walk_at: verifier.lastFullWalkAt }
    },
    terms: ({ authMode }) => stepTerms(limitsFor(limits, authMode)),
  }
}

/** What was recorded before this process is walked once, without anybody waiting for it. */
function keepWatch({ ledger, background, clock }: Deps, verifier: Verifier, schemas: SchemaWatch): void {
  background.every('gdw-integrity', VERIFY_MS, async () => {
    await schemas.look()
    await verifier.tick()
  })
  background.every('gdw-session-expiry', EXPIRY_MS, async () => {
    for (const { documents, counters } of await idleSessions(ledger.reader, clock.now()))
      await ledger.writeDocuments(documents, counters).catch(unlessConflict)
  })
  // What it cannot read now it walks with the next round, which says so.
  schemas.look().catch(() => undefined)
  verifier.tick().catch(() => undefined)
}

/** The session was stepped on meanwhile. */
function unlessConflict(error: unknown): void {
  if (!isConflict(error)) throw error
}
