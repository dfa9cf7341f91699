/** The jobs of N9 in the thread of the indexes. */
import {
  derivedTexts,
  type SearchedText,
  type TextAnswer,
  TextIndex,
  type TextQuery,
} from '../../search/io/text-index.ts'
import { StoredText } from '../collections.ts'
import { readBundled } from './bundled.ts'

export const { ask, add, drop } = derivedTexts(StoredText, (text) => [text])

/** Texts that are searched once. */
export function rankOnce({ texts, query }: { texts: SearchedText[]; query: TextQuery | null }): TextAnswer | null {
  if (query === null) return null
  const before = process.hrtime.bigint()
  const index = new TextIndex(texts)
  const indexUs = Number(process.hrtime.bigint() - before) / 1000
  try {
    return { ...index.answer(query), indexUs: Math.round(indexUs) }
  } finally {
    index.close()
  }
}

const bundled = new Map<string | null, TextIndex>()

/** The documentation in a folder, as it was when it was first asked for; without a query it is only read. */
export async function rankDocs({ folder, query }: { folder: string | null; query: TextQuery | null }) {
  const index = bundled.get(folder) ?? new TextIndex(await readBundled(folder))
  bundled.set(folder, index)
  return query && index.answer(query)
}
