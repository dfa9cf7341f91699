/** Phrases of several words found in one walk: a table by first word, longest first. */
import type { Token } from './tokens.ts'

export class Phrases<T> {
  private readonly byFirst = new Map<string, { words: string[]; value: T }[]>()

  constructor(entries: Iterable<readonly [phrase: string, value: T]>) {
    for (const [phrase, value] of entries) {
      const words = phrase.split(' ')
      const list = this.byFirst.get(words[0]!) ?? []
      list.push({ words, value })
      list.sort((a, b) => b.words.length - a.words.length)
      this.byFirst.set(words[0]!, list)
    }
  }

  /** The longest phrase that begins at this token; no phrase reaches over the end of a sentence. */
  at(tokens: readonly Token[], at: number): { size: number; value: T } | null {
    const token = tokens[at]
    if (!token) return null
    for (const { words, value } of this.byFirst.get(token.word) ?? [])
      if (words.every((word, i) => tokens[at + i]?.word === word && tokens[at + i]?.sentence === token.sentence))
        return { size: words.length, value }
    return null
  }

  words(): string[] {
    return [...this.byFirst.values()].flat().flatMap(({ words }) => words)
  }
}

export const plainPhrases = (list: readonly string[]): Phrases<true> =>
  new Phrases(list.map((phrase) => [phrase, true] as const))
