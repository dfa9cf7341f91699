/** The part of the composition root that puts governed stepping together. */
import { sha256Hex } from '@orch/core'
import type { Config } from '../../config/config.ts'
import { partitionName } from '../../domain/partition.ts'
import { ServiceError } from '../../errors.ts'
import { SingleFlight } from '../../platform/single-flight.ts'
import type { Ports } from '../../ports.ts'
import type { EffectSink, Stepping } from './contract.ts'
import { steppingHealth } from './health.ts'
import { globalReport, isIntact, ownReport } from './integrity/report.ts'
import { Verifier } from './integrity/verifier.ts'
import { limitsFor, quotaLimits } from './quotas.ts'
import { createSteps } from './service.ts'
import { idleSessions } from './store/expiry.ts'
import { SchemaWatch } from './store/schema-watch.ts'
import { sessionView } from './store/session-view.ts'
import { watchedReader } from './store/store-reader.ts'
import { stepTerms } from './terms.ts'
import { assertNoBlockers, writeBlockers } from './write-blockers.ts'

const VERIFY_MS = 60_000
const EXPIRY_MS = 60_000

type Deps = Pick<Ports, 'ledger' | 'recorder' | 'governance' | 'gates' | 'policies' | 'clock' | 'background'> & {
  sink: EffectSink
  hasRegistry(): boolean
  freshSecret?: () => string
}

const ENGINES = { sqlite: 'sqlite', memory: 'sqlite', postgres: 'postgresql' } as const

export function openStepping(config: Config, deps: Deps): { stepping: Stepping } {
  const { ledger, gates, clock, sink } = deps
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
  const report = {
    reader,
    clock,
    verifier,
    storeModes,
    isLedgerBroken: () => ledger.state().broken,
    generationId: sha256Hex(ledger.vkey).slice(0, 32),
  }
  const health = { ledger, reader, gates, engine, blockers, lastFullWalkAt: () => verifier.lastFullWalkAt }
  // Whoever asks while a walk is under way gets what it finds, which says itself when that was.
  const walks = new SingleFlight<string>()
  keepWatch(deps, verifier, schemas)
  return {
    stepping: {
      blockers,
      assertWritable: () => assertNoBlockers(blockers()),
      step: createSteps({ ...deps, reader, limits, dayLimit: config.dayRiskBudget }),
      session: (caller, sessionId) => sessionView(reader, caller, sessionId, clock.now()),
      integrity: (caller) =>
        caller === null
          ? walks.run('global', () => globalReport(report))
          : walks.run(`of ${partitionName(caller)}`, () => ownReport(report, caller)),
      isIntact: (namespace) => walks.run(`in ${namespace}`, () => isIntact(report, namespace)),
      health: () => steppingHealth(health),
      terms: ({ authMode }) => stepTerms(limitsFor(limits, authMode)),
    },
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
      await ledger.writeDocuments(documents, counters).catch(unlessStepped)
  })
  // What it cannot read now it walks with the next round, which says so.
  schemas.look().catch(() => undefined)
  verifier.tick().catch(() => undefined)
}

function unlessStepped(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'state_conflict')) throw error
}
