/** All words of the experts in one table, also as they look after look-alikes became one letter: in that view a word
 *  of the text is read back as the word it imitates. */
import { type Confusables, skeletonWord } from '../../../domain/text/confusables.ts'
import { LANGUAGES, plainLetters } from './languages.ts'
import type { Token } from './tokens.ts'
import { createVerbTable } from './verb-table.ts'
import { type ActionClass, ENGLISH, GRAMMAR, SUBJECTS } from './word-lists.ts'

/** Phrases of several words found in one walk: a table by first word, longest first. */
class Phrases<T> {
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

const plainPhrases = (list: readonly string[]): Phrases<true> =>
  new Phrases(list.map((phrase) => [phrase, true] as const))

export type StepLexicon = ReturnType<typeof stepLexicon>

/** Built once for the table in charge. */
export function stepLexicon(table: Confusables) {
  const lexicon = {
    verbs: createVerbTable(),
    verbPhrases: new Phrases(Object.entries(ENGLISH.verb_phrases) as [string, ActionClass][]),
    idioms: plainPhrases(ENGLISH.idioms),
    negationIdioms: new Phrases<boolean>([
      ...ENGLISH.negation_idioms.map((phrase) => [phrase, true] as const),
      // This one means what it says.
      ['dont you dare', false],
    ]),
    requestOpeners: plainPhrases(ENGLISH.request_openers),
    /** Begin a question in another language than English. */
    foreignQuestions: plainPhrases(
      LANGUAGES.flatMap(({ asking }) => asking.flatMap((one) => [one, plainLetters(one)])),
    ),
    data: plainPhrases(ENGLISH.data_phrases),
    privileges: plainPhrases(ENGLISH.privilege_phrases),
  }
  const skeletons = new Map<string, string>()
  const { verbs, ...phrases } = lexicon
  const phraseWords = Object.values(phrases).flatMap((table) => table.words())
  // Small words before the verbs of other languages: `le` is an article sooner than a form of `ler`.
  for (const word of [...verbs.words('en'), ...phraseWords, ...plainWords(), ...verbs.words('foreign')])
    if (!skeletons.has(skeletonWord(word, table))) skeletons.set(skeletonWord(word, table), word)
  return {
    ...lexicon,
    spell: (word: string) => word,
    /** For a view in which look-alikes are already one letter. */
    spellSkeleton: (word: string) => skeletons.get(word) ?? word,
  }
}

function plainWords(): string[] {
  const english = [...Object.values(SUBJECTS), ...Object.values(GRAMMAR)].flatMap((set) => [...set])
  const others = LANGUAGES.flatMap(({ universal, negations, between, passive, small, separable }) => [
    ...[universal, negations, between, passive, small].flat(),
    ...separable.flatMap(({ forms, particles }) => [...forms, ...particles]),
  ])
  return [...english, ...others]
}
