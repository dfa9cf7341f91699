/** Whether the words at a place are quoted, or code. */
import { characterClass } from '../text/character-class.ts'
import { firstPlace } from '../text/mapped-text.ts'

export interface Quotation {
  from: number
  to: number
  /** Between backticks or in a fenced block. */
  code: boolean
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
const MAX_QUOTATION = 2000
const MAX_BLOCK = 8192

/** Quotations and code spans, none inside another; an opening without its end opens nothing. */
export function quotationsOf(text: string): Quotation[] {
  const found: Quotation[] = []
  const closingBehind = closingsIn(text)
  for (let at = 0; at < text.length; at++) {
    if (!MARKS.has(text.charCodeAt(at))) continue
    const mark = text.startsWith(FENCE, at) ? FENCE : text.charAt(at)
    const closing = mark === FENCE ? FENCE : PAIRS[mark]
    if (closing === undefined || !opens(text, at, mark)) continue
    const to = closingBehind(closing, at + mark.length)
    if (to < 0 || to - at > (mark === FENCE ? MAX_BLOCK : MAX_QUOTATION)) continue
    found.push({ from: at, to: to + closing.length, code: mark.startsWith('`') })
    at = to + closing.length - 1
  }
  return found
}

const FENCE = '```'
const MARKS: ReadonlySet<number> = new Set(Object.keys(PAIRS).map((mark) => mark.charCodeAt(0)))

/** An apostrophe is a quotation mark only at the edge of a word. */
function opens(text: string, at: number, mark: string): boolean {
  return (mark !== "'" && mark !== '\u2018') || !isWordy(text.charAt(at - 1))
}

/** Where each mark closes. Asked only for later and later places, so each list is walked once. */
function closingsIn(text: string): (mark: string, from: number) => number {
  const lists = new Map<string, { places: number[]; at: number }>()
  return (mark, from) => {
    const list = lists.get(mark) ?? { places: closingPlaces(text, mark), at: 0 }
    lists.set(mark, list)
    while (list.at < list.places.length && (list.places[list.at] as number) < from) list.at++
    return list.places[list.at] ?? -1
  }
}

function closingPlaces(text: string, mark: string): number[] {
  const found: number[] = []
  const single = mark === "'" || mark === '\u2019'
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1))
    if (!single || !isWordy(text.charAt(at + 1))) found.push(at)
  return found
}

const isLetterOrDigit = characterClass(/[\p{L}\p{N}]/u)
const isWordy = (letter: string): boolean => letter !== '' && isLetterOrDigit(letter.charCodeAt(0))

/** The quotation that holds all of from..to; they stand in order and apart. */
export function quotationAround(quotations: readonly Quotation[], from: number, to: number): Quotation | undefined {
  const found = quotations[firstPlace(quotations.length, (at) => quotations[at]!.to >= to)]
  return found && found.from < from && to < found.to ? found : undefined
}
