// Documents that somebody puts back, or deletes, past the ledger that wrote them.
import assert from 'node:assert/strict'
import { assertAppended, codeOf, secondNode, sequencerOn } from '#testing/ledger-sequencers.ts'
import { entryOf, type OpenLedger, RING_KEY, storeSuite, writeOf } from '#testing/ledger-stores.ts'
import type { DocumentWrite } from './contract.ts'
import { DocumentRolledBack, DocumentVersions } from './document-versions.ts'
import type { StopCause } from './sequencer.ts'

const everyStore = storeSuite((ledger) => ledger.store.putKey(RING_KEY))
const withDocuments = (n: number, ...documents: DocumentWrite[]) => entryOf('a', n, { documents })

/** A ledger with a document at version 2, and what it says when it stops. */
async function written(ledger: OpenLedger) {
  const stops: [reason: string, broken: boolean][] = []
  const onReadOnly = (reason: string, { broken = false }: StopCause) => void stops.push([reason, broken])
  const sequencer = await sequencerOn(ledger.store, { onReadOnly })
  assertAppended(await sequencer.append(withDocuments(0, writeOf('a', { value: '1' }))))
  assertAppended(await sequencer.append(withDocuments(1, writeOf('a', { expect: 1, value: '2' }))))
  return { sequencer, stops }
}

for (const [what, sql, expect] of [
  ['put back', `UPDATE {documents} SET version = 1, value = '1', node_index = 0`, 1],
  ['deleted', 'DELETE FROM {documents}', 0],
] as const) {
  everyStore(`a document that was ${what} stops the ledger that wrote it at the next receipt`, async (ledger) => {
    const { sequencer, stops } = await written(ledger)
    await ledger.sql(sql)
    const next = await sequencer.append(withDocuments(2, writeOf('a', { expect, value: '3' })))
    assert.equal(codeOf(next), 'ledger_read_only')
    assert.match(stops[0]![0], /test\.thing was put back/)
    assert.deepEqual([stops.length, stops[0]![1]], [1, true])
    assert.equal(codeOf(await sequencer.append(entryOf('a', 3))), 'ledger_read_only')
    assert.equal((await ledger.reader.head()).size, 2)
  })

  everyStore(`a document that was ${what} stops it at a write without a receipt as well`, async (ledger) => {
    const { sequencer, stops } = await written(ledger)
    await ledger.sql(sql)
    const refused = await sequencer.applySideWrites({ documents: [writeOf('a', { expect, value: '3' })] })
    assert.deepEqual([refused?.code, stops.length], ['ledger_read_only', 1])
  })
}

everyStore('a document that leans on another receipt at the same version stops the ledger', async (ledger) => {
  const { sequencer, stops } = await written(ledger)
  await ledger.sql('UPDATE {documents} SET node_index = NULL')
  const next = await sequencer.append(withDocuments(2, writeOf('a', { expect: 2, value: '3' })))
  assert.deepEqual([codeOf(next), stops[0]?.[1]], ['ledger_read_only', true])
})

everyStore(
  'a document that was emptied at a later version stops a ledger that nobody else writes to',
  async (ledger) => {
    const { sequencer, stops } = await written(ledger)
    await ledger.sql('UPDATE {documents} SET value = NULL, version = version + 1')
    const next = await sequencer.append(withDocuments(2, writeOf('a', { value: '3' })))
    assert.deepEqual([codeOf(next), stops[0]?.[1]], ['ledger_read_only', true])
  },
  ({ shared }) => !shared,
)

everyStore('a document that is written again without a receipt is no cause to stop', async (ledger) => {
  const { sequencer, stops } = await written(ledger)
  assertAppended(await sequencer.append(withDocuments(2, writeOf('a', { expect: 2, value: null }))))
  assert.equal(await sequencer.applySideWrites({ documents: [writeOf('a', { value: '"again"' })] }), null)
  assertAppended(await sequencer.append(withDocuments(3, writeOf('a', { expect: 4, value: '"more"' }))))
  assert.deepEqual(stops, [])
})

everyStore(
  'a document that another node wrote further is no cause to stop',
  async (ledger) => {
    const { sequencer, stops } = await written(ledger)
    await secondNode(ledger, async (second) => {
      const other = await sequencerOn(second)
      assertAppended(await other.append(withDocuments(2, writeOf('a', { expect: 2, value: '3' }))))
    })
    assertAppended(await sequencer.append(withDocuments(3, writeOf('a', { expect: 3, value: '4' }))))
    assert.deepEqual(stops, [])
  },
  ({ shared }) => shared,
)

everyStore('a document that was removed and written again is no cause to stop', async (ledger) => {
  const { sequencer, stops } = await written(ledger)
  assertAppended(await sequencer.append(withDocuments(2, writeOf('a', { expect: 2, value: null }))))
  assertAppended(await sequencer.append(withDocuments(3, writeOf('a', { value: '"again"' }))))
  assert.deepEqual(stops, [])
})

everyStore('the newest of those it wrote are remembered, and the progress of a delivery is not', async () => {
  const versions = new DocumentVersions(false, 2)
  const change = (space: string, key: string, version: number, nodeIndex: number | null = 0) =>
    versions.remember([{ space, key, version, owner: '', state: '', rank: 0, value: '', nodeIndex, from: 0 }])
  const isCurrent = (space: string, key: string) => {
    try {
      versions.assertCurrent([{ space, key }], [null])
      return true
    } catch (error) {
      assert.ok(error instanceof DocumentRolledBack)
      return false
    }
  }
  for (const key of ['a', 'b', 'c']) change('x', key, 1)
  change('gdw.effect/public', 'a', 1)
  change('node', 'a', 1, null)
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => isCurrent('x', key)),
    [true, false, false],
  )
  assert.ok(isCurrent('gdw.effect/public', 'a') && isCurrent('node', 'a'))
})
