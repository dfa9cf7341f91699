/** The word lists of the experts, from rules/step-lexicon.json. What a step is decided by belongs to the build, so the
 *  digest of the lists is pinned here: other words are another build, and the service does not start with them. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import document from '../../../../rules/step-lexicon.json' with { type: 'json' }

const LEXICON_SHA256 = '79e2460b5d1534a557b8c41c7def46852113ead724729694e6a754a4a67de251'

/** Throws unless the canonical form of the document has this digest, so that formatting it changes nothing. */
export function readPinned<T>(lists: T, sha256: string): T {
  const found = sha256Hex(canonicalBytes(lists))
  if (found !== sha256) throw new Error(`step-lexicon.json has the digest ${found} and not ${sha256}`)
  return lists
}

export const ACTION_CLASSES = ['read', 'write', 'send', 'execute', 'pay', 'delete'] as const
export type ActionClass = (typeof ACTION_CLASSES)[number]

export const { english: ENGLISH, foreign, languages: LANGUAGE_LISTS } = readPinned(document, LEXICON_SHA256)

export const splitWords = (list: string): string[] => (list === '' ? [] : list.split(' '))

function toSets<Name extends string>(lists: Record<Name, string>): Record<Name, ReadonlySet<string>> {
  const sets = {} as Record<Name, ReadonlySet<string>>
  for (const name of Object.keys(lists) as Name[]) sets[name] = new Set(splitWords(lists[name]))
  return sets
}

/** Small words of English that say who is meant, how much, and whether it is asked for at all.
 *  - `universal_idioms`: before `all` they take its scope from it. `limiting`: narrow the scope.
 *  - `subordinate`: begin a clause of their own; scope words beyond them belong to something else.
 *  - `fillers`: may stand between a negation, a modal or a request and its verb.
 *  - `refusals_to` and `refusals_ing`: turn the meaning of `to` and a verb, or of a verb in -ing, around.
 *  - `conditions`: a negation in a condition denies the condition and not the action.
 *  - `asking`: begin a question or an explanation, whose verbs are spoken about and not asked for.
 *  - `reporting`: right before a quotation, which is then cited and not meant. `obeying`: make it an order. */
export const GRAMMAR = toSets(ENGLISH.grammar)
/** Words that name data, places outside, powers and controls.
 *  - `not_data_before`: behind a class of data they make it a subject and no value.
 *  - `outside`: places outside, as the head of where something goes; a URL or an address is one by its form.
 *  - `root_before` and `root_after`: beside `root` they say that it is no account.
 *  - `switching_off`: verbs that ask for less control when one of `controls` follows. */
export const SUBJECTS = toSets(ENGLISH.subjects)
/** Further words that the reading of English clauses turns on. */
export const CLAUSE = toSets(ENGLISH.clause)
/** Around a number: `units` behind it count no list, behind `labels` it is a name, behind `about` it is vague; a list with
 *  one of `open` is not complete. */
export const COUNTING = toSets(ENGLISH.counting)
/** Words of the other languages that belong to none of them alone.
 *  - `english_words`: words of English that are forms of another language's verb only by accident.
 *  - `ambiguous`: nouns or words of English as well; verbs only where a clause begins.
 *  - `clitics`: pronouns that Spanish joins to the end of a verb.
 *  - `stores` and `stores_unspaced`: what contains the data of many, in all languages. */
export const FOREIGN = toSets(foreign)
