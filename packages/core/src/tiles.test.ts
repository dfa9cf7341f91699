import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  appendLeaf,
  consistencyProof,
  emptyFrontier,
  type Frontier,
  frontierRoot,
  inclusionProof,
  leafHash,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'
import {
  decodeEntryBundle,
  encodeEntryBundle,
  type HashTile,
  hashFromTile,
  nodesFromTiles,
  parseTilePath,
  tileOfNode,
  tilePath,
  tilesFor,
  tileWidth,
} from './tiles.ts'

const SIZE = 70_000
const nodes = new Map<string, Uint8Array>()
const rootAt = new Map<number, Uint8Array>()
const leaf = (i: number): Uint8Array => leafHash(Uint8Array.of(i & 255, (i >> 8) & 255, i >> 16))
let frontier: Frontier = emptyFrontier()
const CHECKED_SIZES = [1, 2, 255, 256, 257, 511, 512, 1000, 65_535, 65_536, 65_537, 69_999, SIZE]
for (let i = 0; i < SIZE; i += 1) {
  frontier = appendLeaf(frontier, leaf(i), (level, index, hash) => nodes.set(`${level}/${index}`, hash))
  if (CHECKED_SIZES.includes(i + 1)) rootAt.set(i + 1, frontierRoot(frontier))
}

function tileBytes({ level, index, width }: HashTile): Uint8Array {
  const bytes = new Uint8Array(width * 32)
  for (let i = 0; i < width; i += 1) bytes.set(nodes.get(`${8 * level}/${index * 256 + i}`)!, i * 32)
  return bytes
}

test('paths are those of the specification', () => {
  assert.equal(tilePath(0, 1_234_067), 'tile/0/x001/x234/067')
  assert.equal(tilePath(0, 1_234_067, 8), 'tile/0/x001/x234/067.p/8')
  assert.equal(tilePath(63, 0, 255), 'tile/63/000.p/255')
  assert.equal(tilePath('entries', 999), 'tile/entries/999')
  assert.equal(tilePath('entries', 1000, 1), 'tile/entries/x001/000.p/1')
  assert.equal(tilePath(1, Number.MAX_SAFE_INTEGER), 'tile/1/x009/x007/x199/x254/x740/991')
})

test('parsing a printed path gives the tile back', () => {
  const levels = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const))
  const tile = fc.record({ level: levels, index: fc.maxSafeNat(), width: fc.integer({ min: 1, max: 256 }) })
  fc.assert(
    fc.property(tile, (t) => assert.deepEqual(parseTilePath(tilePath(t.level, t.index, t.width)), { ...t })),
    { seed: 1 },
  )
})

test('only the canonical path of a tile is accepted', () => {
  const refused = [
    '',
    'tile/0/0',
    'tile/0/00',
    'tile/0/0000',
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/x000/001',
    'tile/0/x001',
    'tile/0/001/002',
    'tile/0/x001/x002',
    'tile/0/000.p/0',
    'tile/0/000.p/08',
    'tile/0/000.p/256',
    'tile/0/000.p/',
    'tile/0/000.p',
    'tile/0/000/',
    'tile/0/000\n',
    '/tile/0/000',
    'tile/Entries/000',
    'tile/0/../000',
    'tile/0/x009/x007/x199/x254/x740/992',
    'tile/0/x001/x000/x000/x000/x000/x000/000',
    'tile/0/\u0660\u0660\u0660',
  ]
  for (const path of refused) assert.equal(parseTilePath(path), null, JSON.stringify(path))
})

test('printing a tile that cannot exist is misuse', () => {
  for (const [level, index, width] of [
    [64, 0, 1],
    [-1, 0, 1],
    [0, -1, 1],
    [0, 2 ** 53, 1],
    [0, 0, 0],
    [0, 0, 257],
  ]) {
    assert.throws(() => tilePath(level!, index!, width!), RangeError)
  }
})

test('a tree of 70000 has the tiles the specification counts', () => {
  const tiles = [...tilesFor(SIZE)]
  const full = (level: number): number => tiles.filter((tile) => tile.level === level && tile.width === 256).length
  assert.deepEqual([full(0), full(1), full(2)], [273, 1, 0])
  assert.deepEqual(
    tiles.filter((tile) => tile.width < 256),
    [
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ],
  )
  assert.deepEqual(
    [...tilesFor(256)],
    [
      { level: 0, index: 0, width: 256 },
      { level: 1, index: 0, width: 1 },
    ],
  )
  assert.deepEqual([...tilesFor(0)], [])
  assert.equal(tileWidth('entries', 273, SIZE), 112)
  assert.equal(tileWidth(0, 274, SIZE), 0)
})

test('every node of the tree is recomputed from its tile', () => {
  const tiles = new Map(
    [...tilesFor(SIZE)].map((tile) => [tilePath(tile.level, tile.index, tile.width), tileBytes(tile)]),
  )
  for (const [name, hash] of nodes) {
    const [level, index] = name.split('/').map(Number) as [number, number]
    if (level === 0 && index % 97 !== 0) continue
    const { tile, first, count } = tileOfNode({ level, index }, SIZE)!
    const bytes = tiles.get(tilePath(tile.level, tile.index, tile.width))!
    assert.deepEqual(hashFromTile(bytes, first, count), hash, name)
  }
})

test('a node that is not complete at that size has no tile', () => {
  assert.equal(tileOfNode({ level: 0, index: 70_000 }, SIZE), null)
  assert.equal(tileOfNode({ level: 1, index: 35_000 }, SIZE), null)
  assert.equal(tileOfNode({ level: 17, index: 0 }, SIZE), null)
  assert.equal(tileOfNode({ level: 0, index: -1 }, SIZE), null)
})

test('proofs read from tiles verify, and each tile is fetched once', async () => {
  for (const size of CHECKED_SIZES) {
    const fetched: string[] = []
    const readTile = (tile: HashTile): Uint8Array => {
      fetched.push(tilePath(tile.level, tile.index, tile.width))
      return tileBytes(tile)
    }
    const index = Math.floor(size / 3)
    const hashes = await inclusionProof(index, size, nodesFromTiles(size, readTile))
    const root = rootAt.get(size)!
    assert.ok(verifyInclusion({ leafHash: leaf(index), leafIndex: index, treeSize: size, root, hashes }))
    assert.equal(new Set(fetched).size, fetched.length)
    assert.ok(fetched.length <= 6)
    for (const from of CHECKED_SIZES.filter((earlier) => earlier <= size)) {
      const proof = await consistencyProof(from, size, nodesFromTiles(size, readTile))
      assert.ok(verifyConsistency({ from, to: size, fromRoot: rootAt.get(from)!, toRoot: root, hashes: proof }))
    }
  }
})

test('a wider copy of a partial tile serves as well, a shorter one is refused', async () => {
  const wide = (tile: HashTile): Uint8Array => tileBytes({ ...tile, width: tileWidth(tile.level, tile.index, SIZE) })
  const hashes = await inclusionProof(0, 1000, nodesFromTiles(1000, wide))
  assert.ok(verifyInclusion({ leafHash: leaf(0), leafIndex: 0, treeSize: 1000, root: rootAt.get(1000)!, hashes }))
  const short = (tile: HashTile): Uint8Array => tileBytes(tile).slice(0, 32)
  await assert.rejects(inclusionProof(0, 1000, nodesFromTiles(1000, short)), /cut short/)
  const torn = (tile: HashTile): Uint8Array => tileBytes(tile).slice(0, -1)
  await assert.rejects(inclusionProof(0, 1000, nodesFromTiles(1000, torn)), /cut short/)
})

test('an entry bundle is length-prefixed, big-endian, and comes back as it went in', () => {
  const bundle = encodeEntryBundle([Uint8Array.of(7, 8), new Uint8Array(0), new Uint8Array(258).fill(9)])
  assert.deepEqual([...bundle.slice(0, 8)], [0, 2, 7, 8, 0, 0, 1, 2])
  const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 256 })
  fc.assert(
    fc.property(entries, (list) => assert.deepEqual(decodeEntryBundle(encodeEntryBundle(list)), list)),
    { seed: 2 },
  )
})

test('the longest entry fits and one byte more is misuse', () => {
  const longest = new Uint8Array(65_535).fill(1)
  assert.deepEqual(decodeEntryBundle(encodeEntryBundle([longest])), [longest])
  assert.throws(() => encodeEntryBundle([new Uint8Array(65_536)]), RangeError)
  assert.throws(() => encodeEntryBundle(Array.from({ length: 257 }, () => longest.slice(0, 1))), RangeError)
})

test('a bundle that is cut anywhere but between entries, or holds 257, is refused', () => {
  const bundle = encodeEntryBundle([Uint8Array.of(1, 2, 3), Uint8Array.of(4)])
  const whole = [0, 5, 8]
  for (let end = 0; end <= bundle.length; end += 1) {
    assert.equal(decodeEntryBundle(bundle.slice(0, end)) !== null, whole.includes(end), `cut at ${end}`)
  }
  assert.equal(decodeEntryBundle(new Uint8Array(2 * 256))?.length, 256)
  assert.equal(decodeEntryBundle(new Uint8Array(2 * 257)), null)
})

test('the hash of a part of a tile is the root over its row, asked once or again, and belongs to whoever asked', () => {
  const root = (row: Uint8Array): Uint8Array =>
    row.length === 32 ? row : nodeHash(root(row.subarray(0, row.length / 2)), root(row.subarray(row.length / 2)))
  const tile = Uint8Array.from({ length: 256 * 32 }, (_, at) => (at * 31) ^ (at >> 7))
  const other = tile.slice()
  other[40 * 32] = other[40 * 32]! ^ 1
  for (const bytes of [tile, other, tile])
    for (const [first, count] of [
      [0, 1],
      [6, 2],
      [8, 8],
      [32, 16],
      [0, 64],
      [128, 128],
      [0, 256],
    ] as const) {
      const hash = hashFromTile(bytes, first, count)!
      assert.deepEqual(hash, Uint8Array.from(root(bytes.subarray(first * 32, (first + count) * 32))))
      hash.fill(0)
    }
  assert.deepEqual([hashFromTile(tile, 0, 0), hashFromTile(tile, 0, 3), hashFromTile(tile, 255, 2)], [null, null, null])
})
