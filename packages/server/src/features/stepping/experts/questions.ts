/** Whether a verb is only spoken about: in a question or an explanation, up to where an order begins. */
import type { StepLexicon } from './lexicon.ts'
import type { Token, TokenText } from './tokens.ts'
import { GRAMMAR } from './word-lists.ts'

export function spokenAbout(read: TokenText, lexicon: StepLexicon): (at: number) => boolean {
  const about = new Uint8Array(read.tokens.length)
  for (const [from, to] of sentencesOf(read.tokens)) about.fill(1, from + 1, questionEnd(read, from, to, lexicon))
  return (at) => about[at] === 1
}

/** Whether a sentence asks to be told something. */
export const asksSomething = (read: TokenText, lexicon: StepLexicon): boolean =>
  sentencesOf(read.tokens).some(([from, to]) => beginsQuestion(read, from, to, lexicon))

function sentencesOf(tokens: readonly Token[]): [from: number, to: number][] {
  const found: [number, number][] = []
  for (let from = 0; from < tokens.length; ) {
    let to = from + 1
    while (to < tokens.length && tokens[to]!.sentence === tokens[from]!.sentence) to++
    found.push([from, to])
    from = to
  }
  return found
}

/** In other languages than English the first word tells less, so the mark at the end is wanted as well. */
function beginsQuestion(read: TokenText, from: number, to: number, lexicon: StepLexicon): boolean {
  const { tokens } = read
  if (tokens[from]!.quotation >= 0 || lexicon.requestOpeners.at(tokens, from)) return false
  return isAsking(tokens, from) || (lexicon.foreignQuestions.at(tokens, from) !== null && hasQuestionMark(read, to))
}

const hasQuestionMark = ({ text, tokens }: TokenText, to: number): boolean =>
  to < tokens.length
    ? tokens[to]!.mark === '?'
    : /[?\uff1f]/.test(text.slice(tokens[to - 1]!.to, tokens[to - 1]!.to + 8))

/** The frame covers its sentence after its first word, up to a colon, a `then`, or an order joined on. */
function questionEnd(read: TokenText, from: number, to: number, lexicon: StepLexicon): number {
  const { tokens } = read
  if (!beginsQuestion(read, from, to, lexicon)) return from
  for (let at = from + 1; at < to; at++) {
    if (isRequest(tokens, at)) return from
    if (tokens[at]!.word === 'then' || ';:'.includes(tokens[at]!.mark || ' ')) return at
    if (joinsOrder(tokens, from, at, lexicon)) return at
  }
  return to
}

/** A question word, or `tell me what`. */
function isAsking(tokens: readonly Token[], at: number): boolean {
  const { word } = tokens[at]!
  const asksToTell = (word === 'tell' || word === 'show') && tokens[at + 1]?.word === 'me'
  return GRAMMAR.asking.has(asksToTell ? (tokens[at + 2]?.word ?? '') : word)
}

const ABLE = new Set(['can', 'could', 'will', 'would'])

/** "how soon can you delete" */
const isRequest = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]!.word === 'you' && ABLE.has(tokens[at - 1]!.word)

const SOFT = new Set(['please', 'also', 'then', 'just', 'immediately', 'now'])

/** An effect verb after `and` or a comma gives an order, unless it stands in a row of verbs: "how to copy and delete". */
function joinsOrder(tokens: readonly Token[], head: number, at: number, lexicon: StepLexicon): boolean {
  const form = lexicon.verbs.get(tokens[at]!.word)
  if (form?.form !== 'base' || form.kind === 'read') return false
  let joint = at - 1
  while (joint > head && SOFT.has(tokens[joint]!.word)) joint--
  if (tokens[joint + 1]!.mark !== '' || joint < at - 1) return true
  if (tokens[joint]!.word !== 'and' && tokens[joint]!.word !== 'or') return false
  return joint - 1 <= head || lexicon.verbs.get(tokens[joint - 1]!.word) === undefined
}
