/** The languages besides English: the forms of their verbs by class, and the small words around them. The rules that read
 *  them are in `foreign-clause.ts`. */
import { ACTION_CLASSES, type ActionClass, LANGUAGE_LISTS, splitWords } from './word-lists.ts'

export type ForeignCode = keyof typeof LANGUAGE_LISTS

export interface ForeignVerb {
  lemma: string
  kind: ActionClass
  /** Orders, infinitives, what is done now: the forms in which something is asked for. */
  forms: readonly string[]
  /** Participles: they tell of something done, unless a word of `passive` stands in the sentence. */
  past: readonly string[]
  /** Forms that already say no. */
  denied: readonly string[]
}

/** The small words of a language.
 *  - `negations`: say no to the verb they stand next to.
 *  - `between`: may stand between a negation and its verb: pronouns and particles.
 *  - `passive`: make a participle an order: "must be", "should be".
 *  - `small`: articles, prepositions, pronouns and courtesies: no thing that something is done to.
 *  - `other`: no verbs, whatever they contain: cut out whole where nothing parts words in writing. */
export const WORD_LISTS = ['universal', 'negations', 'between', 'passive', 'small', 'other'] as const
export type WordList = (typeof WORD_LISTS)[number]

interface Language extends Record<WordList, readonly string[]> {
  code: ForeignCode
  verbs: readonly ForeignVerb[]
  /** A verb in two parts, as in "führe das Skript aus": its own forms, what must stand behind, and what both mean. */
  separable: readonly { forms: readonly string[]; particles: readonly string[]; kind: ActionClass; lemma: string }[]
  /** Begin a question. */
  asking: readonly string[]
}

/** Rows of `lemma form form ...`; a form behind `-` says no, one behind `=` is a participle. */
function toVerb(kind: ActionClass, row: string): ForeignVerb {
  const all = row.split(' ')
  const marked = (mark: string): string[] => all.filter((form) => form.startsWith(mark)).map((form) => form.slice(1))
  const forms = all.filter((form) => !form.startsWith('-') && !form.startsWith('='))
  return { lemma: forms[0]!, kind, forms, past: marked('='), denied: marked('-') }
}

const VOWEL = /^[aeiouyéèêàâîôûh]/

/** French, where apostrophes are left out of words: `l'envoyer` and `n'efface` are one word with the verb. Only `n'` says
 *  no, and only together with `pas`. */
function elided(verb: ForeignVerb): ForeignVerb {
  const after = verb.forms.filter((form) => VOWEL.test(form))
  const joined = ['l', 'd', 'm', 't', 's', 'n'].flatMap((letter) => after.map((form) => letter + form))
  return { ...verb, forms: [...verb.forms, ...joined] }
}

function toLanguage(code: ForeignCode): Language {
  const { verbs, separable, asking, ...lists } = LANGUAGE_LISTS[code]
  const listed = ACTION_CLASSES.flatMap((kind) => verbs[kind].map((row) => toVerb(kind, row)))
  const words = Object.fromEntries(WORD_LISTS.map((name) => [name, splitWords(lists[name])]))
  return {
    ...(words as Record<WordList, string[]>),
    code,
    verbs: code === 'fr' ? listed.map(elided) : listed,
    separable: separable.map(({ lemma, kind, forms, particles }) => ({
      lemma,
      kind: kind as ActionClass,
      forms: splitWords(forms),
      particles: splitWords(particles),
    })),
    asking,
  }
}

export const LANGUAGES: readonly Language[] = (Object.keys(LANGUAGE_LISTS) as ForeignCode[]).map(toLanguage)
const BY_CODE = new Map(LANGUAGES.map((language) => [language.code, language]))

export const findLanguage = (code: ForeignCode): Language => BY_CODE.get(code)!

/** Without accents, as people type them in a hurry. */
export const plainLetters = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '')
