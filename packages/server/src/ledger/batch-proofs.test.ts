import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bodyTemplate,
  emptyFrontier,
  frontierRoot,
  GENESIS_PREV,
  leafHash,
  type ReceiptDraft,
  verifyInclusion,
} from '@orch/core'
import fc from 'fast-check'
import { BatchProofs } from './batch-proofs.ts'
import { place } from './place.ts'
import type { Entry, Head } from './types.ts'

const draft: ReceiptDraft = {
  ns: 'public',
  chain: 'a',
  kind: 'mint',
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: 'r',
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: {},
}
const template = bodyTemplate(draft, null)
const entry = {
  ns: 'public',
  chain: 'a',
  ts: '2026-01-01T00:00:00.000Z',
  template,
  idempotency: null,
} as unknown as Entry

/** Grows a tree by batches of the sizes given and checks every path it hands out on the way. */
async function grow(sizes: readonly number[]): Promise<number> {
  let head: Head = { size: 0, frontier: emptyFrontier(), edges: [], chainCount: 0 }
  let chain = { id: 1, ns: 'public', chain: 'a', depth: 0, head: GENESIS_PREV, headIndex: -1, lake: GENESIS_PREV }
  const proofs = new BatchProofs()
  for (const size of sizes) {
    const placement = place(Array(size).fill(entry), head, () => chain)
    const positions = Array.from({ length: size }, (_, at) => at)
    const paths = await proofs.of(placement, positions)
    const root = frontierRoot(placement.head.frontier)
    for (const at of positions) {
      const { body, nodeIndex } = placement.placed[at]!
      const claim = {
        leafHash: leafHash(body),
        leafIndex: nodeIndex,
        treeSize: placement.head.size,
        root,
        hashes: paths[at]!,
      }
      assert.ok(verifyInclusion(claim), `receipt ${nodeIndex} of ${placement.head.size}`)
    }
    head = placement.head
    chain = placement.chains[0]!
  }
  return head.size
}

test('every receipt of every batch gets a path to the root its batch leaves behind, across tile borders too', async () => {
  assert.equal(await grow([1, 1, 2, 251, 1, 1, 256, 255, 2, 256, 256, 256, 3]), 1541)
})

test('batches of any size give paths that verify', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 256 }), { minLength: 1, maxLength: 12 }), async (sizes) => {
      await grow(sizes)
    }),
    { seed: 1, numRuns: 20 },
  )
})
