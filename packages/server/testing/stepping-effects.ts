/** Recorded steps with their effects, put into a real ledger without the service that decides them; clocks and sinks
 *  that a test moves by hand. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { sha256Hex } from '@orch/core'
import pg from 'pg'
import type { Verdict } from '../src/domain/decision/verdict.ts'
import type { EffectArtifact, EffectSink } from '../src/features/stepping/contract.ts'
import {
  type EffectDocument,
  effectSpace,
  effectWrites,
  toEffectDocument,
} from '../src/features/stepping/outbox/effect-documents.ts'
import type { OutboxParts } from '../src/features/stepping/outbox/outbox.ts'
import { QUOTA_LIMITS, quotaMoves } from '../src/features/stepping/quotas.ts'
import { STATE_SCHEMA, type StateRecord, stateHash } from '../src/features/stepping/rules/state.ts'
import { stateWrite } from '../src/features/stepping/store/session-documents.ts'
import { openLedger } from '../src/ledger/ledger.ts'
import { LEDGER_FILE } from '../src/ledger/store/sqlite/store.ts'
import type { Clock, Ledger } from '../src/ports.ts'
import { settingsFor } from './ledger/crashes.ts'
import { type PostgresDatabases, postgresUnavailable, sharedPostgres } from './postgres.ts'
import { freshFolder } from './private-folder.ts'
import { POSTGRES_WITHOUT_STEP_GUARDS, SQLITE_WITHOUT_STEP_GUARDS } from './without-step-guards.ts'

/** The same test on a fresh ledger of each store; a server that was started stops with the file. */
export function steppingStores(name: string, kinds: readonly ('sqlite' | 'postgres')[] = ['sqlite', 'postgres']) {
  let server: Promise<PostgresDatabases> | null = null
  let databases = 0
  after(async () => (await server)?.stop())
  const postgresUrl = async (): Promise<string> => {
    server ??= sharedPostgres()
    databases += 1
    return (await server).createDatabase(`${name}_${databases}`)
  }
  const opened = async (t: TestContext, kind: 'sqlite' | 'postgres') => {
    const data = freshFolder(name)
    const url = kind === 'postgres' ? await postgresUrl() : null
    const store = url === null ? {} : { store: 'postgres' as const, postgresUrl: url }
    const ledger = await openLedger(settingsFor(data, store))
    t.after(async () => {
      await ledger.close()
      rmSync(data, { recursive: true, force: true })
    })
    const unguard = () => (url === null ? unguardFile(data) : unguardDatabase(url))
    return { ledger, unguard }
  }
  return (
    sentence: string,
    /** `unguard` has the database refuse nothing of stepping any more. */
    check: (ledger: Ledger, t: TestContext, unguard: () => Promise<void>) => Promise<void>,
  ): void => {
    for (const kind of kinds)
      test(`${kind}: ${sentence}`, async (t) => {
        const unavailable = kind === 'postgres' ? postgresUnavailable() : undefined
        if (unavailable) return t.skip(unavailable)
        const { ledger, unguard } = await opened(t, kind)
        await check(ledger, t, unguard)
      })
  }
}

/** The store of a data folder, as it is for whoever takes the guards of recorded steps away before he alters them. */
export async function unguardFile(data: string): Promise<void> {
  const db = new DatabaseSync(join(data, LEDGER_FILE), { timeout: 10_000 })
  db.exec(SQLITE_WITHOUT_STEP_GUARDS)
  db.close()
}

async function unguardDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(POSTGRES_WITHOUT_STEP_GUARDS)
  await client.end()
}

export interface Steps {
  namespace?: string
  owner?: string
  session?: string
  count: number
  decision?: Verdict
  /** When they were recorded, in milliseconds. */
  at?: number
}

const REVIEW = { review_id: 'rev_1', state: 'pending' }

/** Records steps 1 to `count` of a session, all at once. */
export async function recordSteps(ledger: Pick<Ledger, 'append'>, steps: Steps): Promise<void> {
  const { count, at = 0 } = steps
  await Promise.all(Array.from({ length: count }, (_, n) => recordStep(ledger, buildRecord(steps, n + 1), at + n)))
}

export function buildRecord(
  { namespace = 'public', owner = 'local', session = 's', decision = 'deny' }: Steps,
  step: number,
) {
  return {
    schema: STATE_SCHEMA,
    namespace,
    owner_id: owner,
    session_id: session,
    step,
    prev_state_hash: '0'.repeat(64),
    request_digest: sha256Hex(`${session} ${step}`),
    decision,
    mode: 'kda_local',
    estimate: 0,
    spent: 0,
    budget: 350_000,
    granted: 0,
    policy_sha256: '0'.repeat(64),
    risk_model: 'orch.gdw.risk/v1',
  } as const satisfies StateRecord
}

async function recordStep(ledger: Pick<Ledger, 'append'>, record: StateRecord, at: number): Promise<void> {
  const { namespace, owner_id: owner, session_id: sessionId, step, decision } = record
  const state = {
    record,
    state_hash: stateHash(record),
    prev_receipt: '0'.repeat(64),
    review: decision === 'review' ? REVIEW : null,
    shingles: [],
    asked: [],
    forbidden: [],
    created_at: new Date(at).toISOString(),
  }
  const effects = effectWrites(record, at)
  await ledger.append(
    {
      ns: namespace,
      chain: 'gdw',
      kind: 'step',
      ts_utc: new Date(at).toISOString(),
      request_id: `step-${step}`,
      actor: { owner, key_id: null, auth_mode: 'open' },
      policy: null,
      payload: { state_hash: state.state_hash },
    },
    {
      documents: [stateWrite({ namespace, owner, sessionId }, state), ...effects],
      counters: quotaMoves({ namespace, owner }, { effects: effects.length }, QUOTA_LIMITS),
    },
  )
}

export interface MovedClock extends Clock {
  time: number
}

/** Stands still until a test moves it. */
export const movedClock = (time = 1_000_000): MovedClock => ({
  time,
  now() {
    return this.time
  },
  monotonic() {
    return this.time
  },
})

export interface ListSink extends EffectSink {
  /** Ids in the order they arrived, repetitions included. */
  arrived: string[]
  /** What the next deliveries meet: a code to fail with, or null. */
  code(artifact: EffectArtifact): string | null
}

export function listSink(code: ListSink['code'] = () => null): ListSink {
  const arrived: string[] = []
  return {
    kind: 'web',
    name: 'list',
    arrived,
    code,
    async deliver(artifact) {
      const refused = this.code(artifact)
      if (refused !== null) throw Object.assign(new Error('refused'), { code: refused })
      arrived.push(artifact.effect_id)
    },
    delivered: null,
  }
}

export const outboxOn = (ledger: Ledger, clock: Clock, sink: EffectSink): OutboxParts => ({
  ledger,
  clock,
  storeNow: async () => clock.now(),
  sink,
  attempted: () => undefined,
})

export async function effectsIn(ledger: Pick<Ledger, 'reader'>, namespace = 'public'): Promise<EffectDocument[]> {
  const rows = await ledger.reader.documents({ space: effectSpace(namespace), order: 'asc', limit: 10_000 })
  return rows.map(toEffectDocument)
}
