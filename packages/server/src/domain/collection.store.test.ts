import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Type from 'typebox'
import { testFolder } from '#testing/ledger/at-rest.ts'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { openLedger } from '../ledger/ledger.ts'
import { collection } from './collection.ts'
import { documentKey } from './document-key.ts'

const counts = collection({
  space: 'test.count',
  key: (name: string) => documentKey(name),
  owner: (name) => `public/${name}`,
  state: ({ count }) => (count > 2 ? 'MANY' : 'FEW'),
  rank: (_value, now) => now,
  schema: Type.Object({ count: Type.Integer() }),
})
const next = (value: { count: number } | null) => ({ count: (value?.count ?? 0) + 1 })

async function opened(t: TestContext) {
  const ledger = await openLedger(settingsFor(testFolder(t, 'collection'), { store: 'memory' }))
  t.after(() => ledger.close())
  return ledger
}

test('what is put is got back with its columns, and the second writer on one version is told', async (t) => {
  const ledger = await opened(t)
  assert.equal(await counts.get(ledger.reader, 'a'), null)
  assert.equal(await counts.put(ledger, 'a', null, { count: 3 }, 7), true)
  assert.equal(await counts.put(ledger, 'a', null, { count: 4 }, 8), false)
  const stored = await counts.get(ledger.reader, 'a')
  const { owner, state, rank, version } = stored!.row
  assert.deepEqual([stored!.value, owner, state, rank, version], [{ count: 3 }, 'public/a', 'MANY', 7, 1])
  assert.equal(await counts.remove(ledger, stored!), true)
  assert.equal(await counts.remove(ledger, stored!), false)
  assert.equal(await counts.get(ledger.reader, 'a'), null)
})

test('changes at the same time are all applied, and one that never gets its turn is refused', async (t) => {
  const ledger = await opened(t)
  await Promise.all([1, 2, 3].map((now) => counts.change(ledger, 'a', next, now)))
  assert.deepEqual((await counts.get(ledger.reader, 'a'))?.value, { count: 3 })
  const busy = {
    ...ledger,
    reader: ledger.reader,
    writeDocuments: async () => ledger.writeDocuments([counts.write('a', null, { count: 0 }, 0)]),
  }
  await assert.rejects(counts.change(busy, 'a', next, 9), { code: 'state_conflict' })
})

test('a document of another shape is refused where it is asked for and left out of lists', async (t) => {
  const ledger = await opened(t)
  await counts.put(ledger, 'good', null, { count: 1 }, 1)
  for (const [name, value] of Object.entries({ other: '{"count":"1"}', text: 'no JSON' })) {
    await ledger.writeDocuments([{ ...counts.write(name, null, { count: 1 }, 2), value }])
    await assert.rejects(counts.get(ledger.reader, name), { code: 'stored_record_altered' })
  }
  const listed = await counts.list(ledger.reader, { order: 'asc', limit: 9 })
  assert.deepEqual(
    listed.map(({ value }) => value),
    [{ count: 1 }],
  )
})
