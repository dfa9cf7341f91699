// What is done to what and to whom: the words around a verb, read by their small words alone.

import {
  CONNECTORS,
  CONTRAST,
  DETERMINERS,
  LIMITING,
  PREPOSITIONS,
  PRONOUNS,
  SUBORDINATE,
  TOWARDS,
  UNIVERSAL,
  UNIVERSAL_IDIOMS,
} from './grammar-words.ts'
import { singular } from './inflection.ts'
import type { StepLexicon } from './lexicon.ts'
import type { Token } from './tokens.ts'

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
  return !SUBORDINATE.has(before.word) && !CONTRAST.has(before.word)
}

const STOPS = ';:.?'

/** What is said inside a quotation ends with it; a verb alone in quotation marks still has its object behind them. */
function reachOf(tokens: readonly Token[], from: number, { sentence, quotation }: Token, lexicon: StepLexicon): number {
  let at = from
  while (at < tokens.length && at - from < REACH) {
    const token = tokens[at]!
    if (token.sentence !== sentence || token.mark === ';' || SUBORDINATE.has(token.word)) break
    if (quotation >= 0 && token.quotation !== quotation && at > from) break
    if (beginsNext(tokens, at, from, lexicon)) break
    at++
  }
  return at
}

/** Another verb after `and`, a comma, `then` or the like. */
function beginsNext(tokens: readonly Token[], at: number, from: number, lexicon: StepLexicon): boolean {
  const token = tokens[at]!
  if (CONTRAST.has(token.word) && at > from && !isException(tokens, at)) return true
  const form = lexicon.verbs.get(token.word)
  if (!form || form.form === 'past' || form.form === 'noun') return false
  const before = tokens[at - 1]!
  return CONNECTORS.has(before.word) || token.mark !== '' || CONTRAST.has(before.word) || before.word === 'please'
}

/** "nothing but the logs", "everything but the logs" */
const isException = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]!.word === 'but' && (UNIVERSAL.has(tokens[at - 1]!.word) || EMPTY.has(tokens[at - 1]!.word))

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
    if (TOWARDS.has(token.word) || PREPOSITIONS.has(token.word)) {
      close()
      inDetail = !TOWARDS.has(token.word)
      if (!inDetail) part = found.recipient
      continue
    }
    if (CONNECTORS.has(token.word)) {
      close()
      inDetail = false
      continue
    }
    if (token.mark !== '') close()
    // `only to Alice` limits who gets it.
    const limits = LIMITING.has(token.word) && TOWARDS.has(tokens[at + 1]?.word ?? '') ? found.recipient : part
    weigh(token, tokens[at - 1], limits)
    if (inDetail || !isContent(token)) continue
    // `the table users` names a table and `the table rows` a part of one.
    if (head === 'table' && !TABLE_PARTS.has(singular(token.word)) && !isOfAText(tokens[at - 1])) close()
    head = token.word
  }
  close()
  return found
}

/** `the table of contents` is a piece of a text: the whole phrase is one thing, named by its last word. */
const TABLES_OF_A_TEXT = new Set(['contents', 'illustrations', 'authorities'])
const isOfAText = (before: Token | undefined): boolean => before?.word === 'of'
const TABLE_PARTS = new Set(
  'row column cell header heading head caption border line entry record field value style format formatting layout title footer footnote width label legend view'.split(
    ' ',
  ),
)

function weigh(token: Token, before: Token | undefined, part: Part): void {
  if (UNIVERSAL.has(token.word) && !UNIVERSAL_IDIOMS.has(before?.word ?? '')) part.universal = true
  if (LIMITING.has(token.word)) part.limited = true
  if (PRONOUNS.has(token.word)) part.pronoun = true
  if (EXCEPTING.has(token.word)) part.excepts = true
  if (token.kind !== 'word') part.outside = true
}

const isContent = ({ word }: Token): boolean =>
  !DETERMINERS.has(word) && !UNIVERSAL.has(word) && !LIMITING.has(word) && !PRONOUNS.has(word) && !EMPTY.has(word)

const EXCEPTING = new Set(['except', 'excepting', 'excluding', 'besides', 'but'])
const EMPTY = new Set(
  'nothing none please now immediately asap today right away again of one ones do does did would should must can could will shall may might be been is are was were have has had not'.split(
    ' ',
  ),
)
