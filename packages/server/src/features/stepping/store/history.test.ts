import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import type { DocumentQuery, DocumentRow, LedgerReader, Row } from '../../../ledger/contract.ts'
import type { StoredSession, StoredState } from '../contract.ts'
import { FIRST_PREV, STATE_SCHEMA, type StateRecord, stateHash } from '../rules/state.ts'
import { Histories } from './history.ts'
import { nameOf, type SessionPlace, sessionWrite, stateWrite } from './session-documents.ts'

const toSessionDocument = (row: DocumentRow) => ({ row, session: JSON.parse(row.value) as StoredSession })

const place: SessionPlace = { namespace: 'public', owner: 'local', sessionId: 's' }
const check = async (row: Row) => ({ digest: sha256Hex(row.body), signature: null })
const AT = '2026-01-01T00:00:00.000Z'

/** The receipt of one step, as far as it is looked at. */
function receiptOf(nodeIndex: number, payload: Record<string, unknown>): Row {
  const body = new TextEncoder().encode(JSON.stringify({ kind: 'step', actor: {}, payload }))
  return { nodeIndex, ns: 'public', chain: 'gdw', body, digest: sha256Hex(body) } as unknown as Row
}

function buildRecord(step: number, prev: string, salt: string): StateRecord {
  return {
    ...{ schema: STATE_SCHEMA, namespace: 'public', owner_id: 'local', session_id: 's', step, prev_state_hash: prev },
    ...{ request_digest: sha256Hex(salt), decision: step % 2 ? 'allow' : 'review', mode: 'kda_local', estimate: 10 },
    ...{ spent: 10 * Math.ceil(step / 2), budget: 350_000, granted: 0, policy_sha256: FIRST_PREV, risk_model: 'x' },
  } as StateRecord
}

/** A session of so many steps; `salt` makes another one of the same length. */
function sessionOf(steps: number, salt = 'a', settled: StoredSession['settled'] = {}) {
  const rows: DocumentRow[] = []
  const receipts: Row[] = []
  let prev = FIRST_PREV
  for (let step = 1; step <= steps; step++) {
    const record = buildRecord(step, prev, salt)
    const prev_receipt = receipts.at(-1)?.digest ?? FIRST_PREV
    const state: StoredState = {
      ...{ record, state_hash: stateHash(record), review: null, created_at: '', prev_receipt },
      ...{ shingles: [`${salt}${step}`], asked: [], forbidden: [] },
    }
    const { expect: _, ...write } = stateWrite(place, state)
    rows.push({ ...write, version: 1, value: write.value!, nodeIndex: step })
    prev = state.state_hash
    const { spent, budget, granted } = record
    const session = { session_id: 's', step, state_hash: prev, spent, budget, granted, settled, updated_at: AT }
    const head = sessionWrite(place, step, session as unknown as StoredSession)
    const bound = { session_head_sha256: sha256Hex(head.value!), state_document_sha256: sha256Hex(write.value!) }
    const links = { session_prev_receipt: prev_receipt, session_prev_event: prev_receipt, word_key: 'k' }
    receipts.push(receiptOf(step, { session: nameOf(place), step, state_hash: prev, ...bound, ...links }))
    if (step === steps)
      return {
        rows,
        receipts,
        head: toSessionDocument({ ...head, version: step, value: head.value!, nodeIndex: step }),
      }
  }
  throw new RangeError('a session has steps')
}

function readerOf(stored: { rows: DocumentRow[]; receipts: Row[] }) {
  const asked: DocumentQuery[] = []
  const reader = {
    async documents(query: DocumentQuery) {
      asked.push(query)
      const from = query.after?.rank ?? -1
      return stored.rows.filter(({ rank }) => rank > from && rank <= (query.upTo ?? rank)).slice(0, query.limit)
    },
    byIndex: async (index: number) => stored.receipts[index - 1] ?? null,
    byDigest: async (digest: string) => stored.receipts.find((row) => row.digest === digest) ?? null,
  } as unknown as LedgerReader
  return { reader, asked }
}

test('a session is read once, then only what came since, and each step has its receipt', async () => {
  const stored = sessionOf(600)
  const { reader, asked } = readerOf(stored)
  const histories = new Histories(reader, check)
  const { steps, lastReceipt } = await histories.of(place, stored.head)
  assert.equal(steps.length, 600)
  for (const { step, receipt_digest } of steps) assert.equal(receipt_digest, stored.receipts[step - 1]?.digest)
  assert.equal(lastReceipt, stored.receipts.at(-1)?.digest)
  const requestHeaders = asked.length
  await histories.of(place, stored.head)
  assert.equal(asked.length, requestHeaders, 'kept')
  const longer = sessionOf(602)
  Object.assign(stored, longer)
  assert.equal((await histories.of(place, longer.head)).steps.length, 602)
  assert.equal(asked.length, requestHeaders + 1)
  assert.equal(asked.at(-1)?.after?.rank, 600)
})

test('the latest thousand are remembered and no more', async () => {
  const stored = sessionOf(1_203)
  const { steps } = await new Histories(readerOf(stored).reader, check).of(place, stored.head)
  assert.deepEqual([steps.length, steps[0]?.step, steps.at(-1)?.step], [1_000, 204, 1_203])
})

test('what sessions remember is bounded by its size: those used longest ago are read again', async () => {
  const stored = sessionOf(3)
  const { reader, asked } = readerOf(stored)
  const histories = new Histories(reader, check)
  const record = buildRecord(1, FIRST_PREV, 'a')
  // About two megabytes each, of six.
  const words = Array.from({ length: 50_000 }, (_, at) => `w${at}`)
  const remember = (sessionId: string) =>
    histories.extend(
      { ...place, sessionId },
      {
        ...{ record, state_hash: stateHash(record), review: null, created_at: '', prev_receipt: FIRST_PREV },
        ...{ shingles: words, asked: [], forbidden: [] },
      },
      FIRST_PREV,
    )
  await histories.of(place, stored.head)
  const once = asked.length
  for (const name of ['one', 'two', 'three']) remember(name)
  await histories.of(place, stored.head)
  assert.equal(asked.length, once, 'three used since leave it room')
  for (const name of ['four', 'five', 'six', 'seven']) remember(name)
  assert.equal((await histories.of(place, stored.head)).steps.length, 3)
  assert.ok(asked.length > once, 'four used since do not')
})

test('a step under review stands as people left it', async () => {
  const stored = sessionOf(4, 'a', { 2: 'allow', 4: 'deny' })
  const { steps } = await new Histories(readerOf(stored).reader, check).of(place, stored.head)
  assert.deepEqual(
    steps.map(({ verdict }) => verdict),
    ['allow', 'allow', 'allow', 'deny'],
  )
})

test('a store that was restored to another history is read anew, whatever was kept', async () => {
  const stored = sessionOf(5)
  const { reader } = readerOf(stored)
  const histories = new Histories(reader, check)
  await histories.of(place, stored.head)
  const other = sessionOf(7, 'b')
  Object.assign(stored, other)
  const { steps } = await histories.of(place, other.head)
  assert.deepEqual(steps.at(0)?.shingles, ['b1'])
  assert.equal(steps[0]?.receipt_digest, other.receipts[0]?.digest)
})

const altered = (row: DocumentRow, from = 'kda_local', to = 'mla_global') =>
  Object.assign(row, { value: row.value.replace(from, to) })
const headed = ({ head }: ReturnType<typeof sessionOf>, change: Partial<StoredSession>) =>
  Object.assign(head, toSessionDocument({ ...head.row, value: JSON.stringify({ ...head.session, ...change }) }))
const breaks: [what: string, edit: (stored: ReturnType<typeof sessionOf>) => unknown][] = [
  ['a step is missing', ({ rows }) => rows.splice(2, 1)],
  ['the newest step is missing', ({ rows }) => rows.pop()],
  ['a record was altered', ({ rows }) => altered(rows[2]!)],
  ['remembered words were altered', ({ rows }) => altered(rows[2]!, '"a3"', '"x"')],
  ['the head names another state', (stored) => headed(stored, { state_hash: FIRST_PREV })],
  ['the head says less was spent', (stored) => headed(stored, { spent: stored.head.session.spent - 1 })],
  ['the head has a larger budget', (stored) => headed(stored, { budget: stored.head.session.budget + 1 })],
  ['the head grants itself more', (stored) => headed(stored, { granted: 1 })],
  ['the head settles what nobody settled', (stored) => headed(stored, { settled: { 2: 'allow' } })],
  ['the head is listed as of another time', ({ head }) => Object.assign(head.row, { rank: head.row.rank + 1 })],
  ['the head came with another receipt', ({ head }) => Object.assign(head.row, { nodeIndex: 3 })],
  ['the receipt of a step is gone', ({ receipts }) => receipts.splice(2, 1, receiptOf(3, {}))],
]
for (const [what, edit] of breaks)
  test(`nothing is decided where ${what}`, async () => {
    const stored = sessionOf(6)
    edit(stored)
    await assert.rejects(new Histories(readerOf(stored).reader, check).of(place, stored.head), {
      code: 'session_chain_broken',
    })
  })
