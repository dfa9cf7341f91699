// Collections of N9 on every store: what is indexed is found, what is deleted is not, and nobody finds another's.
import assert from 'node:assert/strict'
import { onEachStore } from '#testing/organs/organ-stores.ts'
import type { Tried } from '#testing/organs/try-organ.ts'
import { retrieve } from './organ.ts'

const MAX_COLLECTIONS = 20
const MAX_DOCUMENTS = 5000
const everyStore = onEachStore('retrieve', (ledger) => retrieve({ ledger }))
const text = (id: string, words: string) => ({ id, text: words })
const idsOf = ({ answer }: Tried): string[] => answer.result.hits.map(({ id }: { id: string }) => id)

everyStore('what is indexed is found, also after a restart, and what is replaced or deleted is not', async (runs) => {
  const find = (q: string) => runs.run({ q, collection: 'c', fusion: 'bm25' })
  const { answer } = await runs.run({
    op: 'index',
    collection: 'c',
    docs: [text('a', 'green ledgers'), text('b', 'blue receipts')],
  })
  assert.deepEqual(answer.result, { collection: 'c', added: 2, replaced: 0, documents: 2 })
  assert.deepEqual(idsOf(await find('ledger')), ['a'])
  await runs.run({ op: 'index', collection: 'c', docs: [text('a', 'yellow submarine')] })
  assert.deepEqual(idsOf(await find('ledger')), [])
  assert.deepEqual(idsOf(await find('submarines')), ['a'])
  const removed = await runs.run({ op: 'delete', collection: 'c', ids: ['a', 'nope'] })
  assert.deepEqual(removed.answer.result, { collection: 'c', deleted: 1, missing: ['nope'], documents: 1 })
  assert.deepEqual(idsOf(await find('submarine')), [])
  await runs.restart()
  assert.deepEqual(idsOf(await find('submarine receipt')), ['b'])
  const before = (await find('receipt')).answer.evidence.state.before_sha256
  await runs.run({ op: 'delete', collection: 'c', ids: ['b'], dry_run: true })
  assert.equal((await find('receipt')).answer.evidence.state.before_sha256, before)
  await runs.run({ op: 'delete', collection: 'c', ids: ['b'] })
  await assert.rejects(find('receipt'), { code: 'record_not_found' })
  await runs.run({ op: 'index', collection: 'c', docs: [text('n', 'new text')] })
  assert.deepEqual(idsOf(await find('receipt new')), ['n'])
})

everyStore('another tenant finds nothing, whatever it guesses', async (runs) => {
  const other = { owner: 'other' }
  await runs.run({ op: 'index', collection: 'c', docs: [text('a', 'a secret plan')] })
  await assert.rejects(runs.run({ q: 'secret', collection: 'c' }, other), { code: 'record_not_found' })
  await assert.rejects(runs.run({ op: 'delete', collection: 'c', ids: ['a'] }, other), { code: 'record_not_found' })
  const own = await runs.run({ op: 'index', collection: 'c', docs: [text('a', 'mine')] }, other)
  assert.deepEqual(own.answer.result, { collection: 'c', added: 1, replaced: 0, documents: 1 })
  await runs.restart()
  assert.deepEqual(idsOf(await runs.run({ q: 'secret', collection: 'c', fusion: 'bm25' }, other)), [])
  assert.deepEqual(idsOf(await runs.run({ q: 'secret', collection: 'c' })), ['a'])
})

everyStore(
  'the 21st collection and the document over the most are refused, and nothing of them is kept',
  async (runs) => {
    for (let n = 0; n < MAX_COLLECTIONS; n += 1)
      await runs.run({ op: 'index', collection: `c${n}`, docs: [text('a', 'x')] })
    const more = { op: 'index', collection: 'one-more', docs: [text('a', 'x')] }
    await assert.rejects(runs.run(more), { code: 'tenant_quota_exceeded' })
    for (let from = 1; from < MAX_DOCUMENTS; from += 64) {
      const docs = Array.from({ length: Math.min(64, MAX_DOCUMENTS - from) }, (_, at) =>
        text(`d${from + at}`, `word${from + at}`),
      )
      await runs.run({ op: 'index', collection: 'c0', docs })
    }
    const over = { op: 'index', collection: 'c0', docs: [text('over', 'x')] }
    await assert.rejects(runs.run(over), { code: 'tenant_quota_exceeded' })
    const found = await runs.run({ q: 'word4711', collection: 'c0', fusion: 'bm25' })
    assert.deepEqual([idsOf(found), found.answer.result.documents], [['d4711'], MAX_DOCUMENTS])
    const fused = await runs.run({ q: 'wrod4711 word4711', collection: 'c0' })
    assert.equal(idsOf(fused)[0], 'd4711')
    assert.equal(fused.answer.limits[0].code, 'CANDIDATES_ONLY')
  },
)

everyStore('vectors of another length than the collection has are refused', async (runs) => {
  const docs = [{ ...text('a', 'x'), vector: [1, 0] }]
  await runs.run({ op: 'index', collection: 'v', docs })
  await assert.rejects(runs.run({ op: 'index', collection: 'v', docs: [{ ...text('b', 'x'), vector: [1] }] }))
  const query = { q: 'y', collection: 'v', vectors: 'caller', fusion: 'vector' }
  assert.deepEqual(idsOf(await runs.run({ ...query, q_vector: [1, 1] })), ['a'])
  await assert.rejects(runs.run({ ...query, q_vector: [1, 1, 1] }))
})
