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

/** Whether the stems occur side by side in one of the fields. */
export const holdsPhrase = ({ fields }: IndexedDocument, phrase: readonly string[]): boolean =>
  fields.some((stems) =>
    stems.some((_, at) => at + phrase.length <= stems.length && phrase.every((stem, i) => stems[at + i] === stem)),
  )
