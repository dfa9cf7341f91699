/** What can be worked out from the request alone, before the session is locked. */
import type { Confusables } from '../../../domain/text/confusables.ts'
import { type ActionMarks, rememberedMarks } from './contradiction.ts'
import type { StepLexicon } from './lexicon.ts'
import { hashShingles, hashShortWords, type KeyedHash } from './novelty.ts'
import { type Reading, readingOf } from './reading.ts'
import { type Reference, referencesIn } from './references.ts'

export interface Prepared {
  /** Null where the text could not be read; then no expert answers. */
  reading: Reading | null
  /** To be looked up for this owner before the step is assessed. */
  references: Reference[]
  shingles: string[]
  /** Of a short text; of a longer one none. */
  words: string[]
  marks: ActionMarks
  codePoints: number
}

export interface Words {
  table: Confusables
  lexicon: StepLexicon
  hash: KeyedHash
}

export function prepare(request: string, { table, lexicon, hash }: Words): Prepared {
  const reading = read(request, table, lexicon)
  const codePoints = [...request].length
  if (!reading) {
    const shingles = [hash(request.toWellFormed())]
    return { reading, references: [], shingles, words: [], marks: { asked: [], forbidden: [] }, codePoints }
  }
  return {
    reading,
    references: referencesIn(reading.plain),
    shingles: hashShingles(reading.folded, hash),
    words: hashShortWords(reading.folded, hash),
    marks: rememberedMarks(reading.plain.actions, hash),
    codePoints,
  }
}

function read(request: string, table: Confusables, lexicon: StepLexicon): Reading | null {
  try {
    return readingOf(request, table, lexicon)
  } catch {
    // The pipeline's normaliser meets the same text and denies; here it means that nobody can say what the text asks.
    return null
  }
}
