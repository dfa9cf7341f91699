/** Whether a command is given or talked about. A text that is a command, or that orders one, uses it; a question,
 *  documentation, a report of what happened and a warning talk about it. What is ordered anywhere near is used. */
import {
  ADDRESSED,
  firstSentence,
  isOrdered,
  isTakenUp,
  LEADS,
  lastSentence,
  SENTENCE_REACH,
  words,
  wordsOf,
} from './mention.ts'
import mentionWords from './mention-words.json' with { type: 'json' }

interface Place {
  from: number
  to: number
}

/** Words that sentences have and command lines have not; those that are also words of shells and of SQL are left out. */
const SENTENCE_WORDS = words(mentionWords.sentenceWords)
const OPERATORS = ';|&\n(){}$=<>'

/** In the middle of a sentence: the words before it, back to the last mark of a command line, are those of prose. */
export function isInProse(text: string, { from, to }: Place): boolean {
  if (SENTENCE_WORDS.has(wordsOf(text.slice(to, to + 16).split(/[#;|&\n]/, 1)[0] ?? '')[0] ?? '')) return true
  const lead = lastSentence(text.slice(Math.max(0, from - SENTENCE_REACH), from))
  let begin = lead.length
  while (begin > 0 && !OPERATORS.includes(lead.charAt(begin - 1))) begin--
  const before = wordsOf(lead.slice(begin))
  if (!before.some((word) => SENTENCE_WORDS.has(word))) return false
  const last = before.at(-1) ?? ''
  return !isOrdered(before) && !(ORDERS.has(last) && !isAvoided(before, last))
}

/** Orders in the languages we are most often asked in, beside those the rules of mention know. */
const ORDERS = words(mentionWords.orders)
const ASKED_TO_TELL = words(mentionWords.askedToTell)
const TELLS = words(mentionWords.tells)
/** Letters of other scripts are not parted into words, so these are looked for as they stand. */
const TELLS_UNPARTED = mentionWords.tellsUnparted.split(' ')

/** A question, an explanation, a report or a warning around the place; the place itself does not vouch for itself. */
export function talksAbout(text: string, { from, to }: Place): boolean {
  if (isValue(text, from)) return false
  const lead = text.slice(Math.max(0, from - SENTENCE_REACH), from)
  const tail = text.slice(to, to + SENTENCE_REACH)
  const [last, first] = [lastSentence(lead), firstSentence(tail)]
  const before = wordsOf(last)
  const sentence = [...before, ...wordsOf(first)]
  if (isOrdered(sentence) || isTakenUp([...wordsOf(lead), '', ...wordsOf(tail)])) return false
  if (sentence.some((word) => ORDERS.has(word) && !LEADS.has(word) && !isAvoided(sentence, word))) return false
  // "What does terraform destroy do?": what reads as arguments of the command is the end of the question.
  const isAskedAtItsEnd = /[?？]\s{0,3}$/.test(text.slice(from, to)) && before.some((word) => SENTENCE_WORDS.has(word))
  if (isAskedAtItsEnd || /[?？¿]/.test(last) || /[?？]/.test(first)) return !isRequest(sentence)
  if (LEADS.has(before.at(-1) ?? '')) return false
  if (TELLS_UNPARTED.some((mark) => last.includes(mark) || first.includes(mark))) return true
  return sentence.some((word) => SENTENCE_WORDS.has(word)) && sentence.some((word) => TELLS.has(word))
}

/** "Never run", "who ran", "to run": the word is there and nobody is told to. */
const isAvoided = (sentence: readonly string[], order: string): boolean => {
  const before = sentence[sentence.indexOf(order) - 1] ?? ''
  return !['', 'please', 'now', 'then', 'you', 'and', 'bitte', 'und'].includes(before)
}

/** "Can you delete it?" asks for the deed; "can you explain it?" does not. */
function isRequest([first = '', second = '', third = '']: readonly string[]): boolean {
  if (!['can', 'could', 'would', 'will', 'please'].includes(first)) return false
  return ADDRESSED.has(second) && !ASKED_TO_TELL.has(third === 'please' ? '' : third)
}

/** The value of a name, as in JSON or a list of arguments: nobody quotes there. */
function isValue(text: string, from: number): boolean {
  const lead = text.slice(Math.max(0, from - 12), from + 1)
  return /["'\]]\s{0,3}[:,]\s{0,3}["'`]$/.test(lead) || /[[=]\s{0,2}["'`]$/.test(lead)
}
