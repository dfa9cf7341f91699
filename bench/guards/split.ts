// Which texts may train and tune, and which are only measured. Near copies fall on one side: texts that share several
// of their rarest five-word runs form one family, and a digest of the family decides for all of it.
import { sha256Hex } from '@orch/core'

/** Of 256: the families whose digest is below are trained on, the others measured. */
const TRAINED_BELOW = 166
const SHINGLE = 5
/** The smallest hashes of a text's shingles stand for it; two texts that share so many of them are near copies. */
const SKETCH = 24
const SHARED = 5

export interface Split {
  isTrained(text: string): boolean
  /** The name of a text's family; texts that were not split have none. */
  familyOf(text: string): string | undefined
}

export function splitOf(texts: readonly string[]): Split {
  const read = new Map(texts.map((text) => [text, normalised(text)]))
  const distinct = [...new Set(read.values())]
  const roots = familiesOf(distinct.map(sketchOf))
  const names = new Map<number, string>()
  distinct.forEach((text, at) => {
    const digest = sha256Hex(text)
    const known = names.get(roots[at] as number)
    if (known === undefined || digest < known) names.set(roots[at] as number, digest)
  })
  const families = new Map(distinct.map((text, at) => [text, names.get(roots[at] as number) as string]))
  // The smallest digest of a large family is always small, so it is digested once more before it decides.
  const familyOf = (text: string): string | undefined => families.get(read.get(text) ?? normalised(text))
  const isBelow = (family: string): boolean => Number.parseInt(sha256Hex(family).slice(0, 2), 16) < TRAINED_BELOW
  return { familyOf, isTrained: (text) => isBelow(familyOf(text) ?? sha256Hex(normalised(text))) }
}

/** Case, marks and white space make no other text. */
export const normalised = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ')
    .trim()

const UNSPACED = /[\u3041-\u30ff\u3400-\u9fff\u0e00-\u0e7f\uac00-\ud7af]/

function sketchOf(text: string): Uint32Array {
  const spaced = UNSPACED.test(text) ? [...text.replaceAll(' ', '')].join(' ') : text
  const begins = [0]
  for (let at = spaced.indexOf(' '); at >= 0; at = spaced.indexOf(' ', at + 1)) begins.push(at + 1)
  begins.push(spaced.length + 1)
  const hashes = new Set<number>()
  for (let at = 0; at + SHINGLE < begins.length; at++)
    hashes.add(hashOf(spaced, begins[at] as number, (begins[at + SHINGLE] as number) - 1))
  return Uint32Array.from(hashes).sort().slice(0, SKETCH)
}

function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** The family of each text, by union of all that share enough. */
function familiesOf(sketches: readonly Uint32Array[]): number[] {
  const parents = sketches.map((_, at) => at)
  const find = (at: number): number => {
    let root = at
    while (parents[root] !== root) root = parents[root] as number
    for (let step = at; parents[step] !== root; ) {
      const next = parents[step] as number
      parents[step] = root
      step = next
    }
    return root
  }
  const holders = new Map<number, number[]>()
  sketches.forEach((sketch, at) => {
    const common = new Map<number, number>()
    for (const hash of sketch) {
      const list = holders.get(hash) ?? []
      for (const other of list) common.set(other, (common.get(other) ?? 0) + 1)
      // A run that stands in many texts is a template's: a few of its holders lead to all the others.
      if (list.length < 16) list.push(at)
      holders.set(hash, list)
    }
    for (const [other, shared] of common)
      if (shared >= Math.min(SHARED, sketch.length, (sketches[other] as Uint32Array).length))
        parents[find(at)] = find(other)
  })
  return parents.map((_, at) => find(at))
}
