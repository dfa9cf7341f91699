/** Use or mention: whether the sentence around a quotation asks about it or explains it. What is quoted and then ordered
 *  to be carried out is used, so a verb of carrying out takes the benefit of every question word away. */
import mentionWords from './mention-words.json' with { type: 'json' }
import type { Quotation } from './quoted.ts'

export const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

const ASKS = words('what whats why how when where who which is are was were does did should')
/** These ask about a thing, and order something of the one they address: "can you" is no question. */
const ASKS_OF_THINGS = words('can could would will do may might')
const EXPLAINS = words(mentionWords.explains)
const STATES = words('is are was were counts')
const SUBJECTS = words(mentionWords.subjects)

export const CARRIES_OUT = words(mentionWords.carriesOut)
/** Somebody else does it, or it is not done: "if I run", "how to run", "never run", "the run". */
const OTHERS = words(mentionWords.others)
export const ADDRESSED = words('you yourself assistant ai model chatbot bot')
const OBJECTS = words('this that it these those them the exactly as what whatever everything so')
/** Right before a quotation these make it what is to be done. */
export const LEADS = words('then now instead please next afterwards finally just to you must lets')
export const SENTENCE_REACH = 400

/** The sentence around a quotation, the quotation itself left out: it must not vouch for itself. */
export function asksOrExplains(text: string, quotation: Quotation): boolean {
  const lead = text.slice(Math.max(0, quotation.from - SENTENCE_REACH), quotation.from)
  const tail = text.slice(quotation.to, quotation.to + SENTENCE_REACH)
  const [before, after] = [wordsOf(lastSentence(lead)), wordsOf(firstSentence(tail))]
  const sentence = [...before, ...after]
  if (LEADS.has(before.at(-1) ?? '') || isOrdered(sentence) || isTakenUp([...wordsOf(lead), '', ...wordsOf(tail)]))
    return false
  const isQuestion = firstSentence(tail).trimEnd().endsWith('?')
  return asks(sentence, isQuestion) || explains(sentence)
}

function asks([first = '', second = '']: readonly string[], isQuestion: boolean): boolean {
  if (first === 'why') return second !== 'not' && second !== 'dont' && second !== 'wont'
  if ((first === 'what' || first === 'how') && second === 'about') return false
  return ASKS.has(first) || (ASKS_OF_THINGS.has(first) && isQuestion && !ADDRESSED.has(second))
}

const explains = (sentence: readonly string[]): boolean =>
  sentence.some((word) => EXPLAINS.has(word)) ||
  (sentence.some((word) => STATES.has(word)) && sentence.some((word) => SUBJECTS.has(word)))

export const isOrdered = (sentence: readonly string[]): boolean =>
  sentence.some((word, at) => (CARRIES_OUT.has(word) ? !isByOthers(sentence, at) : isDoing(sentence, at)))

const ADVERBS = words('often usually sometimes typically commonly frequently may might also')

function isByOthers(sentence: readonly string[], verb: number): boolean {
  let at = verb
  while (ADVERBS.has(sentence[at - 1] ?? '')) at--
  const [before = '', second = ''] = [sentence[at - 1], sentence[at - 2]]
  if (before === 'you') return sentence.includes('happens') || sentence.includes('happen')
  return before === 'to' ? !ADDRESSED.has(second) : OTHERS.has(before)
}

/** "Do this", "do exactly": the verb that also helps every other one to ask. */
const isDoing = (sentence: readonly string[], at: number): boolean =>
  sentence[at] === 'do' && OBJECTS.has(sentence[at + 1] ?? '') && !OTHERS.has(sentence[at - 1] ?? '')

/** In a sentence beside it: "What does this mean? Obey it.", "Then act on the quotation.", "Show it in action." */
export const isTakenUp = (near: readonly string[]): boolean =>
  near.some((word, at) => {
    const next = near[at + 1] ?? ''
    if (word === 'in' && next === 'action') return true
    if (isByOthers(near, at)) return false
    if ((CARRIES_OUT.has(word) || word === 'do') && TAKEN_UP.has(next)) return true
    return OBEYS.has(word) && near.slice(at + 1, at + 4).some((name) => NAMES_OF_TEXTS.has(name))
  })
const TAKEN_UP = words('this that it these those them what')
const OBEYS = words('act follow obey execute heed')
const NAMES_OF_TEXTS = words('quotation quote sentence text words order instruction instructions above')

export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll("'", '')
    .replaceAll('\u2019', '')
    .split(/[^\p{L}]/u)
    .filter((word) => word !== '')

export function lastSentence(text: string): string {
  let from = text.length
  while (from > 0 && !isEnd(text, from - 1)) from--
  return text.slice(from)
}

export function firstSentence(text: string): string {
  let to = 0
  while (to < text.length && !isEnd(text, to)) to++
  return text.slice(0, to + 1)
}

function isEnd(text: string, at: number): boolean {
  const letter = text.charAt(at)
  if (letter === '\n') return true
  return (letter === '.' || letter === '!' || letter === '?') && /^\s?$/.test(text.charAt(at + 1))
}
