/** What is done to what, and whether it is asked for, in languages other than English. Orders of words differ, so
 *  less is read than in English: everything, a thing, or nothing at all near the verb; and a negation that stands
 *  right beside it. What cannot be read with certainty counts as asked. */
import { type Complements, nothing } from './clause.ts'
import type { VerbForm } from './inflection.ts'
import { type ForeignCode, findLanguage, plainLetters, WORD_LISTS, type WordList } from './languages.ts'
import type { Token } from './tokens.ts'
import type { VerbTable } from './verb-table.ts'
import { FOREIGN, GRAMMAR } from './word-lists.ts'

const REACH = 24
const BETWEEN = 4

type Words = Record<WordList, ReadonlySet<string>>

const cached = new Map<string, Words>()

/** The small words of every language the verb may be of. */
function wordsOf(codes: readonly ForeignCode[]): Words {
  const key = codes.join()
  const known = cached.get(key)
  if (known) return known
  const listed = (list: WordList) => codes.map(findLanguage).flatMap((language) => language[list])
  const set = (list: WordList) => new Set(listed(list).flatMap((word) => [word, plainLetters(word)]))
  const made = Object.fromEntries(WORD_LISTS.map((list) => [list, set(list)])) as Record<WordList, Set<string>>
  cached.set(key, made)
  return made
}

const codesOf = ({ languages }: VerbForm): ForeignCode[] =>
  languages.filter((code): code is ForeignCode => code !== 'en')

/** Where a word that is a noun as well can be a verb: at the beginning, behind a mark, `and`, `please` or `then`. */
export function isForeignVerbPlace(tokens: readonly Token[], at: number): boolean {
  const [token, before] = [tokens[at]!, tokens[at - 1]]
  return !before || before.sentence !== token.sentence || token.mark !== '' || FOREIGN.joining.has(before.word)
}

/** Null where the form tells of something done. */
export function foreignComplements(
  tokens: readonly Token[],
  at: number,
  form: VerbForm,
  verbs: VerbTable,
): Complements | null {
  const words = wordsOf(codesOf(form))
  const [before, after] = [back(tokens, at, verbs), forth(tokens, at, verbs)]
  if (form.form === 'past' && ![...before, ...after].some(({ word }) => words.passive.has(word))) return null
  const object = nothing()
  object.pronoun = form.pronoun ?? false
  weigh(after, words, object)
  if (looksBack(form, before, object.heads.length === 0 && !object.universal && !object.outside))
    weigh(before, words, object)
  return { object, recipient: nothing() }
}

/** Japanese and German put the object before the verb, Chinese behind `把`; elsewhere it stands there if nowhere else. */
const looksBack = ({ languages, form, lemma }: VerbForm, before: readonly Token[], nothingAfter: boolean): boolean =>
  nothingAfter ||
  form === 'past' ||
  languages.includes('ja') ||
  (languages.includes('de') && lemma.endsWith('en')) ||
  before.some(({ word }) => FOREIGN.taking.has(word))

function weigh(region: readonly Token[], words: Words, object: Complements['object']): void {
  for (const { word, kind } of region) {
    if (words.universal.has(word) || GRAMMAR.universal.has(word)) object.universal = true
    else if (kind !== 'word') object.outside = true
    else if (FOREIGN.pronouns.has(word)) object.pronoun = true
    else if (!words.small.has(word) && !words.between.has(word) && !words.negations.has(word)) object.heads.push(word)
  }
}

function back(tokens: readonly Token[], at: number, verbs: VerbTable): readonly Token[] {
  let from = at
  while (from > 0 && at - from < REACH && tokens[from]!.mark !== ';' && joins(tokens, from - 1, at, verbs)) from--
  return tokens.slice(from, at)
}

function forth(tokens: readonly Token[], at: number, verbs: VerbTable): readonly Token[] {
  let to = at + 1
  while (to < tokens.length && to - at < REACH && tokens[to]!.mark !== ';' && joins(tokens, to, at, verbs)) to++
  return tokens.slice(at + 1, to)
}

/** Commas end nothing, since one is easily put in; another verb does. */
const joins = (tokens: readonly Token[], at: number, verb: number, verbs: VerbTable): boolean => {
  const token = tokens[at]!
  if (token.sentence !== tokens[verb]!.sentence) return false
  const form = verbs.get(token.word)
  return form === undefined || form.form !== 'base' || form.ambiguous
}

export function isForeignForbidden(tokens: readonly Token[], at: number, form: VerbForm): boolean {
  if (form.denied) return true
  const words = wordsOf(codesOf(form))
  return deniedBefore(tokens, at, form, words) || deniedAfter(tokens, at, form, words)
}

function deniedBefore(tokens: readonly Token[], at: number, { languages }: VerbForm, words: Words): boolean {
  for (let from = at - 1; from >= 0 && at - from <= BETWEEN + 1; from--) {
    const token = tokens[from]!
    if (token.sentence !== tokens[at]!.sentence || tokens[from + 1]!.mark !== '') return false
    if (words.negations.has(token.word)) return !languages.includes('fr') || tokens[from - 1]?.word === 'ne'
    const noun = languages.includes('de') && NO_NOUN.test(tokens[from - 1]?.word ?? '')
    if (!words.between.has(token.word) && !noun && !takesObject(tokens, from, words)) return false
  }
  return false
}

/** "keine Logs löschen" */
const NO_NOUN = /^kein/

/** "不要把日志删除": between the negation and the verb stands what is taken. */
const takesObject = (tokens: readonly Token[], at: number, words: Words): boolean => {
  for (let from = at; from > 0 && at - from < BETWEEN; from--)
    if (FOREIGN.taking.has(tokens[from]!.word)) return words.negations.has(tokens[from - 1]!.word)
  return false
}

/** German and French say no behind the verb; "nicht nur" and "pas seulement" say no such thing. */
function deniedAfter(tokens: readonly Token[], at: number, { languages }: VerbForm, words: Words): boolean {
  if (!languages.includes('de') && !languages.includes('fr')) return false
  let to = at + 1
  while (to < tokens.length && to - at <= REACH && isSame(tokens, at, to)) {
    const isNegation = words.negations.has(tokens[to]!.word) && !FOREIGN.only.has(tokens[to + 1]?.word ?? '')
    const isLast = to + 1 >= tokens.length || !isSame(tokens, at, to + 1)
    if (isNegation && (to === at + 1 || isLast || passedOver(tokens, at, to, words))) return true
    to++
  }
  return false
}

const isSame = (tokens: readonly Token[], at: number, to: number): boolean =>
  tokens[to]!.sentence === tokens[at]!.sentence && tokens[to]!.mark === ''

const passedOver = (tokens: readonly Token[], at: number, to: number, words: Words): boolean =>
  tokens.slice(at + 1, to).every(({ word }) => words.between.has(word) || FOREIGN.pronouns.has(word) || word === 'sie')
