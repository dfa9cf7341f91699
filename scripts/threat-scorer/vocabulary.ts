// Which n-gram owns each slot of the table: of those that share it, the one that tells attacks from other texts best.
import type { BlockedText } from './examples.ts'

/** N-grams of fewer families of texts are noise, and might be somebody's name; those of one set are its own habit. */
const MIN_FAMILIES = 3
const MIN_SETS = 2

/** The slot of each n-gram that owns one, as a table by slot. */
export interface Vocabulary {
  slots: number
  owners: Int32Array
  owned: Uint8Array
  size: number
}

interface Seen {
  attacks: number
  others: number
  family: number
  sets: number
  set: number
  /** Seen first in a text of other letters than Latin ones, of which there are few: by their own number they would own
   *  nothing. */
  isForeign: boolean
}

const FOREIGN_WORTH = 5

export function vocabularyOf(texts: readonly BlockedText[], slots: number): Vocabulary {
  const counts = counted(texts.filter(({ isRead }) => isRead))
  const attacks = new Set(texts.filter(({ isAttack }) => isAttack).map(({ family }) => family)).size
  const others = new Set(texts.filter(({ isAttack }) => !isAttack).map(({ family }) => family)).size
  const vocabulary = { slots, owners: new Int32Array(slots), owned: new Uint8Array(slots), size: 0 }
  const worths = new Float64Array(slots)
  for (const [ngram, seen] of counts) {
    if (seen.attacks + seen.others < MIN_FAMILIES || seen.sets < MIN_SETS) continue
    const odds = Math.log((seen.attacks + 0.5) / (attacks + 1) / ((seen.others + 0.5) / (others + 1)))
    const worth = Math.abs(odds) * Math.sqrt(seen.attacks + seen.others) * (seen.isForeign ? FOREIGN_WORTH : 1)
    const slot = ngram & (slots - 1)
    const isFirst = worth === worths[slot] && ngram < (vocabulary.owners[slot] as number)
    const isBetter = worth > (worths[slot] as number) || isFirst
    if (vocabulary.owned[slot] === 1 && !isBetter) continue
    if (vocabulary.owned[slot] === 0) vocabulary.size++
    vocabulary.owned[slot] = 1
    vocabulary.owners[slot] = ngram
    worths[slot] = worth
  }
  return vocabulary
}

export const slotOf = ({ slots, owners, owned }: Vocabulary, ngram: number): number => {
  const slot = ngram & (slots - 1)
  return owned[slot] === 1 && owners[slot] === ngram ? slot : -1
}

/** Texts come family by family, so that the last one seen tells whether a family was counted. */
function counted(texts: readonly BlockedText[]): Map<number, Seen> {
  const counts = new Map<number, Seen>()
  const ordered = [...texts].sort((a, b) => compare(a.family, b.family) || compare(a.text, b.text))
  const sets = new Map<string, number>()
  let [family, name] = [0, '']
  for (const text of ordered) {
    if (text.family !== name) family++
    name = text.family
    const set = sets.get(text.set) ?? sets.size + 1
    sets.set(text.set, set)
    for (const block of text.blocks) for (const ngram of block) count(counts, ngram, family, set, text)
  }
  return counts
}

function count(
  counts: Map<number, Seen>,
  ngram: number,
  family: number,
  set: number,
  { isAttack, isForeign }: BlockedText,
): void {
  let seen = counts.get(ngram)
  if (seen === undefined) {
    seen = { attacks: 0, others: 0, family: 0, sets: 0, set: 0, isForeign }
    counts.set(ngram, seen)
  }
  if (seen.family === family) return
  seen.family = family
  seen[isAttack ? 'attacks' : 'others']++
  // Two are enough to know, so the last one is all that has to be remembered.
  if (seen.set !== set) seen.sets++
  seen.set = set
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
