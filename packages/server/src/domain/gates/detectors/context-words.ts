import { firstPlace, stringOf } from '../../text/mapped-text.ts'
import { int32s, uint16s } from '../../text/slab.ts'
import { isUnspaced } from '../lexicon.ts'
import { type DetectorInput, isDigitCode, isLetterCode, places } from './scanner.ts'

const BEFORE = 48
const BEHIND = 24

export interface ContextWords {
  /** Whether one of the words that give a number its meaning stands near the units from..to. */
  isNear(from: number, to: number): boolean
  /** Whether the text has none of them anywhere. */
  isWithout(): boolean
}

/** Words in lower case between single blanks, and where each letter came from; digits are a word apart from letters. */
export interface SpelledWords {
  words: string
  sources: Int32Array
}

interface Near extends Pick<DetectorInput, 'spelled' | 'context' | 'label'> {
  /** Phrases that hold such a word and mean something else. */
  others?: readonly string[]
}

/** The text is read once, when the first number asks; each number after it costs a search, however many there are. */
export function contextWords({ spelled, context: phrases, label, others = [] }: Near): ContextWords {
  if (label !== '' && placesOf(spelledWords(label), phrases).length > 0) return NAMED
  let found: Place[] | undefined
  const all = (): Place[] => {
    found ??= placesBeside(spelled(), phrases, others)
    return found
  }
  const isNear = (from: number, to: number): boolean => {
    const known = all()
    for (let at = firstPlace(known.length, (n) => known[n]!.from >= from - BEFORE); at < known.length; at++) {
      const place = known[at]!
      if (place.from >= to + BEHIND) return false
      if (place.to <= from || (place.from >= to && place.to <= to + BEHIND)) return true
    }
    return false
  }
  return { isNear, isWithout: () => all().length === 0 }
}

const NAMED: ContextWords = { isNear: () => true, isWithout: () => false }

type Place = { from: number; to: number }

/** Chinese and Japanese have no blanks between words, and in Korean endings adjoin. */
const adjoinsOthers = (code: number): boolean => isUnspaced(code) || (code >= 0xac00 && code <= 0xd7a3)

function placesBeside(spelled: SpelledWords, phrases: readonly string[], others: readonly string[]): Place[] {
  const found = placesOf(spelled, phrases)
  const left = found.length === 0 ? [] : placesOf(spelled, others)
  let at = 0
  return found.filter(({ from, to }) => {
    while (at < left.length && left[at]!.to <= from) at++
    return at === left.length || left[at]!.from > from || left[at]!.to < to
  })
}

/** A search for a blank first would stop at every word. */
function placesOf({ words, sources }: SpelledWords, phrases: readonly string[]): Place[] {
  const found: Place[] = []
  for (const phrase of phrases) {
    const adjoins = adjoinsOthers(phrase.charCodeAt(0))
    for (const at of places(words, adjoins ? phrase : `${phrase} `))
      if (adjoins || words.charCodeAt(at - 1) === BLANK)
        found.push({ from: sources[at] as number, to: (sources[at + phrase.length - 1] as number) + 1 })
  }
  return found.sort((one, other) => one.from - other.from)
}

export function spelledWords(text: string): SpelledWords {
  const units = uint16s(2 * text.length + 2)
  const sources = int32s(units.length)
  let end = 0
  units[end++] = BLANK
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = kindOf(code)
    if (kind !== before && units[end - 1] !== BLANK) units[end++] = BLANK
    before = kind
    if (kind === 0) continue
    sources[end] = at
    units[end++] = lowerUnit(code)
  }
  units[end++] = BLANK
  return { words: stringOf(units.subarray(0, end)), sources }
}

const BLANK = 0x20

function kindOf(code: number): 0 | 1 | 2 {
  if (isDigitCode(code)) return 1
  return isLetterCode(code) || code > 127 ? 2 : 0
}

/** One unit stays one: the few letters that grow when lowered are in no context word. */
function lowerUnit(code: number): number {
  if (code < 128) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
  const lower = String.fromCharCode(code).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : code
}
