// What a language other than English brings: the forms of its verbs by class, and the small words around them. The rules
// that read them are in `foreign-clause.ts`; a language is data and, where its verbs are regular, the paradigm that
// makes their forms.
import { ACTION_CLASSES, type ActionClass } from '../verbs.ts'

export const FOREIGN = ['de', 'fr', 'es', 'pt', 'ru', 'zh', 'ja'] as const
export type ForeignCode = (typeof FOREIGN)[number]

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

export interface Language {
  code: ForeignCode
  verbs: readonly ForeignVerb[]
  /** A verb in two parts, as in "führe das Skript aus": its own forms, what must stand behind, and what both mean. */
  separable: readonly { forms: readonly string[]; particles: readonly string[]; kind: ActionClass; lemma: string }[]
  universal: readonly string[]
  /** Say no to the verb they stand beside. */
  negations: readonly string[]
  /** May stand between a negation and its verb: pronouns and particles. */
  between: readonly string[]
  /** Begin a question. */
  asking: readonly string[]
  /** Make a participle an order: "must be", "should be". */
  passive: readonly string[]
  /** Articles, prepositions, pronouns and courtesies: no thing that something is done to. */
  small: readonly string[]
}

/** Rows of `lemma form form ...`; a form behind `-` says no, one behind `=` is a participle. */
export const listed = (rows: Record<ActionClass, readonly string[]>): ForeignVerb[] =>
  ACTION_CLASSES.flatMap((kind) => rows[kind].map((row) => verbOf(kind, row.split(' '))))

function verbOf(kind: ActionClass, all: readonly string[]): ForeignVerb {
  const marked = (mark: string): string[] => all.filter((form) => form.startsWith(mark)).map((form) => form.slice(1))
  const forms = all.filter((form) => !form.startsWith('-') && !form.startsWith('='))
  return { lemma: forms[0]!, kind, forms, past: marked('='), denied: marked('-') }
}

export const words = (list: string): string[] => list.split(' ')

/** Without accents, as people type them in a hurry. */
export const plainLetters = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '')
