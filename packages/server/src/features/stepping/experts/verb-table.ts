/** Every form of every verb the experts know, in all languages, looked up by the word as it stands, then without
 *  accents, then without the pronouns that Spanish joins to the end of a verb. */
import { type VerbForm, verbForm, verbForms } from './inflection.ts'
import { type ForeignCode, type ForeignVerb, LANGUAGES, plainLetters } from './languages.ts'
import { ACTION_CLASSES, type ActionClass, FOREIGN } from './word-lists.ts'

/** What stands behind makes it a verb of this meaning. */
export interface Separable {
  form: VerbForm
  particles: ReadonlySet<string>
}

const MIN_LENGTH_WITH_CLITIC = 6

export class VerbTable {
  private readonly forms: Map<string, VerbForm>
  private readonly parts = new Map<string, Separable[]>()

  constructor() {
    this.forms = verbForms()
    const english = new Set(this.forms.keys())
    for (const { code, verbs, separable } of LANGUAGES) {
      for (const verb of verbs) this.enterAll(code, verb, english)
      for (const { forms, particles, kind, lemma } of separable)
        for (const word of forms) this.enterPart(word, verbForm(lemma, kind, code), particles)
    }
  }

  get(word: string): VerbForm | undefined {
    const found = this.forms.get(word)
    if (found || !/[^a-z]/.test(word)) return found ?? this.withoutClitic(word)
    const plain = plainLetters(word)
    return this.forms.get(plain) ?? this.withoutClitic(plain)
  }

  has(word: string): boolean {
    return this.get(word) !== undefined
  }

  separableAt(word: string): readonly Separable[] {
    return this.parts.get(word) ?? this.parts.get(plainLetters(word)) ?? []
  }

  words(of: 'en' | 'foreign'): string[] {
    const isWanted = ({ languages }: VerbForm): boolean => (languages[0] === 'en') === (of === 'en')
    return [...this.forms].filter(([, form]) => isWanted(form)).map(([word]) => word)
  }

  /** `bórralo`: something is named, if only by a pronoun. */
  private withoutClitic(word: string): VerbForm | undefined {
    if (word.length < MIN_LENGTH_WITH_CLITIC || FOREIGN.english_words.has(word)) return undefined
    for (const clitic of FOREIGN.clitics) {
      if (!word.endsWith(clitic)) continue
      const form = this.forms.get(word.slice(0, -clitic.length))
      if (form?.languages.includes('es') && form.form === 'base') return { ...form, pronoun: true }
    }
    return undefined
  }

  private enterAll(code: ForeignCode, { lemma, kind, forms, past, denied }: ForeignVerb, english: Set<string>): void {
    const enter = (words: readonly string[], more: Partial<VerbForm>): void => {
      for (const word of words)
        this.enter(word, { ...verbForm(lemma, kind, code), ambiguous: FOREIGN.ambiguous.has(word), ...more }, english)
    }
    enter(past, { form: 'past' })
    enter(denied, { denied: true })
    enter(forms.flatMap(spellings), {})
  }

  /** English outranks; of two other languages the graver meaning counts and both are remembered. */
  private enter(word: string, form: VerbForm, english: Set<string>): void {
    if (english.has(word) || FOREIGN.english_words.has(word)) return
    const known = this.forms.get(word)
    if (known === undefined) this.forms.set(word, form)
    else if (known.form === form.form)
      this.forms.set(word, {
        ...(graver(known.kind, form.kind) ? known : form),
        languages: [...new Set([...known.languages, ...form.languages])],
      })
  }

  private enterPart(word: string, form: VerbForm, particles: readonly string[]): void {
    for (const spelling of spellings(word))
      this.parts.set(spelling, [...(this.parts.get(spelling) ?? []), { form, particles: new Set(particles) }])
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
