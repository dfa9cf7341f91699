/** Every form of every verb the experts know, in all languages, looked up by the word as it stands, then without
 *  accents, then without the pronouns that Spanish joins to the end of a verb. */
import { type VerbForm, verbForm, verbForms } from './inflection.ts'
import { type ForeignCode, type ForeignVerb, LANGUAGES, plainLetters } from './languages.ts'
import { ACTION_CLASSES, type ActionClass, FOREIGN } from './word-lists.ts'

/** What stands behind makes it a verb of this meaning. */
interface Separable {
  form: VerbForm
  particles: ReadonlySet<string>
}

const MIN_LENGTH_WITH_CLITIC = 6

export type VerbTable = ReturnType<typeof createVerbTable>

export function createVerbTable() {
  const table = verbForms()
  const english = new Set(table.keys())
  const parts = new Map<string, Separable[]>()

  /** English outranks; of two other languages the graver meaning counts and both are remembered. */
  const enter = (word: string, form: VerbForm): void => {
    if (english.has(word) || FOREIGN.english_words.has(word)) return
    const known = table.get(word)
    if (known === undefined) table.set(word, form)
    else if (known.form === form.form)
      table.set(word, {
        ...(graver(known.kind, form.kind) ? known : form),
        languages: [...new Set([...known.languages, ...form.languages])],
      })
  }
  const enterAll = (code: ForeignCode, { lemma, kind, forms, past, denied }: ForeignVerb): void => {
    const base = verbForm(lemma, kind, code)
    const enterEach = (words: readonly string[], more: Partial<VerbForm>): void => {
      for (const word of words) enter(word, { ...base, ambiguous: FOREIGN.ambiguous.has(word), ...more })
    }
    enterEach(past, { form: 'past' })
    enterEach(denied, { denied: true })
    enterEach(forms.flatMap(spellings), {})
  }
  for (const { code, verbs, separable } of LANGUAGES) {
    for (const verb of verbs) enterAll(code, verb)
    for (const { forms, particles, kind, lemma } of separable)
      for (const word of forms.flatMap(spellings)) {
        const part = { form: verbForm(lemma, kind, code), particles: new Set(particles) }
        parts.set(word, [...(parts.get(word) ?? []), part])
      }
  }

  /** `bórralo`: something is named, if only by a pronoun. */
  const withoutClitic = (word: string): VerbForm | undefined => {
    if (word.length < MIN_LENGTH_WITH_CLITIC || FOREIGN.english_words.has(word)) return undefined
    for (const clitic of FOREIGN.clitics) {
      if (!word.endsWith(clitic)) continue
      const form = table.get(word.slice(0, -clitic.length))
      if (form?.languages.includes('es') && form.form === 'base') return { ...form, pronoun: true }
    }
    return undefined
  }
  return {
    get(word: string): VerbForm | undefined {
      const found = table.get(word)
      if (found || !/[^a-z]/.test(word)) return found ?? withoutClitic(word)
      const plain = plainLetters(word)
      return table.get(plain) ?? withoutClitic(plain)
    },
    separableAt: (word: string): readonly Separable[] => parts.get(word) ?? parts.get(plainLetters(word)) ?? [],
    words: (of: 'en' | 'foreign'): string[] =>
      [...table].filter(([, form]) => (form.languages[0] === 'en') === (of === 'en')).map(([word]) => word),
  }
}

const graver = (one: ActionClass, other: ActionClass): boolean =>
  ACTION_CLASSES.indexOf(one) >= ACTION_CLASSES.indexOf(other)

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ё: 'е' }

/** As written, without accents, and with umlauts written out. Cyrillic `й` is a letter and no `и` with an accent. */
function spellings(word: string): string[] {
  const spelt = word.replace(/[äöüßё]/g, (letter) => UMLAUTS[letter]!)
  return [...new Set([word, spelt, ...(/[а-я]/.test(word) ? [] : [plainLetters(word)])])]
}
