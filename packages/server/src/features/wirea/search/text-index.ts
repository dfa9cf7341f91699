/** Documents and the words in them, for BM25 (Robertson and Zaragoza 2009) over weighted fields. */
import type { SearchDocument } from '../contract.ts'
import { stemOf, wordsOf } from './terms.ts'

const BOOSTS = { id: 3, title: 2, body: 1 } as const
const FIELDS = Object.keys(BOOSTS) as (keyof typeof BOOSTS)[]

export interface IndexedDocument {
  document: SearchDocument
  /** How often each stem occurs, fields weighted. */
  counts: ReadonlyMap<string, number>
  /** The sum of the counts. */
  length: number
  /** Stems of each field in their order, for phrases. */
  fields: readonly (readonly string[])[]
}

export class TextIndex {
  readonly documents: readonly IndexedDocument[]
  /** Words as they stand in the texts, by what they were reduced to. */
  readonly surface = new Map<string, string>()
  readonly totalLength: number
  readonly #holders = new Map<string, IndexedDocument[]>()
  /** The words in order, so that those with one beginning stand together. Made at the first prefix. */
  #ordered: string[] | null = null

  constructor(documents: readonly SearchDocument[]) {
    this.documents = documents.map((document) => this.#index(document))
    this.totalLength = this.documents.reduce((sum, { length }) => sum + length, 0)
    for (const indexed of this.documents)
      for (const stem of indexed.counts.keys()) {
        const known = this.#holders.get(stem)
        if (known) known.push(indexed)
        else this.#holders.set(stem, [indexed])
      }
  }

  holders(stem: string): readonly IndexedDocument[] {
    return this.#holders.get(stem) ?? []
  }

  /** What the words that begin so were reduced to. */
  stemsFrom(prefix: string): Set<string> {
    this.#ordered ??= [...this.surface.keys()].sort()
    const stems = new Set<string>()
    for (let at = firstFrom(this.#ordered, prefix); this.#ordered[at]?.startsWith(prefix); at += 1)
      stems.add(this.surface.get(this.#ordered[at]!)!)
    return stems
  }

  #index(document: SearchDocument): IndexedDocument {
    const counts = new Map<string, number>()
    let length = 0
    const fields = FIELDS.map((field) =>
      wordsOf(document[field]).map((word) => {
        const stem = stemOf(word)
        this.surface.set(word, stem)
        counts.set(stem, (counts.get(stem) ?? 0) + BOOSTS[field])
        length += BOOSTS[field]
        return stem
      }),
    )
    return { document, counts, length, fields }
  }
}

/** The first place whose word does not come before the one asked for. */
function firstFrom(ordered: readonly string[], word: string): number {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ordered[middle]! < word) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether the stems occur side by side in one of the fields. */
export const holdsPhrase = ({ fields }: IndexedDocument, phrase: readonly string[]): boolean =>
  fields.some((stems) =>
    stems.some((_, at) => at + phrase.length <= stems.length && phrase.every((stem, i) => stems[at + i] === stem)),
  )
