import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../../../operation.ts'
import { type GraphNeeds, readGraph } from '../graph/read-graph.ts'
import { openSearch, type SearchNeeds } from './open-search.ts'

const caller = (owner: string, scopes: string[] = ['receipts:read']): Call['caller'] =>
  ({ namespace: 'n', owner, authMode: 'registry', scopes: new Set(scopes), keyId: owner }) as unknown as Call['caller']

test('a caller’s receipts are read once for each head of the ledger and each caller', async () => {
  const read: string[] = []
  let size = 1
  const ledger = {
    reader: { head: async () => ({ size, frontier: [new Uint8Array([size])] }) },
    queries: {
      newestReceipts: async ({ owner }: { owner: string }) => {
        read.push(`${owner} at ${size}`)
        return []
      },
    },
  }
  const search = openSearch({
    ledger,
    artifacts: { text: async () => ({ present: false, reason: 'none' }) },
    ...{ catalog: [], organs: () => new Map(), requirements: [], limits: [], searchSources: [] },
  } as unknown as SearchNeeds)
  const ask = (who: Call['caller']) => search.run('chain', 5, who)
  for (const who of ['a', 'a', 'b', 'a']) await ask(caller(who))
  assert.deepEqual(read, ['a at 1', 'b at 1'])
  size = 2
  await ask(caller('a'))
  await ask(caller('a'))
  assert.deepEqual(read, ['a at 1', 'b at 1', 'a at 2'])
  const { receipts } = await ask(caller('a', []))
  assert.equal(receipts.searched, false, 'what is kept is no way around the scope')
})

test('the graph of the interface description is made once for a description', async () => {
  const described = (tag: string) =>
    new TextEncoder().encode(
      JSON.stringify({ paths: { '/x': { get: { operationId: 'x.y', tags: [tag] } } }, components: { schemas: {} } }),
    )
  const read = async (bytes: Uint8Array) => {
    const needs = { clock: { now: () => 0, monotonic: () => 0 }, openApiBytes: () => bytes } as unknown as GraphNeeds
    return (await readGraph(needs, 'ontology', caller('a'))).value
  }
  const [one, other] = [described('one'), described('other')]
  assert.equal(await read(one), await read(one))
  assert.notDeepEqual((await read(other)).nodes, (await read(one)).nodes)
})
