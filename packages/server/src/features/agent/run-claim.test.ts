import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentRow, DocumentWrite, LedgerReader } from '../../ledger/contract.ts'
import type { Call } from '../../operation.ts'
import { claimsOf } from './run-claim.ts'

/** Two nodes over one store of documents. */
function store(matchesHead = true) {
  let row: DocumentRow | null = null
  const reader = { document: async () => row } as unknown as LedgerReader
  const deps = { ledger: { reader }, governance: { matchesHead: async () => matchesHead } }
  return {
    commit(write: DocumentWrite | null) {
      assert.ok(write !== null && write.value !== null && write.expect === (row?.version ?? 0))
      row = { ...write, value: write.value, version: write.expect + 1, nodeIndex: 0 }
    },
    run: (id: string, headers: object = { 'idempotency-key': 'k' }) =>
      claimsOf(deps, { headers, caller: { namespace: 'n', owner: 'o' } } as unknown as Call, id),
  }
}

test('a key that one node runs is refused to the other until the run is over, and then for its answer', async () => {
  const { run, commit } = store()
  const [first, second] = [run('one'), run('two')]
  commit(await first.claim(1000, 15_000))
  await assert.rejects(second.claim(2000, 15_000), { code: 'state_conflict' })
  commit(await first.end())
  await assert.rejects(second.claim(9_000_000, 15_000), { code: 'state_conflict' })
})

test('a run that never ended holds its key no longer than it may take, and cannot end it afterwards', async () => {
  const { run, commit } = store()
  const [first, second] = [run('one'), run('two')]
  commit(await first.claim(1000, 15_000))
  commit(await second.claim(60_000, 15_000))
  await assert.rejects(first.end(), { code: 'state_conflict' })
  commit(await second.end())
})

test('without a key nothing is claimed', async () => {
  const claims = store().run('one', {})
  assert.deepEqual([await claims.claim(0, 100), await claims.end()], [null, null])
})

test('a claim that its receipt does not bear out is not gone by', async () => {
  const { run, commit } = store(false)
  commit(await run('one').claim(1000, 15_000))
  await assert.rejects(run('two').claim(60_000, 15_000), { code: 'stored_record_altered' })
})
