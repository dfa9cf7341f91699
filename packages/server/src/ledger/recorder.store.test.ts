import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { writeOf } from '#testing/ledger-stores.ts'
import { freshFolder } from '#testing/private-folder.ts'
import type { Call, Reply } from '../operation.ts'
import { systemClock } from '../platform/clock.ts'
import type { Draft, Ledger, Recorder } from '../ports.ts'
import { openLedger } from './ledger.ts'
import { optimisticRetry } from './optimistic-retry.ts'
import { createRecorder } from './recorder.ts'

async function recording(t: TestContext): Promise<{ ledger: Ledger; recorder: Recorder }> {
  const data = freshFolder('recorder')
  const ledger = await openLedger(settingsFor(data, { store: 'memory' }))
  t.after(async () => {
    await ledger.close()
    rmSync(data, { recursive: true, force: true })
  })
  return { ledger, recorder: createRecorder(ledger, systemClock) }
}

const call = (body: unknown, key?: string): Call => ({
  params: null,
  query: null,
  body,
  headers: key === undefined ? {} : { 'idempotency-key': key },
  caller: { namespace: 'public', owner: 'local', keyId: null, authMode: 'open', scopes: new Set() },
  requestId: 'r',
  inputSource: 'CALLER',
  signal: new AbortController().signal,
})

const COUNTER = writeOf('counter')
const counter = (ledger: Ledger) => ledger.reader.document(COUNTER.space, COUNTER.key)

/** One more than what is stored now. */
async function increment(ledger: Ledger): Promise<Draft> {
  const { version = 0, value = '0' } = (await counter(ledger)) ?? {}
  const count = Number(value) + 1
  return {
    chain: 'counter',
    kind: 'mint',
    payload: { count },
    answer: { count },
    documents: [{ ...COUNTER, expect: version, value: String(count) }],
  }
}

const countOf = (reply: Reply): number => (reply.body as { count: number }).count

test('200 requests at once on one document are all recorded, each on what the one before it left', async (t) => {
  const { ledger, recorder } = await recording(t)
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, n) => recorder.record(call(n), 'test.count', () => increment(ledger))),
  )
  const counts = replies.map(countOf).sort((a, b) => a - b)
  assert.deepEqual(
    counts,
    Array.from({ length: 200 }, (_, n) => n + 1),
  )
  for (const { body } of await ledger.reader.range(0, 300)) {
    const { seq, payload } = JSON.parse(Buffer.from(body).toString()) as { seq: number; payload: { count: number } }
    assert.equal(payload.count, seq + 1)
  }
  assert.equal((await counter(ledger))?.version, 200)
})

test('what changed under a decision is decided again, on what it is now', async (t) => {
  const { ledger, recorder } = await recording(t)
  let runs = 0
  const work = async () => {
    const draft = await increment(ledger)
    runs += 1
    if (runs < 4) await ledger.writeDocuments([{ ...COUNTER, expect: runs - 1, value: String(runs * 10) }])
    return draft
  }
  assert.equal(countOf(await recorder.record(call(1), 'test.count', work)), 31)
  assert.equal(runs, 4)
  assert.equal(ledger.state().size, 1)
})

test('what changes under every decision is given up after five seconds and leaves nothing', async (t) => {
  const { ledger } = await recording(t)
  let now = 0
  const retryOnConflict = optimisticRetry({ monotonic: () => now }, async () => undefined)
  const recorder = createRecorder(ledger, systemClock, retryOnConflict)
  let runs = 0
  const work = async () => {
    const draft = await increment(ledger)
    await ledger.writeDocuments([{ ...COUNTER, expect: runs, value: '0' }])
    runs += 1
    now += 250
    return draft
  }
  await assert.rejects(recorder.record(call(1), 'test.count', work), { code: 'state_conflict', status: 409 })
  // The first, outside of its turn, and one for each quarter of a second of its turn.
  assert.equal(runs, 1 + 20)
  const stepping = async (): Promise<Draft> => ({ ...(await work()), busy: 'session_busy' })
  await assert.rejects(recorder.record(call(1), 'test.count', stepping), {
    code: 'session_busy',
    status: 503,
    headers: { 'retry-after': '1' },
  })
  assert.equal((await ledger.reader.head()).size, 0)
  // Nobody is left waiting for a turn.
  assert.equal(countOf(await recorder.record(call(2), 'test.count', () => increment(ledger))), 1)
})

test('any other failure is not tried again', async (t) => {
  const { ledger, recorder } = await recording(t)
  let runs = 0
  const work = async () => {
    runs += 1
    return { ...(await increment(ledger)), documents: [{ ...COUNTER, key: 'no digest' }] }
  }
  await assert.rejects(recorder.record(call(1), 'test.count', work), /64 hex digits/)
  assert.equal(runs, 1)
})

test('50 equal requests under one key are one receipt, one change and one answer', async (t) => {
  const { ledger, recorder } = await recording(t)
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => recorder.record(call('same', 'key-1'), 'test.count', () => increment(ledger))),
  )
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1)
  assert.equal((await counter(ledger))?.version, 1)
  assert.equal((await ledger.reader.head()).size, 1)
})

test('appends of one owner share a counter without taking turns, and exactly the quota gets through', async (t) => {
  const { ledger, recorder } = await recording(t)
  const move = { space: 'test.quota', key: COUNTER.key, owner: COUNTER.owner, add: 1, limit: 30, retryAfter: 7 }
  let runs = 0
  const work = (): Draft => {
    runs += 1
    return { chain: 'quota', kind: 'mint', payload: { runs }, answer: {}, counters: [move] }
  }
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, n) => recorder.record(call(n), 'test.quota', work)),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.equal(refused.length, 70)
  const { space, key, limit } = move
  for (const { reason } of refused) {
    assert.deepEqual([reason.code, reason.status, reason.headers], ['quota_exceeded', 429, { 'retry-after': '7' }])
    assert.deepEqual(reason.extra, { quota: { space, key, limit } })
  }
  assert.equal(runs, 100, 'nobody decided twice')
  assert.equal(await ledger.reader.counter(move.space, move.key), 30)
  assert.equal((await ledger.reader.head()).size, 30)
})

test('a replay under a key moves no counter again', async (t) => {
  const { ledger, recorder } = await recording(t)
  const move = { space: 'test.quota', key: COUNTER.key, owner: COUNTER.owner, add: 5, limit: 8 }
  const work = (): Draft => ({ chain: 'quota', kind: 'mint', payload: {}, answer: {}, counters: [move] })
  for (let n = 0; n < 3; n += 1) await recorder.record(call('same', 'key-1'), 'test.quota', work)
  assert.equal(await ledger.reader.counter(move.space, move.key), 5)
})
