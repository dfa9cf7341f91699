/** One process of the service: the real append path, recorder, pipeline, stepping and outbox over a simulated store,
 *  sink, clock and chance. Started again it knows what is durable and nothing else. */
import assert from 'node:assert/strict'
import { bodyTemplate } from '@orch/core'
import { readConfig } from '../../src/config/config.ts'
import { receiptChecks } from '../../src/domain/receipt-checks.ts'
import { searchText } from '../../src/domain/receipts/text-search.ts'
import { ServiceError } from '../../src/errors.ts'
import { stepReviewed } from '../../src/features/stepping/approvals.ts'
import type { Stepping } from '../../src/features/stepping/contract.ts'
import { createStepping } from '../../src/features/stepping/open.ts'
import { createOutbox, type OutboxService } from '../../src/features/stepping/outbox/service.ts'
import type { Gates, Policies, ReviewQueue } from '../../src/governance/contract.ts'
import { createGovernance } from '../../src/governance/pipeline.ts'
import { createReviewQueue } from '../../src/governance/reviews/review-queue.ts'
import { DecisionCounters } from '../../src/governance/tallies.ts'
import type { LedgerQueries, LedgerReader } from '../../src/ledger/contract.ts'
import { optimisticRetry } from '../../src/ledger/optimistic-retry.ts'
import { createRecorder } from '../../src/ledger/recorder.ts'
import type { Refusal } from '../../src/ledger/refusals.ts'
import { Sequencer } from '../../src/ledger/sequencer.ts'
import type { Background, Clock, Ledger, Recorder } from '../../src/ports.ts'
import type { Random } from '../fuzz/random.ts'
import type { Database } from './database.ts'
import { SIMULATED_VKEY } from './own-note.ts'
import { readerOf } from './reader.ts'
import type { Scheduler, SimulatedMachine } from './scheduler.ts'
import type { Deliveries } from './sink.ts'

export interface Environment {
  scheduler: Scheduler
  database: Database
  deliveries: Deliveries
  /** For ids and secrets, apart from what decides the order of things. */
  chance: Random
  gates: Gates
  policies: Policies
  exclusive: boolean
  /** As an operator writes them; null for the shipped ones. */
  quotas: string | null
}

export interface Node extends SimulatedMachine {
  clock: Clock
  ledger: Ledger
  recorder: Recorder
  reviews: ReviewQueue
  stepping: Stepping
  outbox: OutboxService
  /** What effects are due and leased by: the store's clock, or the node's where the store has none. */
  storeTime(): number
  /** What the process does by itself, by name. */
  tasks: ReadonlyMap<string, () => Promise<void>>
}

export const REVISION = 'a'.repeat(40)
const REVIEW_SECONDS = 1_800
const GOVERNING = { sessionRiskBudget: 1_000_000, reviewTtlSeconds: REVIEW_SECONDS, fourEyes: false }

export async function startNode(name: string, skew: number, around: Environment): Promise<Node> {
  const machine: SimulatedMachine = { name, skew, alive: true, frozen: false }
  const { scheduler, gates, policies } = around
  const clock = scheduler.clockOf(machine)
  const ledger = await ledgerFor(machine, clock, around)
  const newId = () => hex(around.chance, 32)
  const tallies = new DecisionCounters(new Date(clock.now()).toISOString())
  const check = receiptChecks(ledger, ledger.reader)
  const governed = { ledger, check, gates, policies, clock, tallies, notify: async () => undefined }
  const governance = createGovernance(governed, { ...GOVERNING, newId })
  const reviews = createReviewQueue({
    ledger,
    check,
    clock,
    fourEyes: false,
    stepReviewed: stepReviewed(ledger.reader, check),
  })
  const pause = () => scheduler.turn(machine)
  const recorder = createRecorder(
    ledger,
    clock,
    optimisticRetry(clock, pause, () => () => undefined),
  )
  const { background, tasks } = backgroundOf()
  const sink = around.deliveries.sinkFor(machine)
  const stepping = createStepping(configOf(around), {
    ...{ ledger, recorder, governance, gates, policies, clock, background, sink },
    hasRegistry: () => true,
    freshSecret: () => hex(around.chance, 64),
  })
  const storeTime = around.exclusive ? clock.now : scheduler.storeTime
  const outbox = createOutbox({
    ...{ ledger, clock, sink, recorder, newId },
    attempted: () => undefined,
    storeNow: async () => storeTime(),
    build: { gitSha: { value: REVISION, source: 'git', readAt: '' } },
    isIntact: (namespace) => stepping.isIntact(namespace),
  })
  background.every('review-expiry', 0, () => reviews.sweep())
  background.every('gdw-drain', 0, () => outbox.drainAll())
  return Object.assign(machine, { clock, storeTime, ledger, recorder, reviews, stepping, outbox, tasks })
}

const configOf = ({ exclusive, quotas }: Environment) =>
  readConfig({
    ORCH_STORE: exclusive ? 'sqlite' : 'postgres',
    ...(exclusive ? {} : { ORCH_POSTGRES_URL: 'postgres://simulated/none' }),
    ...(quotas === null ? {} : { ORCH_GDW_QUOTAS: quotas }),
  })

const hex = (chance: Random, digits: number): string =>
  Array.from({ length: digits }, () => chance.below(16).toString(16)).join('')

function backgroundOf(): { background: Background; tasks: Map<string, () => Promise<void>> } {
  const tasks = new Map<string, () => Promise<void>>()
  const every = (name: string, _: number, work: () => Promise<void>) => void tasks.set(name, work)
  return { background: { every, tasks: () => [], stop: () => undefined }, tasks }
}

async function ledgerFor(machine: SimulatedMachine, clock: Clock, around: Environment): Promise<Ledger> {
  const { scheduler, database, exclusive } = around
  const store = database.storeFor(machine, exclusive)
  let readOnly: string | null = null
  const sequencer = new Sequencer(
    {
      ...{ store, allowUnsigned: true, nowMs: clock.now, stampMs: clock.now, onCommit: () => undefined },
      signer: { key: () => null, sign: async (messages) => messages.map(() => null) },
      onReadOnly: (reason) => {
        readOnly = reason
      },
    },
    await store.head(),
  )
  const reader = interrupted(readerOf(database.stored), machine, scheduler)
  const ledger: Pick<
    Ledger,
    | 'append'
    | 'writeDocuments'
    | 'reader'
    | 'state'
    | 'storeModes'
    | 'vkey'
    | 'reportBreak'
    | 'tail'
    | 'signer'
    | 'queries'
  > = {
    async append(draft, { idempotency = null, documents = [], counters = [] } = {}) {
      const { ns, chain, ts_utc: ts } = draft
      const sideWrites = companions(documents, counters)
      const outcome = await sequencer.append({
        ns,
        chain,
        ts,
        template: bodyTemplate(draft, null),
        idempotency,
        ...sideWrites,
      })
      await scheduler.turn(machine)
      if (!outcome.ok) throw refused(outcome)
      return outcome.appended
    },
    async writeDocuments(documents, counters = []) {
      const outcome = await sequencer.applySideWrites(companions(documents, counters))
      await scheduler.maybe(machine)
      if (outcome !== null) throw refused(outcome)
    },
    reader,
    queries: simulatedQueries(reader),
    state: () => ({
      ...{ size: 0, root: '', readOnly, broken: false, rolledBack: false, durability: 'DURABLE' },
      guard: { kind: 'data-folder', fault: null, blocking: false },
    }),
    storeModes: store.modes,
    vkey: SIMULATED_VKEY,
    reportBreak: (sentence) => assert.fail(sentence),
    signer: { kind: null, keyid: null, publicKeyPem: null, test: { ok: true, testedAt: '', reason: null } },
    tail: { verifiedFrom: 0, verifiedTo: 0, broken: null },
  }
  return ledger as Ledger
}

/** No walk goes along with a simulation. */
const simulatedQueries = (reader: LedgerReader) =>
  ({
    searchText: (text, from, tree) => searchText(reader, text, from, tree),
    sessionCharge: async () => null,
  }) satisfies Partial<LedgerQueries> as unknown as LedgerQueries

const companions = <D, C>(documents: readonly D[], counters: readonly C[]) => ({
  ...(documents.length > 0 ? { documents } : {}),
  ...(counters.length > 0 ? { counters } : {}),
})

function refused({ code, message, counter }: Refusal): ServiceError {
  const place = counter && { space: counter.space, key: counter.key, limit: counter.limit }
  return new ServiceError(code, message, place === undefined ? {} : { extra: { quota: place } })
}

/** Between any two reads others may have their turn. */
function interrupted(reader: LedgerReader, machine: SimulatedMachine, scheduler: Scheduler): LedgerReader {
  const names = Object.keys(reader) as (keyof LedgerReader)[]
  const requestHeaders = names.map((name) => {
    const read = reader[name] as (...args: unknown[]) => Promise<unknown>
    return [name, async (...args: unknown[]) => scheduler.maybe(machine).then(() => read(...args))]
  })
  return Object.fromEntries(requestHeaders) as LedgerReader
}
