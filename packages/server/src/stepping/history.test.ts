import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import { FIRST_PREV, STATE_SCHEMA, type StateRecord, stateHash } from '../domain/stepping/state.ts'
import type { DocumentQuery, DocumentRow, LedgerReader } from '../ledger-contract.ts'
import type { StoredSession, StoredState } from '../stepping-contract.ts'
import { Histories } from './history.ts'
import { type SessionPlace, stateWrite } from './session-documents.ts'

const place: SessionPlace = { namespace: 'public', owner: 'local', sessionId: 's' }
const receiptOf = (salt: string, step: number) => sha256Hex(`${salt} ${step}`)

function recordOf(step: number, prev: string, salt: string): StateRecord {
  return {
    ...{ schema: STATE_SCHEMA, namespace: 'public', owner_id: 'local', session_id: 's', step, prev_state_hash: prev },
    ...{ request_digest: sha256Hex(salt), decision: step % 2 ? 'allow' : 'review', mode: 'kda_local', estimate: 10 },
    ...{ spent: 10 * Math.ceil(step / 2), budget: 350_000, granted: 0, policy_sha256: FIRST_PREV, risk_model: 'x' },
  } as StateRecord
}

/** A session of so many steps; `salt` makes another one of the same length. */
function sessionOf(steps: number, salt = 'a') {
  const rows: DocumentRow[] = []
  let prev = FIRST_PREV
  for (let step = 1; step <= steps; step++) {
    const record = recordOf(step, prev, salt)
    const state: StoredState = {
      ...{ record, state_hash: stateHash(record), review: null, created_at: '' },
      prev_receipt: step === 1 ? FIRST_PREV : receiptOf(salt, step - 1),
      ...{ shingles: [`${salt}${step}`], asked: [], forbidden: [] },
    }
    const { expect: _, ...write } = stateWrite(place, state)
    rows.push({ ...write, version: 1, value: write.value!, nodeIndex: step })
    prev = state.state_hash
  }
  const { spent, budget, granted } = recordOf(steps, prev, salt)
  const head = { step: steps, state_hash: prev, spent, budget, granted, settled: {} } as unknown as StoredSession
  return { rows, head, salt }
}

function readerOf(stored: { rows: DocumentRow[]; salt: string }) {
  const asked: DocumentQuery[] = []
  const reader = {
    async documents(query: DocumentQuery) {
      asked.push(query)
      const from = query.after?.rank ?? -1
      return stored.rows.filter(({ rank }) => rank > from && rank <= (query.upTo ?? rank)).slice(0, query.limit)
    },
    byIndex: async (index: number) => ({ digest: receiptOf(stored.salt, index) }),
  } as unknown as LedgerReader
  return { reader, asked }
}

test('a session is read once, then only what came since, and each step has its receipt', async () => {
  const stored = sessionOf(600)
  const { reader, asked } = readerOf(stored)
  const histories = new Histories(reader)
  const { steps, lastReceipt } = await histories.of(place, stored.head)
  assert.equal(steps.length, 600)
  for (const { step, receipt_digest } of steps) assert.equal(receipt_digest, receiptOf('a', step))
  assert.equal(lastReceipt, receiptOf('a', 600))
  const reads = asked.length
  await histories.of(place, stored.head)
  assert.equal(asked.length, reads, 'kept')
  const longer = sessionOf(602)
  stored.rows = longer.rows
  assert.equal((await histories.of(place, longer.head)).steps.length, 602)
  assert.equal(asked.length, reads + 1)
  assert.equal(asked.at(-1)?.after?.rank, 600)
})

test('the latest thousand are remembered and no more', async () => {
  const stored = sessionOf(1_203)
  const { steps } = await new Histories(readerOf(stored).reader).of(place, stored.head)
  assert.deepEqual([steps.length, steps[0]?.step, steps.at(-1)?.step], [1_000, 204, 1_203])
})

test('a step under review stands as people left it', async () => {
  const stored = sessionOf(4)
  const head = { ...stored.head, settled: { 2: 'allow' as const, 4: 'deny' as const } }
  const { steps } = await new Histories(readerOf(stored).reader).of(place, head)
  assert.deepEqual(
    steps.map(({ standing }) => standing),
    ['allow', 'allow', 'allow', 'deny'],
  )
})

test('a store that was restored to another history is read anew, whatever was kept', async () => {
  const stored = sessionOf(5)
  const { reader } = readerOf(stored)
  const histories = new Histories(reader)
  await histories.of(place, stored.head)
  const other = sessionOf(7, 'b')
  Object.assign(stored, { rows: other.rows, salt: 'b' })
  const { steps } = await histories.of(place, other.head)
  assert.deepEqual(steps.at(0)?.shingles, ['b1'])
  assert.equal(steps[0]?.receipt_digest, receiptOf('b', 1))
})

const altered = (row: DocumentRow) => Object.assign(row, { value: row.value.replace('kda_local', 'mla_global') })
const breaks: [what: string, edit: (stored: ReturnType<typeof sessionOf>) => unknown][] = [
  ['a step is missing', ({ rows }) => rows.splice(2, 1)],
  ['the newest step is missing', ({ rows }) => rows.pop()],
  ['a record was altered', ({ rows }) => altered(rows[2]!)],
  ['the head names another state', ({ head }) => Object.assign(head, { state_hash: FIRST_PREV })],
  ['the head says less was spent', ({ head }) => Object.assign(head, { spent: head.spent - 1 })],
  ['the head has a larger budget', ({ head }) => Object.assign(head, { budget: head.budget + 1 })],
]
for (const [what, edit] of breaks)
  test(`nothing is decided where ${what}`, async () => {
    const stored = sessionOf(6)
    edit(stored)
    await assert.rejects(new Histories(readerOf(stored).reader).of(place, stored.head), {
      code: 'session_chain_broken',
    })
  })
