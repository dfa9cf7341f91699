/** The forms of English verbs, made once when the lexicon is built. */
import type { ForeignCode } from './languages.ts'
import { ACTION_CLASSES, type ActionClass, ENGLISH, splitWords } from './word-lists.ts'

export interface VerbForm {
  lemma: string
  kind: ActionClass
  form: 'base' | 's' | 'ing' | 'past' | 'noun'
  /** A noun or an adjective as well. */
  ambiguous: boolean
  /** English, or every other language in which the word is this verb. */
  languages: readonly ('en' | ForeignCode)[]
  /** The form itself says no. */
  denied?: true
  /** A pronoun is joined to it. */
  pronoun?: true
}

/** Its base form, which is nothing but a verb. */
export const verbForm = (lemma: string, kind: ActionClass, language: 'en' | ForeignCode = 'en'): VerbForm => ({
  lemma,
  kind,
  form: 'base',
  ambiguous: false,
  languages: [language],
})

const VOWELS = 'aeiou'
/** Past form and participle; where one is missing the regular rule applies. */
const IRREGULAR: Partial<Record<string, string>> = ENGLISH.irregular
/** The last consonant is doubled before -ed and -ing. */
const DOUBLING = new Set(splitWords(ENGLISH.doubling))

/** In the lists a tilde marks a word that is a noun or an adjective as well and counts only where a verb can stand. */
export function verbForms(): Map<string, VerbForm> {
  const forms = new Map<string, VerbForm>()
  const enter = (word: string, form: VerbForm): void => {
    // The base form of another verb outranks an inflected one.
    if (!forms.has(word) || form.form === 'base') forms.set(word, form)
  }
  for (const kind of ACTION_CLASSES)
    for (const entry of splitWords(ENGLISH.verbs[kind])) {
      const [lemma, ambiguous] = entry.endsWith('~') ? [entry.slice(0, -1), true] : [entry, false]
      const verb = verbForm(lemma, kind)
      enter(lemma, { ...verb, ambiguous })
      enter(thirdPerson(lemma), { ...verb, form: 's', ambiguous })
      enter(ingForm(lemma), { ...verb, form: 'ing' })
      for (const past of IRREGULAR[lemma]?.split(' ') ?? [pastForm(lemma)]) enter(past, { ...verb, form: 'past' })
    }
  for (const [noun, kind] of Object.entries(ENGLISH.nouns) as [string, ActionClass][])
    enter(noun, { ...verbForm(noun, kind), form: 'noun' })
  return forms
}

function thirdPerson(lemma: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(lemma)) return `${lemma}es`
  return hasConsonantY(lemma) ? `${lemma.slice(0, -1)}ies` : `${lemma}s`
}

function ingForm(lemma: string): string {
  if (lemma.endsWith('e') && !lemma.endsWith('ee')) return `${lemma.slice(0, -1)}ing`
  return `${doubled(lemma)}ing`
}

function pastForm(lemma: string): string {
  if (lemma.endsWith('e')) return `${lemma}d`
  return hasConsonantY(lemma) ? `${lemma.slice(0, -1)}ied` : `${doubled(lemma)}ed`
}

const doubled = (lemma: string): string => (DOUBLING.has(lemma) ? lemma + lemma.at(-1) : lemma)
const hasConsonantY = (lemma: string): boolean => lemma.endsWith('y') && !VOWELS.includes(lemma.at(-2) ?? '')

/** Good enough to see that `logs` and `log` are one thing. */
export function singular(noun: string): string {
  if (noun.length > 4 && noun.endsWith('ies')) return `${noun.slice(0, -3)}y`
  return noun.length > 3 && noun.endsWith('s') && !noun.endsWith('ss') ? noun.slice(0, -1) : noun
}
