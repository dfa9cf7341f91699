// What each database refuses of governed stepping by itself, whoever writes to it.
import assert from 'node:assert/strict'
import { type OpenLedger, storeSuite } from '#testing/ledger-stores.ts'
import { buildRecord } from '#testing/stepping-effects.ts'
import { POSTGRES_WITHOUT_STEP_GUARDS } from '#testing/without-step-guards.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import { postgresStore } from '../../ledger/store/postgres/store.ts'
import type { StoredSession } from './contract.ts'
import { effectWrites } from './outbox/effect-documents.ts'
import { stateHash } from './rules/state.ts'
import { SESSION_SPACE, STATE_SPACE, sessionWrite, stateWrite } from './store/session-documents.ts'

const everyStore = storeSuite()
const onPostgres = (sentence: string, check: (ledger: OpenLedger) => Promise<void>) =>
  everyStore(sentence, check, ({ shared }) => shared)

// An id no database may trip over.
const PLACE = { namespace: 'public', owner: 'local', sessionId: 'a\u0000"spent":9,\u2028' }

async function put({ store }: OpenLedger, { expect, ...write }: DocumentWrite): Promise<void> {
  await store.lock()
  try {
    await store.writeDocuments([{ ...write, version: expect + 1, from: expect, nodeIndex: null }])
    await store.commit()
  } catch (error) {
    await store.rollback()
    throw error
  }
}

const at = '2026-01-01T00:00:00.000Z'
const sessionOf = (numbers: Partial<StoredSession>): StoredSession => ({
  session_id: PLACE.sessionId,
  step: 1,
  state_hash: 'a',
  prev_state_hash: 'b',
  budget: 350_000,
  granted: 0,
  spent: 0,
  pending_reviews: 0,
  approvals: {},
  settled: {},
  created_at: at,
  updated_at: at,
  ...numbers,
})
const sessionAt = (version: number, numbers: Partial<StoredSession> = {}): DocumentWrite =>
  sessionWrite(PLACE, version, sessionOf(numbers))

function stateOf(step: number): DocumentWrite {
  const record = buildRecord({ count: 1, session: PLACE.sessionId }, step)
  const rest = { prev_receipt: '0', review: null, shingles: [], asked: [], forbidden: [], created_at: at }
  return stateWrite(PLACE, { record, state_hash: stateHash(record), ...rest })
}

everyStore('a recorded step is not changed, moved, replaced or removed', async (ledger) => {
  await put(ledger, stateOf(1))
  await put(ledger, stateOf(2))
  const refused = [
    `UPDATE {documents} SET rank = 9 WHERE space = '${STATE_SPACE}'`,
    `UPDATE {documents} SET value = NULL WHERE space = '${STATE_SPACE}'`,
    `UPDATE {documents} SET space = 'elsewhere' WHERE space = '${STATE_SPACE}'`,
    `DELETE FROM {documents} WHERE space = '${STATE_SPACE}'`,
  ]
  for (const text of refused) await assert.rejects(async () => ledger.sql(text), /recorded steps are append-only/, text)
  const replaced =
    ledger.url === null ? 'INSERT OR REPLACE INTO documents SELECT * FROM documents' : 'TRUNCATE {documents}'
  await assert.rejects(async () => ledger.sql(replaced), /recorded steps are append-only/)
  await put(ledger, sessionAt(0))
  await assert.rejects(
    async () => ledger.sql(`UPDATE {documents} SET space = '${STATE_SPACE}' WHERE space = '${SESSION_SPACE}'`),
    /recorded steps are append-only/,
  )
  assert.equal(await ledger.reader.countDocuments({ space: STATE_SPACE }), 2)
})

const OVERSPENT: [what: string, numbers: Record<string, unknown>][] = [
  ['more than budget and grant', { spent: 350_001 }],
  ['less than nothing', { spent: -1 }],
  ['a grant above one', { granted: 650_001 }],
  ['a grant without end', { granted: 9_000_000_000 }],
  ['a grant below nothing', { granted: -1, budget: 10 }],
  ['a budget below nothing', { budget: -1, granted: 10 }],
  ['half a millionth', { spent: 0.5 }],
  ['a number in quotes', { spent: '5' }],
  ['no number at all', { spent: undefined }],
]

everyStore(
  'a session that spends more than it has, or has more than one, is neither opened nor written',
  async (ledger) => {
    const refusal = /spends no more than its budget/
    for (const [what, numbers] of OVERSPENT) await assert.rejects(put(ledger, sessionAt(0, numbers)), refusal, what)
    await put(ledger, sessionAt(0, { granted: 650_000, spent: 1_000_000 }))
    for (const [what, numbers] of OVERSPENT) await assert.rejects(put(ledger, sessionAt(1, numbers)), refusal, what)
    await put(ledger, sessionAt(1, { budget: 0, granted: 0 }))
  },
)

everyStore('two effects never have one id, and any number have none yet', async (ledger) => {
  const record = buildRecord({ count: 1, decision: 'allow', session: PLACE.sessionId }, 1)
  const effects = effectWrites(record, 0)
  assert.equal(effects.length, 2)
  for (const effect of effects) await put(ledger, effect)
  const named = (id: string) => (effect: DocumentWrite, version: number) => ({
    ...effect,
    expect: version,
    value: JSON.stringify({ ...JSON.parse(effect.value!), effect_id: id.repeat(64) }),
  })
  await put(ledger, named('a')(effects[0]!, 1))
  await assert.rejects(put(ledger, named('a')(effects[1]!, 1)), /unique/i)
  await put(ledger, named('b')(effects[1]!, 1))
})

onPostgres('a ledger made before these guards gets them, and one that lost them is not opened', async (ledger) => {
  const reopened = async () => {
    const store = postgresStore({ url: ledger.url! })
    await store.open()
    await store.close()
  }
  const functions = 'DROP FUNCTION orch.refuse_step_change; DROP FUNCTION orch.refuse_overspending'
  await ledger.sql(`${POSTGRES_WITHOUT_STEP_GUARDS} ${functions}; DROP TABLE {steps_guarded}`)
  await reopened()
  await put(ledger, stateOf(1))
  await assert.rejects(ledger.sql('DELETE FROM {documents}'), /recorded steps are append-only/)
  await ledger.sql('ALTER TABLE {documents} DISABLE TRIGGER steps_never_change')
  await assert.rejects(reopened(), /recorded steps and budgets/)
})
