// Counters over every store: they move with a receipt or not at all, and never past their limit.

import assert from 'node:assert/strict'
import { sha256Hex } from '@orch/core'
import fc from 'fast-check'
import {
  appendTogether,
  assertAppended,
  breakable,
  codeOf,
  keyed,
  secondNode,
  sequencerOn,
  switchedSigner,
} from '#testing/ledger-sequencers.ts'
import { entryOf, moveOf, type OpenLedger, RING_KEY, storeSuite, writeOf } from '#testing/ledger-stores.ts'
import type { CounterMove, LedgerReader } from './contract.ts'
import type { Sequencer } from './sequencer.ts'
import type { LedgerStore } from './store/store.ts'
import type { Entry } from './types.ts'

const SEED = 23
const everyStore = storeSuite((ledger) => ledger.store.putKey(RING_KEY))
const onShared = (sentence: string, check: (ledger: OpenLedger) => Promise<void>) =>
  everyStore(sentence, check, ({ shared }) => shared)

const moving = (n: number, ...counters: CounterMove[]) => entryOf('a', n, { counters })
const counted = (reader: LedgerReader, name: string) => reader.counter(moveOf(name).space, sha256Hex(name))
const sizeOf = async (reader: LedgerReader) => (await reader.head()).size

everyStore('a counter moves with its receipt, up and down, and one never moved is 0', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(
    await sequencer.append(moving(0, moveOf('a', { add: 5, limit: 10 }), moveOf('b', { add: 2 ** 53 - 1 }))),
  )
  assertAppended(await sequencer.append(moving(1, moveOf('a', { add: 5, limit: 10, owner: 'public/later' }))))
  assert.deepEqual([await counted(ledger.reader, 'a'), await counted(ledger.reader, 'b')], [10, 2 ** 53 - 1])
  assertAppended(
    await sequencer.append(moving(2, moveOf('a', { add: -10, limit: 0 }), moveOf('c', { add: 0, limit: 0 }))),
  )
  assert.deepEqual([await counted(ledger.reader, 'a'), await counted(ledger.reader, 'c')], [0, 0])
  const rows = await ledger.reader.countersAfter(null, 10)
  const expected = ['a', 'b'].map((name) => ({
    space: 'test.quota',
    key: sha256Hex(name),
    owner: 'public/local',
    value: name === 'a' ? 0 : 2 ** 53 - 1,
  }))
  assert.deepEqual(
    rows,
    expected.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  )
  assert.deepEqual(await ledger.reader.countersAfter(rows[0]!, 10), rows.slice(1))
})

everyStore('several counters are read by one question, in the order they were asked for', async (ledger) => {
  const { space } = moveOf('a')
  const keys = ['b', 'never', 'a', 'b'].map((name) => sha256Hex(name))
  assert.deepEqual(await ledger.reader.counters(space, keys), [0, 0, 0, 0])
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(moving(0, moveOf('a', { add: 5 }), moveOf('b', { add: 7 }))))
  assertAppended(await sequencer.append(moving(1, moveOf('a', { add: 1, space: 'test.other' }))))
  assert.deepEqual(await ledger.reader.counters(space, keys), [7, 0, 5, 7])
  assert.deepEqual(await ledger.reader.counters('test.other', keys.slice(2)), [1, 0])
})

everyStore('a move without room leaves no receipt, no document and no other counter', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(
    await sequencer.append(moving(0, moveOf('full', { add: 3, limit: 3 }), moveOf('top', { add: 2 ** 53 - 1 }))),
  )
  const hopeless = [
    moveOf('full', { limit: 3 }),
    moveOf('full', { add: 0, limit: 2 }),
    moveOf('full', { add: -4 }),
    moveOf('new', { add: -1 }),
    moveOf('new', { add: 2, limit: 1 }),
    moveOf('top'),
  ]
  for (const move of hopeless) {
    const entry = { counters: [moveOf('other'), move], documents: [writeOf('d')] }
    const outcome = await sequencer.append(entryOf('a', 1, entry))
    assert.equal(codeOf(outcome), 'quota_exceeded')
    assert.deepEqual(outcome.ok ? null : outcome.counter, move)
    const alone = await sequencer.applySideWrites(entry)
    assert.deepEqual([alone?.code, alone?.counter], ['quota_exceeded', move])
  }
  assert.deepEqual(await Promise.all(['full', 'other', 'new'].map((name) => counted(ledger.reader, name))), [3, 0, 0])
  assert.equal(await ledger.reader.document('test.thing', sha256Hex('d')), null)
  assert.equal(await sizeOf(ledger.reader), 1)
  assert.equal(assertAppended(await sequencer.append(entryOf('a', 2))).seq, 1)
})

everyStore('under a limit that was lowered nothing is taken, and giving back still goes', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(moving(0, moveOf('a', { add: 100, limit: 100 }))))
  const attempts = [moveOf('a', { limit: 50 }), moveOf('a', { add: -60, limit: 10 }), moveOf('a', { limit: 50 })]
  const outcomes = []
  for (const move of attempts) outcomes.push(codeOf(await sequencer.append(moving(1, move))))
  assert.deepEqual(outcomes, ['quota_exceeded', 'ok', 'ok'])
  assert.equal(await counted(ledger.reader, 'a'), 41)
})

everyStore(
  'many of one batch move one counter in one write, and who finds it full is refused alone',
  async (ledger) => {
    const writes: number[] = []
    const store: LedgerStore = {
      ...ledger.store,
      write: (batch) => ledger.store.write(batch).then(() => void writes.push(batch.counters?.length ?? 0)),
    }
    const sequencer = await sequencerOn(store)
    const entries = Array.from({ length: 200 }, (_, n) => moving(n, moveOf('a', { limit: 150 }), moveOf(`own ${n}`)))
    const outcomes = (await appendTogether(sequencer, entries)).map(codeOf)
    assert.deepEqual(
      outcomes,
      entries.map((_, n) => (n < 150 ? 'ok' : 'quota_exceeded')),
    )
    assert.deepEqual(writes, [151])
    assert.equal(await counted(ledger.reader, 'a'), 150)
    assert.deepEqual([await counted(ledger.reader, 'own 149'), await counted(ledger.reader, 'own 150')], [1, 0])
    assert.equal(await sizeOf(ledger.reader), 150)
  },
)

everyStore('what one of a batch gives back the next of it may take', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(moving(0, moveOf('a', { add: 2, limit: 2 }))))
  const adds = [1, -1, 1, 1]
  const entries = adds.map((add, n) => moving(n, moveOf('a', { add, limit: 2 })))
  const outcomes = (await appendTogether(sequencer, entries)).map(codeOf)
  assert.deepEqual(outcomes, ['quota_exceeded', 'ok', 'ok', 'quota_exceeded'])
  assert.equal(await counted(ledger.reader, 'a'), 2)
})

everyStore('whoever decided on an old document hears that before anything of a quota', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(entryOf('a', 0, { documents: [writeOf('d')] })))
  const both = { documents: [writeOf('d')], counters: [moveOf('a', { limit: 0 })] }
  assert.equal(codeOf(await sequencer.append(entryOf('a', 1, both))), 'state_conflict')
  assert.equal((await sequencer.applySideWrites(both))?.code, 'state_conflict')
})

everyStore('a signer that does not answer moves nothing, and nobody lost to what never was', async (ledger) => {
  const own = switchedSigner()
  const sequencer = await sequencerOn(ledger.store, { signer: own })
  own.fails = true
  const entries = [0, 1].map((n) => moving(n, moveOf('a', { limit: 1 })))
  assert.deepEqual((await appendTogether(sequencer, entries)).map(codeOf), ['signer_unavailable', 'signer_unavailable'])
  assert.equal(await counted(ledger.reader, 'a'), 0)
  own.fails = false
  assert.deepEqual((await appendTogether(sequencer, entries)).map(codeOf), ['ok', 'quota_exceeded'])
})

for (const step of ['lock', 'write', 'commit'])
  everyStore(`a store that fails at ${step} moves no counter`, async (ledger, kind) => {
    const store = breakable(ledger.store)
    const sequencer = await sequencerOn(store)
    assertAppended(await sequencer.append(moving(0, moveOf('a', { limit: 2 }))))
    store.broken = step
    const code = kind.shared ? 'store_unavailable' : 'ledger_read_only'
    const entries = [1, 2].map((n) => moving(n, moveOf('a', { limit: 2 })))
    assert.deepEqual((await appendTogether(sequencer, entries)).map(codeOf), [code, code])
    assert.equal(await counted(ledger.reader, 'a'), 1)
    store.broken = null
    if (!kind.shared) return
    assert.deepEqual((await appendTogether(sequencer, entries)).map(codeOf), ['ok', 'quota_exceeded'])
  })

everyStore('a replay moves nothing, and a key refused for its quota is free', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const entry = (limit: number): Entry =>
    entryOf('a', 0, { idempotency: keyed(1), counters: [moveOf('a', { add: 2, limit })] })
  const outcomes = await appendTogether(sequencer, [entry(1), entry(3), entry(3)])
  assert.deepEqual(outcomes.map(codeOf), ['quota_exceeded', 'ok', 'ok'])
  assert.equal(assertAppended(outcomes[2]!).replayed, 'answer 1')
  assert.equal(assertAppended(await sequencer.append(entry(3))).replayed, 'answer 1')
  assert.equal(await counted(ledger.reader, 'a'), 2)
})

everyStore('moves without a receipt go in one transaction, each whole or not at all', async (ledger) => {
  const commits: string[] = []
  const store = { ...ledger.store, commit: () => ledger.store.commit().then(() => void commits.push('one')) }
  const sequencer = await sequencerOn(store)
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      sequencer.applySideWrites({ documents: [writeOf(`d${n}`)], counters: [moveOf('a', { limit: 60 })] }),
    ),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome?.code ?? 'ok'),
    outcomes.map((_, n) => (n < 60 ? 'ok' : 'quota_exceeded')),
  )
  assert.deepEqual(commits, ['one'])
  assert.equal(await counted(ledger.reader, 'a'), 60)
  assert.equal(await ledger.reader.countDocuments({ space: 'test.thing' }), 60)
})

/** Both ways, with and without receipts; says how many went through. */
async function take(sequencer: Sequencer, n: number, move: CounterMove): Promise<number> {
  const refused = n % 3 === 0 ? await sequencer.applySideWrites({ counters: [move] }) : null
  const outcome = n % 3 === 0 ? (refused ?? { ok: true as const }) : await sequencer.append(moving(n, move))
  assert.ok(outcome.ok || outcome.code === 'quota_exceeded')
  return outcome.ok ? 1 : 0
}

onShared('400 at once over two nodes take exactly what there is, and nobody decides twice', async (ledger) => {
  await secondNode(ledger, async (second) => {
    const nodes = [await sequencerOn(ledger.store), await sequencerOn(second)]
    const move = moveOf('a', { limit: 250 })
    const taken = await Promise.all(Array.from({ length: 400 }, (_, n) => take(nodes[n % 2]!, n, move)))
    assert.equal(
      taken.reduce((sum, one) => sum + one, 0),
      250,
    )
    assert.equal(await counted(ledger.reader, 'a'), 250)
  })
})

everyStore('random moves in random batches end where plain arithmetic does', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const model = new Map<string, number>()
  const move = fc.record({
    name: fc.constantFrom('p', 'q', 'r'),
    add: fc.integer({ min: -4, max: 6 }),
    limit: fc.constantFrom(null, 0, 5, 12),
  })
  const expected = (asked: { name: string; add: number; limit: number | null }[]) => {
    const fits = asked.every(({ name, add, limit }) => {
      const next = (model.get(name) ?? 0) + add
      return add < 0 ? next >= 0 : limit === null || next <= limit
    })
    if (fits) for (const { name, add } of asked) model.set(name, (model.get(name) ?? 0) + add)
    return fits ? 'ok' : 'quota_exceeded'
  }
  const entry = fc.uniqueArray(move, { selector: ({ name }) => name, minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 12 }), async (batch) => {
      const entries = batch.map((asked, n) => moving(n, ...asked.map(({ name, ...over }) => moveOf(name, over))))
      const outcomes = (await appendTogether(sequencer, entries)).map(codeOf)
      assert.deepEqual(outcomes, batch.map(expected))
      for (const [name, value] of model) assert.equal(await counted(ledger.reader, name), value)
    }),
    { seed: SEED, numRuns: 25 },
  )
})

everyStore(
  'the store itself refuses a change that does not start from the value it holds',
  async ({ store, reader }) => {
    const change = { space: 'test.quota', key: sha256Hex('a'), owner: 'public/local' }
    const attempt = async (from: number | null, value: number, end: 'commit' | 'rollback') => {
      await store.lock()
      await store.writeCounters([{ ...change, from, value }]).finally(() => end === 'rollback' && store.rollback())
      if (end === 'commit') await store.commit()
    }
    await attempt(null, 4, 'commit')
    await assert.rejects(attempt(null, 5, 'rollback'), /unique/i)
    await assert.rejects(attempt(3, 5, 'rollback'), /not at the value/)
    await assert.rejects(attempt(4, -1, 'rollback'), /check/i)
    assert.equal(await counted(reader, 'a'), 4)
  },
)

everyStore('entries without counters ask nothing about counters', async (ledger) => {
  const store: LedgerStore = { ...ledger.store, counterValues: () => assert.fail('nobody asked for it') }
  const sequencer = await sequencerOn(store)
  for (let n = 0; n < 3; n += 1)
    assertAppended(await sequencer.append(entryOf('a', n, { documents: [writeOf(`d${n}`)] })))
})

everyStore('a ledger last written before there were counters is read as one without', async ({ reader, sql }) => {
  await sql('DROP TABLE {counters}')
  assert.deepEqual([await counted(reader, 'a'), await reader.countersAfter(null, 5)], [0, []])
})

onShared('a ledger from before there were counters gets them when it is opened', async (ledger) => {
  await ledger.sql('DROP TABLE {counters}')
  await secondNode(ledger, async (second) => {
    assertAppended(await (await sequencerOn(second)).append(moving(0, moveOf('a'))))
    assert.equal(await counted(ledger.reader, 'a'), 1)
  })
})
