/** What is done to what and to whom: the words around a verb, read by their small words alone. */

import { singular } from './inflection.ts'
import type { StepLexicon } from './lexicon.ts'
import type { Token } from './tokens.ts'
import { CLAUSE, GRAMMAR } from './word-lists.ts'

export interface Part {
  /** The things named, in the singular. */
  heads: string[]
  universal: boolean
  limited: boolean
  /** Nothing but a pronoun. */
  pronoun: boolean
  /** "anything except the logs": what is excepted from a prohibition is asked for. */
  excepts: boolean
  /** A URL or an address is among them. */
  outside: boolean
}

export interface Complements {
  object: Part
  recipient: Part
}

const REACH = 24

export const nothing = (): Part => ({
  heads: [],
  universal: false,
  limited: false,
  pronoun: false,
  excepts: false,
  outside: false,
})

/** From a verb on: its object, then where it goes. Commas do not end it, since one is easily put in; a verb does. */
export function complementsAfter(tokens: readonly Token[], verb: number, lexicon: StepLexicon): Complements {
  const end = reachOf(tokens, verb + 1, tokens[verb]!, lexicon)
  return complementsOf(tokens, verb + 1, end)
}

/** Before a passive: what stands from the start of its clause to the auxiliary. */
export function subjectBefore(tokens: readonly Token[], auxiliary: number): Part {
  const sentence = tokens[auxiliary]!.sentence
  let from = auxiliary
  while (from > 0 && auxiliary - from < REACH && belongs(tokens, from, sentence)) from--
  const { object, recipient } = complementsOf(tokens, from, auxiliary)
  // Nothing is sent in a subject: `the files given to all customers` is one thing.
  return {
    ...object,
    heads: [...object.heads, ...recipient.heads],
    universal: object.universal || recipient.universal,
    excepts: object.excepts || recipient.excepts,
  }
}

function belongs(tokens: readonly Token[], at: number, sentence: number): boolean {
  const before = tokens[at - 1]!
  if (before.sentence !== sentence || STOPS.includes(tokens[at]!.mark || ' ')) return false
  return !GRAMMAR.subordinate.has(before.word) && !GRAMMAR.contrast.has(before.word)
}

const STOPS = ';:.?'

/** What is said inside a quotation ends with it; a verb alone in quotation marks still has its object behind them. */
function reachOf(tokens: readonly Token[], from: number, { sentence, quotation }: Token, lexicon: StepLexicon): number {
  let at = from
  while (at < tokens.length && at - from < REACH) {
    const token = tokens[at]!
    if (token.sentence !== sentence || token.mark === ';' || GRAMMAR.subordinate.has(token.word)) break
    if (quotation >= 0 && token.quotation !== quotation && at > from) break
    if (beginsNext(tokens, at, from, lexicon)) break
    at++
  }
  return at
}

/** Another verb after `and`, a comma, `then` or the like. */
function beginsNext(tokens: readonly Token[], at: number, from: number, lexicon: StepLexicon): boolean {
  const token = tokens[at]!
  if (GRAMMAR.contrast.has(token.word) && at > from && !isException(tokens, at)) return true
  const form = lexicon.verbs.get(token.word)
  if (!form || form.form === 'past' || form.form === 'noun') return false
  const before = tokens[at - 1]!
  return (
    GRAMMAR.connectors.has(before.word) ||
    token.mark !== '' ||
    GRAMMAR.contrast.has(before.word) ||
    before.word === 'please'
  )
}

/** "nothing but the logs", "everything but the logs" */
const isException = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]!.word === 'but' && (GRAMMAR.universal.has(tokens[at - 1]!.word) || CLAUSE.empty.has(tokens[at - 1]!.word))

function complementsOf(tokens: readonly Token[], from: number, to: number): Complements {
  const found = { object: nothing(), recipient: nothing() }
  let part = found.object
  let head = ''
  const close = (): void => {
    if (head !== '') part.heads.push(singular(head))
    head = ''
  }
  let inDetail = false
  for (let at = from; at < to; at++) {
    const token = tokens[at]!
    if (singular(head) === 'table' && token.word === 'of' && TABLES_OF_A_TEXT.has(tokens[at + 1]?.word ?? '')) continue
    if (GRAMMAR.towards.has(token.word) || GRAMMAR.prepositions.has(token.word)) {
      close()
      inDetail = !GRAMMAR.towards.has(token.word)
      if (!inDetail) part = found.recipient
      continue
    }
    if (GRAMMAR.connectors.has(token.word)) {
      close()
      inDetail = false
      continue
    }
    if (token.mark !== '') close()
    // `only to Alice` limits who gets it.
    const limits =
      GRAMMAR.limiting.has(token.word) && GRAMMAR.towards.has(tokens[at + 1]?.word ?? '') ? found.recipient : part
    weigh(token, tokens[at - 1], limits)
    if (inDetail || !isContent(token)) continue
    // `the table users` names a table and `the table rows` a part of one.
    if (head === 'table' && !CLAUSE.table_parts.has(singular(token.word)) && tokens[at - 1]?.word !== 'of') close()
    head = token.word
  }
  close()
  return found
}

/** `the table of contents` is a piece of a text: the whole phrase is one thing, named by its last word. */
const TABLES_OF_A_TEXT = new Set(['contents', 'illustrations', 'authorities'])

function weigh(token: Token, before: Token | undefined, part: Part): void {
  if (GRAMMAR.universal.has(token.word) && !GRAMMAR.universal_idioms.has(before?.word ?? '')) part.universal = true
  if (GRAMMAR.limiting.has(token.word)) part.limited = true
  if (GRAMMAR.pronouns.has(token.word)) part.pronoun = true
  if (CLAUSE.excepting.has(token.word)) part.excepts = true
  if (token.kind !== 'word') part.outside = true
}

const isContent = ({ word }: Token): boolean =>
  !GRAMMAR.determiners.has(word) &&
  !GRAMMAR.universal.has(word) &&
  !GRAMMAR.limiting.has(word) &&
  !GRAMMAR.pronouns.has(word) &&
  !CLAUSE.empty.has(word)
