// RFC 6962 Merkle tree over SHA-256. One plan serves every proof: an inclusion proof is the consistency proof of the
// one-leaf subtree [i, i+1), and a consistency proof from m to n is the subtree consistency proof of [0, m).
// Sizes go up to 2^53 - 1, so positions are computed with * and / and never with 32-bit shifts.
import { sha256 } from './digest.ts'

export const HASH_BYTES = 32

/** The perfect subtree of 2^level leaves that starts at leaf index * 2^level. */
export type NodeCoordinate = { readonly level: number; readonly index: number }

/**
 * Gives the hashes of perfect subtrees, in the order asked. MUST reject when one is missing: a proof is either whole
 * or not given. Called once per proof with every coordinate it needs.
 */
export type ReadNodes = (
  coordinates: readonly NodeCoordinate[],
) => Promise<readonly Uint8Array[]> | readonly Uint8Array[]

/** Roots of the perfect subtrees that cover the tree, largest first: all that appending needs to remember. */
export type Frontier = { readonly size: number; readonly hashes: readonly Uint8Array[] }

export type InclusionClaim = {
  leafHash: Uint8Array
  leafIndex: number
  treeSize: number
  root: Uint8Array
  hashes: readonly Uint8Array[]
}
export type ConsistencyClaim = {
  from: number
  to: number
  fromRoot: Uint8Array
  toRoot: Uint8Array
  hashes: readonly Uint8Array[]
}
export type SubtreeInclusionClaim = Omit<InclusionClaim, 'treeSize'> & { start: number; end: number }
export type SubtreeConsistencyClaim = {
  start: number
  end: number
  size: number
  subtreeRoot: Uint8Array
  root: Uint8Array
  hashes: readonly Uint8Array[]
}

const isHash = (hash: Uint8Array): boolean => hash.length === HASH_BYTES
const isCount = (n: number): boolean => Number.isSafeInteger(n) && n >= 0
const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

/** Hash inputs are put together in place: making room for each costs more than hashing it. Byte 0 stays 0x00. */
let leafInput = new Uint8Array(4096)
const nodeInput = new Uint8Array(1 + 2 * HASH_BYTES)
nodeInput[0] = 1

/** The 0x00 prefix keeps a leaf from ever being read as an inner node (second preimage). */
export function leafHash(bytes: Uint8Array): Uint8Array {
  const size = 1 + bytes.length
  if (size > leafInput.length) leafInput = new Uint8Array(size)
  leafInput.set(bytes, 1)
  return sha256(leafInput.subarray(0, size))
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  // Fixed widths: otherwise bytes could move across the boundary between left and right unnoticed.
  if (!isHash(left) || !isHash(right)) throw new RangeError('a node is the hash of two 32-byte hashes')
  nodeInput.set(left, 1)
  nodeInput.set(right, 1 + HASH_BYTES)
  return sha256(nodeInput)
}

export const emptyRoot = (): Uint8Array => sha256(new Uint8Array(0))

export const emptyFrontier = (): Frontier => ({ size: 0, hashes: [] })

/** Calls `onNode` for the leaf and for every perfect subtree that the leaf completes, lowest level first. */
export function appendLeaf(
  frontier: Frontier,
  leaf: Uint8Array,
  onNode?: (level: number, index: number, hash: Uint8Array) => void,
): Frontier {
  if (!isHash(leaf)) throw new RangeError('a leaf hash has 32 bytes')
  assertFrontier(frontier)
  const hashes = [...frontier.hashes]
  let [hash, level, index] = [leaf, 0, frontier.size]
  onNode?.(level, index, hash)
  while (index % 2 === 1) {
    hash = nodeHash(hashes.pop()!, hash)
    level += 1
    index = (index - 1) / 2
    onNode?.(level, index, hash)
  }
  return { size: frontier.size + 1, hashes: [...hashes, hash] }
}

export function frontierRoot(frontier: Frontier): Uint8Array {
  assertFrontier(frontier)
  return frontier.size === 0 ? emptyRoot() : foldRight(frontier.hashes)
}

/** The frontier a tree had at an earlier (or its present) size, read from its nodes. */
export async function frontierAt(size: number, readNodes: ReadNodes): Promise<Frontier> {
  if (!isCount(size)) throw new RangeError(`no tree of size ${size}`)
  const nodes: NodeCoordinate[] = []
  let start = 0
  for (let level = 52; level >= 0; level -= 1) {
    const width = 2 ** level
    if (size - start < width) continue
    nodes.push({ level, index: start / width })
    start += width
  }
  return { size, hashes: await readNodes(nodes) }
}

export function rootOf(leafHashes: readonly Uint8Array[]): Uint8Array {
  return frontierRoot(leafHashes.reduce<Frontier>((frontier, leaf) => appendLeaf(frontier, leaf), emptyFrontier()))
}

export async function inclusionProof(leafIndex: number, treeSize: number, readNodes: ReadNodes): Promise<Uint8Array[]> {
  if (!isCount(leafIndex) || !isCount(treeSize) || leafIndex >= treeSize) {
    throw new RangeError(`no leaf ${leafIndex} in a tree of ${treeSize}`)
  }
  return subtreeProof(leafIndex, leafIndex + 1, treeSize, readNodes)
}

/** From the empty tree there is nothing to prove: every tree extends it. Asking for that is misuse. */
export async function consistencyProof(from: number, to: number, readNodes: ReadNodes): Promise<Uint8Array[]> {
  if (!isCount(from) || !isCount(to) || from === 0 || from > to) {
    throw new RangeError(`no consistency proof from ${from} to ${to}`)
  }
  return subtreeProof(0, from, to, readNodes)
}

export function verifyInclusion({ root, ...claim }: InclusionClaim): boolean {
  const steps = inclusionSteps(claim)
  return steps !== null && sameBytes(steps.at(-1)?.result ?? claim.leafHash, root)
}

export interface InclusionStep {
  /** `left`: the sibling stands for earlier leaves. */
  side: 'left' | 'right'
  /** Leaves that the sibling stands for. */
  covers: number
  sibling: Uint8Array
  /** The node over the sibling and everything below this step. */
  result: Uint8Array
}

/** The way from a leaf to a root, for whoever verifies or draws it. Null where so many hashes are no such way. */
export function inclusionSteps({
  leafHash: leaf,
  leafIndex,
  treeSize,
  hashes,
}: Omit<InclusionClaim, 'root'>): InclusionStep[] | null {
  if (!isCount(leafIndex) || !isCount(treeSize) || leafIndex >= treeSize || !isHash(leaf)) return null
  const { steps } = planProof(leafIndex, leafIndex + 1, treeSize)
  if (hashes.length !== steps.length || !hashes.every(isHash)) return null
  let result = leaf
  return steps.map(({ side, sibling: { start, end } }, at) => {
    const sibling = hashes[at]!
    result = side === 'left' ? nodeHash(sibling, result) : nodeHash(result, sibling)
    return { side, covers: end - start, sibling, result }
  })
}

/** Size 0 is refused: an empty tree commits to nothing, and "consistent" would be an empty promise. */
export function verifyConsistency({ from, to, fromRoot, toRoot, hashes }: ConsistencyClaim): boolean {
  if (!isCount(from) || !isCount(to) || from === 0 || from > to) return false
  return reconstructs(planProof(0, from, to), fromRoot, toRoot, hashes)
}

export function verifySubtreeInclusion(claim: SubtreeInclusionClaim): boolean {
  const { start, end, leafIndex, ...rest } = claim
  if (!isSubtree(start, end) || !isCount(leafIndex) || leafIndex < start) return false
  return verifyInclusion({ ...rest, leafIndex: leafIndex - start, treeSize: end - start })
}

export function verifySubtreeConsistency(claim: SubtreeConsistencyClaim): boolean {
  const { start, end, size, subtreeRoot, root, hashes } = claim
  if (!isSubtree(start, end) || !isCount(size) || end > size) return false
  // An empty subtree has one possible root and says nothing about the tree around it.
  if (start === end) return hashes.length === 0 && sameBytes(subtreeRoot, emptyRoot())
  return reconstructs(planProof(start, end, size), subtreeRoot, root, hashes)
}

type Range = { readonly start: number; readonly end: number }
type Step = { readonly sibling: Range; readonly side: 'left' | 'right'; readonly alsoInSubtree: boolean }
/** Steps run from the subtree up to the root; `seed` is the node both hashes start from when no root is at hand. */
type Plan = { readonly seed: Range | null; readonly steps: readonly Step[] }

/** Walks down from the root of a tree of `size` to the subtree [start, end), noting the sibling at each turn. */
function planProof(start: number, end: number, size: number): Plan {
  const steps: Step[] = []
  let whole: Range = { start: 0, end: size }
  let wanted: Range = { start, end }
  let seed = false
  while (wanted.start !== whole.start || wanted.end !== whole.end) {
    const middle = whole.start + splitPoint(whole.end - whole.start)
    const left = { start: whole.start, end: middle }
    const right = { start: middle, end: whole.end }
    if (wanted.end <= middle) {
      steps.push({ sibling: right, side: 'right', alsoInSubtree: false })
      whole = left
      continue
    }
    // A subtree that reaches over the middle starts where the tree starts, so it holds the whole left half.
    const straddles = wanted.start < middle
    steps.push({ sibling: left, side: 'left', alsoInSubtree: straddles })
    whole = right
    if (straddles) [seed, wanted] = [true, { start: middle, end: wanted.end }]
  }
  return { seed: seed ? wanted : null, steps: steps.reverse() }
}

/** Rebuilds both roots from the proof alone; every hash of it must be used, none may be left over. */
function reconstructs(plan: Plan, subtreeRoot: Uint8Array, root: Uint8Array, hashes: readonly Uint8Array[]): boolean {
  const { seed, steps } = plan
  if (hashes.length !== steps.length + (seed ? 1 : 0) || !hashes.every(isHash)) return false
  if (steps.length === 0) return sameBytes(subtreeRoot, root)
  if (!isHash(subtreeRoot)) return false
  let inner = seed ? hashes[0]! : subtreeRoot
  let outer = inner
  const siblings = seed ? hashes.slice(1) : hashes
  for (const [i, step] of steps.entries()) {
    const sibling = siblings[i]!
    outer = step.side === 'left' ? nodeHash(sibling, outer) : nodeHash(outer, sibling)
    if (step.alsoInSubtree) inner = nodeHash(sibling, inner)
  }
  return sameBytes(inner, subtreeRoot) && sameBytes(outer, root)
}

async function subtreeProof(start: number, end: number, size: number, readNodes: ReadNodes): Promise<Uint8Array[]> {
  const { seed, steps } = planProof(start, end, size)
  const ranges = [...(seed ? [seed] : []), ...steps.map((step) => step.sibling)].map(perfectSubtrees)
  const nodes = [...(await readNodes(ranges.flat()))]
  if (nodes.length !== ranges.flat().length) throw new Error('the node reader returned another number of hashes')
  return ranges.map((coordinates) => foldRight(nodes.splice(0, coordinates.length)))
}

/** The perfect subtrees that make up a range of the tree, left to right; all but one range of a proof is just one. */
function perfectSubtrees({ start, end }: Range): NodeCoordinate[] {
  const coordinates: NodeCoordinate[] = []
  for (let at = start; at < end; ) {
    let [width, level] = [1, 0]
    while (at + width * 2 <= end) [width, level] = [width * 2, level + 1]
    coordinates.push({ level, index: at / width })
    at += width
  }
  return coordinates
}

const foldRight = (hashes: readonly Uint8Array[]): Uint8Array =>
  hashes.reduceRight((right, left) => nodeHash(left, right))

/** The largest power of two below n. Doubling is exact up to 2^53 where Math.log2 rounds. */
function splitPoint(n: number): number {
  let power = 1
  while (power * 2 < n) power *= 2
  return power
}

/** [start, end) is a node of some tree only when start is a multiple of the width rounded up to a power of two. */
function isSubtree(start: number, end: number): boolean {
  if (!isCount(start) || !isCount(end) || start > end) return false
  const width = end - start
  return width <= 1 || start % (splitPoint(width) * 2) === 0
}

function assertFrontier({ size, hashes }: Frontier): void {
  if (!isCount(size)) throw new RangeError('the size of a frontier is a safe integer')
  let ones = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  if (ones !== hashes.length) throw new RangeError(`a frontier of size ${size} has ${ones} hashes`)
}
