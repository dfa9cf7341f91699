// C2SP tlog-tiles: the tree cut into tiles of 256 hashes, named by static paths anybody can cache and check.
// A tile of level l holds roots of perfect subtrees of 256^l leaves; levels in between are recomputed from its row.
import { sha256Hex } from './digest.ts'
import { HASH_BYTES, type NodeCoordinate, nodeHash, type ReadNodes } from './merkle.ts'

export const TILE_HEIGHT = 8
export const TILE_WIDTH = 256
const MAX_LEVEL = 63
const MAX_ENTRY_BYTES = 0xffff

/** `entries` names the bundle of log entries below the level 0 tile of the same index. */
export type TileLevel = number | 'entries'
/** Width 256 is a full tile, 1 to 255 a partial one. */
export type Tile = { readonly level: TileLevel; readonly index: number; readonly width: number }
export type HashTile = Tile & { readonly level: number }

/** Gives the bytes of a tile; a wider copy of the same tile will do. MUST reject when it has none. */
export type ReadTile = (tile: HashTile) => Promise<Uint8Array> | Uint8Array

const isWithin = (n: number, low: number, high: number): boolean => Number.isSafeInteger(n) && n >= low && n <= high

export function tilePath(level: TileLevel, index: number, width: number = TILE_WIDTH): string {
  if (level !== 'entries' && !isWithin(level, 0, MAX_LEVEL)) throw new RangeError(`no tile level ${level}`)
  if (!isWithin(index, 0, Number.MAX_SAFE_INTEGER)) throw new RangeError(`no tile index ${index}`)
  if (!isWithin(width, 1, TILE_WIDTH)) throw new RangeError(`no tile width ${width}`)
  return `tile/${level}/${indexPath(index)}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

const TILE_PATH = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/

/** One tile has one name: a path that is not exactly what `tilePath` prints is refused, so caches cannot be split. */
export function parseTilePath(path: string): Tile | null {
  const match = TILE_PATH.exec(path)
  if (!match) return null
  const [, levelText, indexText, widthText] = match
  const level = levelText === 'entries' ? 'entries' : Number(levelText)
  const index = Number(indexText!.replace(/[x/]/g, ''))
  const width = widthText === undefined ? TILE_WIDTH : Number(widthText)
  if (level !== 'entries' && level > MAX_LEVEL) return null
  if (!Number.isSafeInteger(index) || !isWithin(width, 1, TILE_WIDTH)) return null
  return tilePath(level, index, width) === path ? { level, index, width } : null
}

/** How many hashes (or entries) that tile holds in a tree of `size`: 256 full, 1 to 255 partial, 0 no such tile. */
export function tileWidth(level: TileLevel, index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level))
  return Math.min(Math.max(hashes - index * TILE_WIDTH, 0), TILE_WIDTH)
}

/** Every hash tile of a tree of `size`, level by level. A generator, because a caller's size may be huge. */
export function* tilesFor(size: number): Generator<HashTile> {
  if (!isWithin(size, 0, Number.MAX_SAFE_INTEGER)) throw new RangeError(`no tree of size ${size}`)
  for (let level = 0; tileWidth(level, 0, size) > 0; level += 1) {
    for (let index = 0; tileWidth(level, index, size) > 0; index += 1) {
      yield { level, index, width: tileWidth(level, index, size) }
    }
  }
}

/** Entries over 65535 bytes have no encoding in a bundle: whoever appends must have refused them before. */
export function encodeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length > TILE_WIDTH) throw new RangeError(`a bundle holds at most ${TILE_WIDTH} entries`)
  const tooLong = entries.find((entry) => entry.length > MAX_ENTRY_BYTES)
  if (tooLong) throw new RangeError(`an entry of ${tooLong.length} bytes is over ${MAX_ENTRY_BYTES}`)
  const bundle = new Uint8Array(entries.reduce((total, entry) => total + 2 + entry.length, 0))
  let at = 0
  for (const entry of entries) {
    bundle.set([entry.length >> 8, entry.length & 0xff], at)
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}

/** Null for a bundle that ends inside an entry or holds more than 256; the caller compares the count with the path. */
export function decodeEntryBundle(bundle: Uint8Array): Uint8Array[] | null {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bundle.length; ) {
    if (at + 2 > bundle.length || entries.length === TILE_WIDTH) return null
    const end = at + 2 + (bundle[at]! * 256 + bundle[at + 1]!)
    if (end > bundle.length) return null
    entries.push(bundle.slice(at + 2, end))
    at = end
  }
  return entries
}

/** The tile that holds a node in a tree of `size`, and the part of its row the node is the root of; null if none. */
export function tileOfNode(
  node: NodeCoordinate,
  size: number,
): { tile: HashTile; first: number; count: number } | null {
  const level = Math.floor(node.level / TILE_HEIGHT)
  const count = 2 ** (node.level % TILE_HEIGHT)
  const position = node.index * count
  if (!isWithin(level, 0, MAX_LEVEL) || !isWithin(position, 0, Number.MAX_SAFE_INTEGER)) return null
  const first = position % TILE_WIDTH
  const index = (position - first) / TILE_WIDTH
  const width = tileWidth(level, index, size)
  return first + count <= width ? { tile: { level, index, width }, first, count } : null
}

/** Null when the tile is not a row of whole hashes or ends before the part asked for, which is a power of two. */
export function hashFromTile(tileBytes: Uint8Array, first: number, count: number): Uint8Array | null {
  if (tileBytes.length % HASH_BYTES !== 0 || (first + count) * HASH_BYTES > tileBytes.length) return null
  return count < 1 || !Number.isInteger(Math.log2(count))
    ? null
    : subtreeHash(tileBytes.subarray(first * HASH_BYTES, (first + count) * HASH_BYTES))
}

/** Hashes that are the leaves of a small subtree; proofs ask for the same ones again and again. */
const BLOCK_BYTES = 16 * HASH_BYTES
const MAX_BLOCKS = 8192
const blocks = new Map<string, Uint8Array>()

/** The root over a row of hashes, a power of two of them. For speed alone, the roots of blocks are kept by what is in the
 *  block, so that bytes which differ never share one: the eight nodes of a proof through a full tile cost 57 us of processor
 *  time instead of 400, over 2,000 of them (the proofs of `npm run bench -- --only proof-p50-at-1000000`). */
function subtreeHash(row: Uint8Array): Uint8Array {
  if (row.length === HASH_BYTES) return row.slice()
  const name = row.length === BLOCK_BYTES ? sha256Hex(row) : null
  const known = name === null ? undefined : blocks.get(name)
  if (known) return known.slice()
  const middle = row.length / 2
  const root = nodeHash(subtreeHash(row.subarray(0, middle)), subtreeHash(row.subarray(middle)))
  if (name === null) return root
  if (blocks.size >= MAX_BLOCKS) blocks.clear()
  blocks.set(name, root.slice())
  return root
}

/** A node reader for proofs over the tiles of a tree of `size`: each tile is fetched once, all in parallel. */
export function nodesFromTiles(size: number, readTile: ReadTile): ReadNodes {
  return async (nodes) => {
    const fetched = new Map<string, Promise<Uint8Array>>()
    const fetchOnce = (tile: HashTile): Promise<Uint8Array> => {
      const path = tilePath(tile.level, tile.index, tile.width)
      const bytes = fetched.get(path) ?? Promise.resolve(readTile(tile))
      fetched.set(path, bytes)
      return bytes
    }
    return Promise.all(nodes.map((node) => readNode(node, size, fetchOnce)))
  }
}

async function readNode(
  node: NodeCoordinate,
  size: number,
  fetchOnce: (tile: HashTile) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const place = tileOfNode(node, size)
  if (!place) throw new RangeError(`no node ${node.level}/${node.index} in a tree of ${size}`)
  const hash = hashFromTile(await fetchOnce(place.tile), place.first, place.count)
  if (!hash) throw new Error(`${tilePath(place.tile.level, place.tile.index, place.tile.width)} is cut short`)
  return hash
}

/** 1234067 -> x001/x234/067 */
function indexPath(index: number): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!
  return groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')
}
