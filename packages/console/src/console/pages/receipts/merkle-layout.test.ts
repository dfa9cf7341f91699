import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexEncode, inclusionProof, inclusionSteps, leafHash, nodeHash, utf8Encode } from '@orch/core'
import { adjacentTo, brokenLinks } from './links.ts'
import { captionsOf, TRUNK, tallHeight, tallNode, veinsOf, wideFrame, wideLayout } from './merkle-layout.ts'

const LEAVES = Array.from({ length: 300 }, (_, at) => leafHash(utf8Encode(String(at))))

function hashOf(from: number, to: number): Uint8Array {
  if (to - from === 1) return LEAVES[from] as Uint8Array
  let half = 1
  while (half * 2 < to - from) half *= 2
  return nodeHash(hashOf(from, from + half), hashOf(from + half, to))
}

async function stepsOf(leafIndex: number, treeSize: number) {
  const read = (nodes: readonly { level: number; index: number }[]) =>
    nodes.map(({ level, index }) => hashOf(index * 2 ** level, (index + 1) * 2 ** level))
  const hashes = await inclusionProof(leafIndex, treeSize, async (nodes) => read(nodes))
  return inclusionSteps({ leafHash: LEAVES[leafIndex] as Uint8Array, leafIndex, treeSize, hashes }) ?? []
}

test('each hash of the path stands on the side of the leaves it covers, and the last one meets the root', async () => {
  const layout = wideLayout(await stepsOf(200, 300), hexEncode)
  assert.equal(
    layout.filter(({ isEarlier }) => isEarlier).reduce((sum, { covers }) => sum + covers, 0),
    200,
  )
  assert.equal(layout.at(-1)?.node, TRUNK.to)
  for (const one of layout) {
    assert.ok(one.x > 90 && one.x < TRUNK.to)
    assert.ok(Object.values(captionsOf(one)).every((y) => y > 8 && y < 282))
  }
})

test('neighbouring triangles on one side do not overlap, however long the path', async () => {
  for (const [leaf, size] of [
    [0, 2],
    [5, 7],
    [299, 300],
  ] as const)
    for (const isEarlier of [true, false]) {
      const side = wideLayout(await stepsOf(leaf, size), hexEncode).filter((one) => one.isEarlier === isEarlier)
      for (const [at, one] of side.entries())
        if (at > 0) assert.ok(one.x - one.half >= side[at - 1]!.x + side[at - 1]!.half)
    }
})

test('the side of an end of the log takes no room, and a triangle over one receipt has no lines inside', async () => {
  const frameOf = async (leaf: number) => wideFrame(wideLayout(await stepsOf(leaf, 300), hexEncode))
  assert.deepEqual(await frameOf(150), { top: 0, bottom: 282 })
  assert.deepEqual(await frameOf(0), { top: 50, bottom: 282 })
  assert.deepEqual(await frameOf(299), { top: 0, bottom: 226 })
  assert.deepEqual(wideFrame([]), { top: 50, bottom: 226 })
  for (const one of wideLayout(await stepsOf(150, 300), hexEncode)) assert.equal(veinsOf(one) === '', one.covers === 1)
})

test('the tall drawing climbs from the leaf to the root', () => {
  assert.equal(tallNode(4, 3), 142)
  assert.ok(tallNode(4, 0) < tallHeight(4))
})

test('a link that names another digest than the one before it is broken, a missing receipt between is not', () => {
  const node = (seq: number, digest: string, parents: string[]) => ({
    ...{ index: seq, digest, parents, chain: 'c', seq, kind: 'mint', decision: null },
    ...{ signed: true, keyid: null, ts_utc: null },
  })
  const five = (at: number) => adjacentTo(many as Parameters<typeof adjacentTo>[0], String(at)).map(({ seq }) => seq)
  const many = Array.from({ length: 9 }, (_, at) => node(at, String(at), []))
  assert.deepEqual(
    [five(0), five(4), five(8)],
    [
      [0, 1, 2, 3, 4],
      [2, 3, 4, 5, 6],
      [4, 5, 6, 7, 8],
    ],
  )
  const nodes = [node(1, 'a', ['0']), node(2, 'b', ['a']), node(3, 'c', ['x']), node(5, 'e', ['d'])]
  const around = adjacentTo(nodes as Parameters<typeof adjacentTo>[0], 'c')
  assert.deepEqual(
    around.map(({ seq }) => seq),
    [1, 2, 3, 5],
  )
  assert.deepEqual(brokenLinks(around), [{ seq: 3, names: 'x', found: 'b' }])
})
