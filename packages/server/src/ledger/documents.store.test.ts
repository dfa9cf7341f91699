// Documents over every store: they commit with a receipt or not at all, and of two writers one wins.

import assert from 'node:assert/strict'
import { sha256Hex } from '@orch/core'
import fc from 'fast-check'
import {
  appendAll,
  appendTogether,
  assertAppended,
  breakable,
  codeOf,
  keyed,
  secondNode,
  sequencerOn,
  signer,
  switchedSigner,
} from '#testing/ledger-sequencers.ts'
import { entryOf, moveOf, type OpenLedger, RING_KEY, storeSuite, writeOf } from '#testing/ledger-stores.ts'
import type { DocumentQuery, DocumentRow, DocumentWrite, LedgerReader } from './contract.ts'
import type { Sequencer } from './sequencer.ts'
import { MAX_DOCUMENT_BYTES } from './side-writes.ts'
import type { LedgerStore } from './store/store.ts'

const SEED = 17
const SPACE = 'test.thing'
const everyStore = storeSuite((ledger) => ledger.store.putKey(RING_KEY))
const onShared = (sentence: string, check: (ledger: OpenLedger) => Promise<void>) =>
  everyStore(sentence, check, ({ shared }) => shared)

const withDocuments = (n: number, ...documents: DocumentWrite[]) => entryOf('a', n, { documents })
const found = (reader: LedgerReader, name: string) => reader.document(SPACE, sha256Hex(name))
const sizeOf = async (reader: LedgerReader) => (await reader.head()).size

everyStore('a document is read back as it was written, with the receipt it was written with', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const value = '{"quote":"\\"\'","line":"\u2028","escaped":"\\u0000","rocket":"\ud83d\ude80"}'
  const write = writeOf('a', { value, owner: "public/o'wner \u00e9 \ud83d\ude80", rank: -(2 ** 53) + 1, state: 'x' })
  assertAppended(await sequencer.append(entryOf('a', 0)))
  assertAppended(await sequencer.append(withDocuments(1, write, writeOf('b', { rank: 2 ** 53 - 1 }))))
  const { expect, ...row } = write
  assert.deepEqual(await found(ledger.reader, 'a'), { ...row, version: 1, nodeIndex: 1 })
  assert.equal((await found(ledger.reader, 'b'))?.rank, 2 ** 53 - 1)
  assert.equal(await found(ledger.reader, 'c'), null)
  assert.equal(await ledger.reader.document('another', write.key), null)
})

everyStore('documents of a mebibyte each go through whole', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const value = JSON.stringify('\u20ac'.repeat((MAX_DOCUMENT_BYTES - 2) / 3))
  const names = Array.from({ length: 18 }, (_, n) => `large ${n}`)
  assertAppended(await sequencer.append(withDocuments(0, ...names.map((name) => writeOf(name, { value })))))
  for (const name of names) assert.equal((await found(ledger.reader, name))?.value, value)
})

everyStore('a document at another version is a conflict that leaves no receipt and no document', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(withDocuments(0, writeOf('a', { value: '1' }))))
  assertAppended(await sequencer.append(withDocuments(1, writeOf('a', { expect: 1, value: '2' }))))
  const before = await found(ledger.reader, 'a')
  for (const stale of [
    writeOf('a'),
    writeOf('a', { expect: 1 }),
    writeOf('a', { expect: 3 }),
    writeOf('b', { expect: 1 }),
  ])
    assert.equal(codeOf(await sequencer.append(withDocuments(2, writeOf('new'), stale))), 'state_conflict')
  assert.deepEqual(await found(ledger.reader, 'a'), before)
  assert.deepEqual([before?.version, before?.value, before?.nodeIndex], [2, '2', 1])
  assert.equal(await found(ledger.reader, 'new'), null)
  assert.equal(await sizeOf(ledger.reader), 2)
  assert.equal(assertAppended(await sequencer.append(entryOf('a', 3))).seq, 2)
})

everyStore('of two in one batch the first has the document, and what follows from it may follow', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const outcomes = await appendTogether(sequencer, [
    withDocuments(0, writeOf('a', { value: '"first"' })),
    withDocuments(1, writeOf('a', { value: '"second"' }), writeOf('b')),
    entryOf('a', 2),
    withDocuments(3, writeOf('a', { expect: 1, value: '"third"' })),
    withDocuments(4, writeOf('b', { value: '"free"' })),
  ])
  assert.deepEqual(outcomes.map(codeOf), ['ok', 'state_conflict', 'ok', 'ok', 'ok'])
  const [a, b] = [await found(ledger.reader, 'a'), await found(ledger.reader, 'b')]
  assert.deepEqual([a?.version, a?.value, a?.nodeIndex], [2, '"third"', 2])
  assert.deepEqual([b?.version, b?.value, b?.nodeIndex], [1, '"free"', 3])
  assert.equal(await sizeOf(ledger.reader), 4)
})

everyStore('whoever comes second in a batch hears of it when the first is durable', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const [first, second] = [0, 1].map((n) => withDocuments(n, writeOf('a', { value: String(n) })))
  const turn = sequencer.runExclusive(() => new Promise(setImmediate))
  const won = sequencer.append(first!)
  const seen = sequencer.append(second!).then(async (lost) => [codeOf(lost), (await found(ledger.reader, 'a'))?.value])
  await turn
  assertAppended(await won)
  assert.deepEqual(await seen, ['state_conflict', '0'])
})

/** Reads, adds one and writes, again and again until it went through; says how often that was too late. */
async function increment(reader: LedgerReader, sequencer: Sequencer, n: number): Promise<number> {
  for (let late = 0; ; late += 1) {
    const { version = 0, value = '0' } = (await found(reader, 'counter')) ?? {}
    const write = writeOf('counter', { expect: version, value: String(Number(value) + 1) })
    const outcome = await sequencer.append(withDocuments(n, write))
    if (outcome.ok) return late
    assert.equal(outcome.code, 'state_conflict')
  }
}

everyStore('200 increments at once of one document are 200 receipts and a count of 200', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const late = await Promise.all(Array.from({ length: 200 }, (_, n) => increment(ledger.reader, sequencer, n)))
  assert.ok(
    late.some((times) => times > 0),
    'they met',
  )
  const counter = await found(ledger.reader, 'counter')
  assert.deepEqual([counter?.value, counter?.version, counter?.nodeIndex], ['200', 200, 199])
  assert.equal(await sizeOf(ledger.reader), 200)
})

onShared('200 increments over two nodes are 200 receipts and a count of 200', async (ledger) => {
  await secondNode(ledger, async (second) => {
    const nodes = [await sequencerOn(ledger.store), await sequencerOn(second)]
    await Promise.all(Array.from({ length: 200 }, (_, n) => increment(ledger.reader, nodes[n % 2]!, n)))
    const counter = await found(ledger.reader, 'counter')
    assert.deepEqual([counter?.value, counter?.version, counter?.nodeIndex], ['200', 200, 199])
    assert.equal(await sizeOf(ledger.reader), 200)
  })
})

everyStore('documents among plain traffic are judged by what is durable, batch after batch', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const versions = [0, 0, 0]
  // Six hundred at once are three batches: in each the next version of a document is expected from the one before.
  const entries = Array.from({ length: 600 }, (_, n) => {
    if (n % 10 !== 0) return entryOf(`plain-${n % 3}`, n)
    const which = (n / 10) % 3
    return withDocuments(n, writeOf(`d${which}`, { expect: versions[which]!++, value: String(n) }))
  })
  for (const outcome of await appendAll(sequencer, entries)) assertAppended(outcome)
  for (const which of [0, 1, 2]) {
    const row = await found(ledger.reader, `d${which}`)
    assert.deepEqual([row?.version, row?.value, row?.nodeIndex], [20, String(570 + which * 10), 570 + which * 10])
  }
})

everyStore('a signer that does not answer leaves neither receipt nor document', async (ledger) => {
  const own = switchedSigner()
  const sequencer = await sequencerOn(ledger.store, { signer: own })
  own.fails = true
  const failed = await appendTogether(sequencer, [withDocuments(0, writeOf('a')), withDocuments(1, writeOf('a'))])
  // The second lost to nobody: what it heard is what happened to the batch.
  assert.deepEqual(failed.map(codeOf), ['signer_unavailable', 'signer_unavailable'])
  assert.deepEqual([await sizeOf(ledger.reader), await found(ledger.reader, 'a')], [0, null])
  own.fails = false
  assertAppended(await sequencer.append(withDocuments(2, writeOf('a'))))
  assert.equal((await found(ledger.reader, 'a'))?.version, 1)
})

for (const step of ['lock', 'write', 'commit'])
  everyStore(`a store that fails at ${step} keeps neither receipt nor document`, async (ledger, kind) => {
    const store = breakable(ledger.store)
    const sequencer = await sequencerOn(store)
    assertAppended(await sequencer.append(withDocuments(0, writeOf('a'))))
    store.broken = step
    const entries = [1, 2].map((n) => withDocuments(n, writeOf('a', { expect: 1 }), writeOf('b')))
    const code = kind.shared ? 'store_unavailable' : 'ledger_read_only'
    assert.deepEqual((await appendTogether(sequencer, entries)).map(codeOf), [code, code])
    assert.equal((await found(ledger.reader, 'a'))?.version, 1)
    assert.equal(await found(ledger.reader, 'b'), null)
    assert.equal(await sizeOf(ledger.reader), 1)
    store.broken = null
    const next = codeOf(await sequencer.append(entries[0]!))
    assert.equal(next, kind.shared ? 'ok' : 'ledger_read_only')
  })

everyStore('a replay writes no documents, whatever became of them meanwhile', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const entry = entryOf('a', 0, { idempotency: keyed(1), documents: [writeOf('a', { value: '"once"' })] })
  const duplicates = (await appendTogether(sequencer, [entry, entry, entry])).map(assertAppended)
  assert.deepEqual(
    duplicates.map(({ replayed }) => replayed),
    [null, 'answer 1', 'answer 1'],
  )
  assertAppended(await sequencer.append(withDocuments(1, writeOf('a', { expect: 1, value: '"later"' }))))
  assert.equal(assertAppended(await sequencer.append(entry)).replayed, 'answer 1')
  const row = await found(ledger.reader, 'a')
  assert.deepEqual([row?.version, row?.value], [2, '"later"'])
})

everyStore('a key whose first attempt met a conflict is free for the next', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(withDocuments(0, writeOf('a'))))
  const attempt = (n: number, expect: number) =>
    entryOf('a', n, { idempotency: keyed(1), documents: [writeOf('a', { expect })] })
  const outcomes = await appendTogether(sequencer, [attempt(1, 0), attempt(2, 1), attempt(3, 1)])
  assert.deepEqual(outcomes.map(codeOf), ['state_conflict', 'ok', 'ok'])
  assert.equal(assertAppended(outcomes[2]!).replayed, 'answer 1')
  assert.equal(await sizeOf(ledger.reader), 2)
})

everyStore('a removed document is not found, and never has a version again that it had', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(withDocuments(0, writeOf('a', { owner: 'public/someone', value: '"secret"' }))))
  assertAppended(await sequencer.append(withDocuments(1, writeOf('a', { expect: 1, value: null }))))
  assert.equal(await found(ledger.reader, 'a'), null)
  assert.deepEqual(await ledger.reader.documents({ space: SPACE, order: 'asc', limit: 10 }), [])
  assert.equal(await ledger.reader.countDocuments({ space: SPACE }), 0)
  const [left] = await ledger.sql('SELECT owner, state, value FROM {documents}')
  assert.deepEqual({ ...(left as object) }, { owner: '', state: '', value: null }, 'nothing of anybody is left')
  const stale = [1, 2].map((expect) => withDocuments(2, writeOf('a', { expect })))
  assert.deepEqual((await appendAll(sequencer, stale)).map(codeOf), ['state_conflict', 'state_conflict'])
  assertAppended(await sequencer.append(withDocuments(3, writeOf('a', { value: '"again"' }))))
  assert.equal((await found(ledger.reader, 'a'))?.version, 3)
  // Who held version 1 of the old one cannot take it for the new one.
  assert.equal(codeOf(await sequencer.append(stale[0]!)), 'state_conflict')
})

everyStore('documents without a receipt are written all or none and keep the receipt they had', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  assertAppended(await sequencer.append(withDocuments(0, writeOf('a'))))
  const both = [writeOf('a', { expect: 1, state: 'DONE' }), writeOf('b')]
  assert.equal(await sequencer.applySideWrites({ documents: both }), null)
  const [a, b] = [await found(ledger.reader, 'a'), await found(ledger.reader, 'b')]
  assert.deepEqual([a?.version, a?.state, a?.nodeIndex, b?.nodeIndex], [2, 'DONE', 0, null])
  const mixed = [writeOf('c'), writeOf('a', { expect: 2 }), writeOf('b')]
  assert.equal((await sequencer.applySideWrites({ documents: mixed }))?.code, 'state_conflict')
  assert.equal(await found(ledger.reader, 'c'), null)
  assert.equal((await found(ledger.reader, 'a'))?.version, 2)
  assert.equal(await sizeOf(ledger.reader), 1)
  assertAppended(await sequencer.append(entryOf('a', 1)))
})

everyStore('of many that claim one document without a receipt exactly one does', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const claims = Array.from({ length: 50 }, (_, n) =>
    sequencer.applySideWrites({ documents: [writeOf('a', { value: String(n) })] }),
  )
  const outcomes = await Promise.all(claims)
  assert.equal(outcomes.filter((outcome) => outcome === null).length, 1)
  assert.equal((await found(ledger.reader, 'a'))?.value, String(outcomes.indexOf(null)))
})

everyStore('what waits without a receipt goes in one transaction, and who lost there lost alone', async (ledger) => {
  const commits: string[] = []
  const store = { ...ledger.store, commit: () => ledger.store.commit().then(() => void commits.push('one')) }
  const sequencer = await sequencerOn(store)
  const turn = sequencer.runExclusive(() => new Promise(setImmediate))
  const waiting = Array.from({ length: 100 }, (_, n) =>
    sequencer.applySideWrites({ documents: [writeOf(`d${n % 90}`, { value: String(n) }), writeOf(`e${n}`)] }),
  )
  await turn
  const outcomes = await Promise.all(waiting)
  assert.deepEqual(commits, ['one'])
  for (const [n, outcome] of outcomes.entries()) {
    assert.equal(outcome?.code ?? 'ok', n < 90 ? 'ok' : 'state_conflict')
    assert.equal((await found(ledger.reader, `e${n}`)) === null, n >= 90)
  }
})

everyStore('a store that fails under a write without a receipt keeps nothing of it', async (ledger, kind) => {
  const store = breakable(ledger.store)
  const sequencer = await sequencerOn(store)
  store.broken = 'commit'
  const refused = await sequencer.applySideWrites({ documents: [writeOf('a')] })
  assert.equal(refused?.code, kind.shared ? 'store_unavailable' : 'ledger_read_only')
  store.broken = null
  assert.equal(await found(ledger.reader, 'a'), null)
  const next = await sequencer.applySideWrites({ documents: [writeOf('a')] })
  assert.equal(next?.code ?? null, kind.shared ? null : 'ledger_read_only')
})

everyStore('a ledger that stopped takes no documents either', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  sequencer.stop('the guard says no')
  assert.equal((await sequencer.applySideWrites({ documents: [writeOf('a')] }))?.code, 'ledger_read_only')
  assert.equal(await found(ledger.reader, 'a'), null)
})

everyStore(
  'the store itself refuses a change that does not start from the version it holds',
  async ({ store, reader }) => {
    const change = { ...writeOf('a'), version: 1, from: 0, nodeIndex: null }
    const attempt = async (from: number, version: number) => {
      await store.lock()
      await store.writeDocuments([{ ...change, from, version }]).finally(() => store.rollback())
    }
    await store.lock()
    await store.writeDocuments([change])
    await store.commit()
    await assert.rejects(attempt(0, 1), /unique/i)
    await assert.rejects(attempt(2, 3), /not at the version/)
    assert.equal((await found(reader, 'a'))?.version, 1)
  },
)

everyStore('entries without documents ask nothing about documents', async (ledger) => {
  const store: LedgerStore = { ...ledger.store, documentVersions: () => assert.fail('nobody asked for it') }
  const sequencer = await sequencerOn(store)
  for (const outcome of await appendAll(
    sequencer,
    Array.from({ length: 300 }, (_, n) => entryOf('a', n)),
  ))
    assertAppended(outcome)
})

/** A sequencer that says when it signs and when it has committed. */
async function watchedSequencer(ledger: OpenLedger) {
  const events: string[] = []
  const store = { ...ledger.store, commit: () => ledger.store.commit().then(() => void events.push('committed')) }
  const sign = (messages: readonly Uint8Array[]) => {
    events.push('signs')
    return signer.sign(messages)
  }
  return { events, sequencer: await sequencerOn(store, { signer: { ...signer, sign } }) }
}

const OVERLAPPING = ['signs', 'signs', 'committed', 'committed']
const ONE_BY_ONE = ['signs', 'committed', 'signs', 'committed']

everyStore(
  'the next batch is signed while the last one syncs, also where both have documents',
  async (ledger, kind) => {
    const { events, sequencer } = await watchedSequencer(ledger)
    const all = moveOf('all', { limit: 1_000 })
    // The first batch writes version 1 of the document and moves the counter; the second one goes on from there.
    const entries = Array.from({ length: 300 }, (_, n) => entryOf('a', n, { counters: [all] }))
    entries[0] = entryOf('a', 0, { counters: [all], documents: [writeOf('d', { value: '1' })] })
    entries[299] = entryOf('a', 299, { counters: [all], documents: [writeOf('d', { expect: 1, value: '2' })] })
    for (const outcome of await appendTogether(sequencer, entries)) assertAppended(outcome)
    assert.deepEqual(events, kind.shared ? ONE_BY_ONE : OVERLAPPING)
    assert.equal(await ledger.reader.counter(all.space, all.key), 300)
    const row = await found(ledger.reader, 'd')
    assert.deepEqual([row?.version, row?.value, row?.nodeIndex], [2, '2', 299])
  },
)

everyStore('who lost to a batch that is not durable hears of it when it is', async (ledger, kind) => {
  const { events, sequencer } = await watchedSequencer(ledger)
  const last = moveOf('last', { limit: 1 })
  const plain = Array.from({ length: 297 }, (_, n) => entryOf('a', n))
  const first = entryOf('a', 297, { counters: [last], documents: [writeOf('d')] })
  const late = [withDocuments(298, writeOf('d')), entryOf('a', 299, { counters: [last] })]
  const outcomes = await appendTogether(sequencer, [first, ...plain, ...late])
  assert.deepEqual(outcomes.slice(-2).map(codeOf), ['state_conflict', 'quota_exceeded'])
  assert.deepEqual(events, kind.shared ? ONE_BY_ONE : OVERLAPPING)
  assert.equal(await sizeOf(ledger.reader), 298)
})

const onOwn = (sentence: string, check: (ledger: OpenLedger) => Promise<void>) =>
  everyStore(sentence, check, ({ shared }) => !shared)

onOwn('a batch that was placed on one which the disk refused is refused with it', async (ledger) => {
  const store = breakable(ledger.store)
  const sequencer = await sequencerOn(store)
  store.broken = 'commit'
  const entries = Array.from({ length: 300 }, (_, n) => entryOf('a', n))
  entries[0] = withDocuments(0, writeOf('d'))
  entries[299] = withDocuments(299, writeOf('d', { expect: 1 }))
  const codes = (await appendTogether(sequencer, entries)).map(codeOf)
  assert.deepEqual(new Set(codes), new Set(['ledger_read_only']))
  assert.deepEqual([await sizeOf(ledger.reader), await found(ledger.reader, 'd')], [0, null])
})

/** Filled past the sequencer: what lists must give is computed from plain arrays. */
async function filled(store: LedgerStore): Promise<DocumentRow[]> {
  const owners = ['public/ann', 'public/bob', 'other/ann']
  const states = ['OPEN', 'DONE']
  const rows = Array.from({ length: 90 }, (_, n) => ({
    space: n % 9 === 0 ? 'test.other' : SPACE,
    key: sha256Hex(`row ${n}`),
    version: 1 + (n % 4),
    owner: owners[n % 3]!,
    state: states[(n >> 1) % 2]!,
    rank: Math.floor(n / 4) * 1000 - 3000,
    value: JSON.stringify({ n }),
    nodeIndex: n % 5 === 0 ? null : n,
  }))
  const gone = { version: 4, owner: '', state: '', rank: 0, value: null, nodeIndex: null }
  const removed = [1, 2, 3].map((n) => ({ ...gone, space: SPACE, key: sha256Hex(`gone ${n}`) }))
  await store.lock()
  await store.writeDocuments([...rows, ...removed].map((row) => ({ ...row, from: 0 })))
  await store.commit()
  return rows
}

const byRank = (a: DocumentRow, b: DocumentRow) => a.rank - b.rank || (a.key < b.key ? -1 : 1)

everyStore('lists hold what they are asked for, in order, page by page, and counts agree', async (ledger) => {
  const rows = await filled(ledger.store)
  const query = fc.record({
    space: fc.constantFrom(SPACE, 'test.other', 'test.none'),
    owner: fc.constantFrom('public/ann', 'public/bob', 'other/ann', 'public/a', '', undefined),
    state: fc.constantFrom('OPEN', 'DONE', '', undefined),
    upTo: fc.constantFrom(-4000, -3000, 2500, 7000, undefined),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const { space, owner, state, upTo, order } = asked
      const expected = rows
        .filter(
          (row) => row.space === space && row.owner === (owner ?? row.owner) && row.state === (state ?? row.state),
        )
        .filter(({ rank }) => rank <= (upTo ?? rank))
        .sort(byRank)
      if (order === 'desc') expected.reverse()
      assert.deepEqual(await paged(ledger.reader, asked), expected)
      assert.equal(await ledger.reader.countDocuments({ space, owner, state, upTo }), expected.length)
      const atMost = Math.min(expected.length, asked.limit)
      assert.equal(await ledger.reader.countDocuments({ space, owner, state, upTo }, asked.limit), atMost)
      const own = rows.filter((row) => row.space === space && row.owner === (owner ?? row.owner))
      const states = [...Map.groupBy(own, (row) => row.state)].map(([name, found]) => [name, found.length])
      assert.deepEqual(await ledger.reader.countByState({ space, owner }), Object.fromEntries(states))
    }),
    { seed: SEED, numRuns: 60 },
  )
})

async function paged(reader: LedgerReader, query: DocumentQuery): Promise<DocumentRow[]> {
  const all: DocumentRow[] = []
  for (;;) {
    const page = await reader.documents({ ...query, after: all.at(-1) })
    assert.ok(page.length <= query.limit)
    all.push(...page)
    if (page.length < query.limit) return all
  }
}

everyStore('all of them are walked in the order of their keys, what removed ones left included', async (ledger) => {
  const rows = await filled(ledger.store)
  const walked = []
  for (let page = await ledger.reader.documentsAfter(null, 7); page.length > 0; ) {
    walked.push(...page)
    page = await ledger.reader.documentsAfter(page.at(-1)!, 7)
  }
  const ids = walked.map(({ space, key }) => `${space} ${key}`)
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(walked.length, rows.length + 3)
  assert.equal(walked.filter(({ value }) => value === null).length, 3)
})

onShared('a ledger from before there were documents gets them when it is opened', async (ledger) => {
  // What guards them came later still.
  const guards = 'DROP TABLE {steps_guarded}; DROP FUNCTION orch.refuse_step_change, orch.refuse_overspending'
  await ledger.sql(`DROP TABLE {documents}; ${guards}`)
  await secondNode(ledger, async (second) => {
    const sequencer = await sequencerOn(second)
    assertAppended(await sequencer.append(withDocuments(0, writeOf('a'))))
    assert.equal((await found(ledger.reader, 'a'))?.version, 1)
  })
})
