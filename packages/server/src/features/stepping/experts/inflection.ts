// The forms of English verbs, made once when the lexicon is built.
import type { ForeignCode } from './languages/language.ts'
import { ACTION_CLASSES, type ActionClass, DOUBLING, IRREGULAR, NOUNS, VERBS } from './verbs.ts'

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

const ENGLISH = { languages: ['en'] } as const
const VOWELS = 'aeiou'

export function verbForms(): Map<string, VerbForm> {
  const forms = new Map<string, VerbForm>()
  const enter = (word: string, form: VerbForm): void => {
    // The base form of another verb outranks an inflected one.
    if (!forms.has(word) || form.form === 'base') forms.set(word, form)
  }
  for (const kind of ACTION_CLASSES)
    for (const entry of VERBS[kind].split(' ')) {
      const [lemma, ambiguous] = entry.endsWith('~') ? [entry.slice(0, -1), true] : [entry, false]
      enter(lemma, { lemma, kind, form: 'base', ambiguous, ...ENGLISH })
      enter(thirdPerson(lemma), { lemma, kind, form: 's', ambiguous, ...ENGLISH })
      enter(ingForm(lemma), { lemma, kind, form: 'ing', ambiguous: false, ...ENGLISH })
      for (const past of IRREGULAR[lemma] ?? [pastForm(lemma)])
        enter(past, { lemma, kind, form: 'past', ambiguous: false, ...ENGLISH })
    }
  for (const [noun, kind] of Object.entries(NOUNS))
    enter(noun, { lemma: noun, kind, form: 'noun', ambiguous: false, ...ENGLISH })
  return forms
}

function thirdPerson(lemma: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(lemma)) return `${lemma}es`
  return endsInConsonantY(lemma) ? `${lemma.slice(0, -1)}ies` : `${lemma}s`
}

function ingForm(lemma: string): string {
  if (lemma.endsWith('e') && !lemma.endsWith('ee')) return `${lemma.slice(0, -1)}ing`
  return `${doubled(lemma)}ing`
}

function pastForm(lemma: string): string {
  if (lemma.endsWith('e')) return `${lemma}d`
  return endsInConsonantY(lemma) ? `${lemma.slice(0, -1)}ied` : `${doubled(lemma)}ed`
}

const doubled = (lemma: string): string => (DOUBLING.has(lemma) ? lemma + lemma.at(-1) : lemma)
const endsInConsonantY = (lemma: string): boolean => lemma.endsWith('y') && !VOWELS.includes(lemma.at(-2) ?? '')

/** Good enough to see that `logs` and `log` are one thing. */
export function singular(noun: string): string {
  if (noun.length > 4 && noun.endsWith('ies')) return `${noun.slice(0, -3)}y`
  return noun.length > 3 && noun.endsWith('s') && !noun.endsWith('ss') ? noun.slice(0, -1) : noun
}
