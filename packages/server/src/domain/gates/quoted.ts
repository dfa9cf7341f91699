// Use or mention: whether the words at a place are quoted or code, and whether their sentence asks or explains.
import { characterClass } from '../text/character-class.ts'

export interface Quotation {
  from: number
  to: number
}

const PAIRS: Readonly<Record<string, string>> = {
  '"': '"',
  '\u201c': '\u201d',
  '\u201e': '\u201c',
  '\u00ab': '\u00bb',
  '`': '`',
  "'": "'",
  '\u2018': '\u2019',
}
const LONGEST_QUOTATION = 2000

/** Quotations and code spans, none inside another; an opening without its end opens nothing. */
export function quotationsOf(text: string): Quotation[] {
  const found: Quotation[] = []
  const closings = new Closings(text)
  for (let at = 0; at < text.length; at++) {
    const mark = text.startsWith(FENCE, at) ? FENCE : text.charAt(at)
    const closing = mark === FENCE ? FENCE : PAIRS[mark]
    if (closing === undefined || !opens(text, at, mark)) continue
    const to = closings.behind(closing, at + mark.length)
    if (to < 0 || to - at > LONGEST_QUOTATION) continue
    found.push({ from: at, to: to + closing.length })
    at = to + closing.length - 1
  }
  return found
}

const FENCE = '```'

/** An apostrophe is a quotation mark only at the edge of a word. */
function opens(text: string, at: number, mark: string): boolean {
  return (mark !== "'" && mark !== '\u2018') || !isWordy(text.charAt(at - 1))
}

/** Where each mark closes. Asked only for later and later places, so each list is walked once. */
class Closings {
  private readonly text: string
  private readonly lists = new Map<string, { places: number[]; at: number }>()

  constructor(text: string) {
    this.text = text
  }

  behind(mark: string, from: number): number {
    const list = this.lists.get(mark) ?? { places: this.placesOf(mark), at: 0 }
    this.lists.set(mark, list)
    while (list.at < list.places.length && (list.places[list.at] as number) < from) list.at++
    return list.places[list.at] ?? -1
  }

  private placesOf(mark: string): number[] {
    const places: number[] = []
    const single = mark === "'" || mark === '\u2019'
    for (let at = this.text.indexOf(mark); at >= 0; at = this.text.indexOf(mark, at + 1))
      if (!single || !isWordy(this.text.charAt(at + 1))) places.push(at)
    return places
  }
}

const isLetterOrDigit = characterClass(/[\p{L}\p{N}]/u)
const isWordy = (letter: string): boolean => letter !== '' && isLetterOrDigit(letter.charCodeAt(0))

/** The quotation that holds all of from..to; they stand in order and apart. */
export function quotationAround(quotations: readonly Quotation[], from: number, to: number): Quotation | undefined {
  let [low, high] = [0, quotations.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((quotations[middle] as Quotation).to < to) low = middle + 1
    else high = middle
  }
  const found = quotations[low]
  return found && found.from < from && to < found.to ? found : undefined
}

const ASKS = [
  'what',
  'why',
  'how',
  'when',
  'where',
  'who',
  'which',
  'is',
  'are',
  'was',
  'does',
  'do',
  'did',
  'can',
  'could',
  'should',
  'would',
  'explain',
  'describe',
  'define',
  'discuss',
  'summarise',
  'summarize',
  'compare',
  'analyse',
  'analyze',
  'translate',
  'classify',
  'detect',
  'identify',
]
const EXPLAINS = [
  'explain',
  'explains',
  'means',
  'meaning',
  'example',
  'examples',
  'phrase',
  'phrases',
  'called',
  'known',
  'injection',
  'attack',
  'attacks',
  'attackers',
  'string',
  'command',
  'statement',
  'classified',
  'detects',
  'refers',
  'dangerous',
  'malicious',
  'vulnerable',
  'documentation',
  'why',
  'what',
]
const SENTENCE_REACH = 400

/** The sentence around a quotation, the quotation itself left out: it must not vouch for itself. */
export function asksOrExplains(text: string, quotation: Quotation): boolean {
  const before = lastSentence(text.slice(Math.max(0, quotation.from - SENTENCE_REACH), quotation.from))
  const after = firstSentence(text.slice(quotation.to, quotation.to + SENTENCE_REACH))
  const words = `${before} ${after}`
    .toLowerCase()
    .split(/[^\p{L}]/u)
    .filter((word) => word !== '')
  return ASKS.includes(words[0] ?? '') || after.trimEnd().endsWith('?') || words.some((word) => EXPLAINS.includes(word))
}

function lastSentence(text: string): string {
  let from = text.length
  while (from > 0 && !isEnd(text, from - 1)) from--
  return text.slice(from)
}

function firstSentence(text: string): string {
  let to = 0
  while (to < text.length && !isEnd(text, to)) to++
  return text.slice(0, to + 1)
}

function isEnd(text: string, at: number): boolean {
  const letter = text.charAt(at)
  if (letter === '\n') return true
  return (letter === '.' || letter === '!' || letter === '?') && /^\s?$/.test(text.charAt(at + 1))
}
