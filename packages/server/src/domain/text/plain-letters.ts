/** Letters without what was put on them: accents, small capitals, letters turned upside down or set in squares; and
 *  without pictures and stray marks inside words. Case is kept, and every unit knows its raw code points. */
import { characterClass } from './character-class.ts'
import { codePointAt } from './code-points.ts'
import { type MappedText, MappedWriter } from './mapped-text.ts'
import LETTERS from './plain-letters.json' with { type: 'json' }

interface PlainLetters extends MappedText {
  /** Something beside accents was taken away. */
  disguised: boolean
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
const BEYOND_ASCII = /[^ -~]/

const DRESSED = new Map<number, string>(
  [LETTERS.small_capitals, LETTERS.upside_down].flatMap((row) =>
    [...row].flatMap((letter, at): [number, string][] =>
      (letter.codePointAt(0) as number) > 127 ? [[letter.codePointAt(0) as number, ALPHABET.charAt(at)]] : [],
    ),
  ),
)
/** Rows of the alphabet in order that NFKC leaves alone: squared, circled white on black, and flags. */
for (const first of [0x1f130, 0x1f150, 0x1f170, 0x1f1e6])
  for (let at = 0; at < ALPHABET.length; at++) DRESSED.set(first + at, ALPHABET.charAt(at))

const ACCENTED = new Map<number, string>(
  Object.entries(LETTERS.others).map(([letter, base]) => [letter.codePointAt(0) as number, base]),
)
for (const [from, to] of [
  [0xc0, 0x24f],
  [0x1e00, 0x1eff],
] as const)
  for (let value = from; value <= to; value++) {
    const base = String.fromCodePoint(value).normalize('NFD').charAt(0)
    if (/[a-zA-Z]/.test(base)) ACCENTED.set(value, base)
  }

/** The accent of a letter taken away, in a word of a rule as in a text. */
export const withoutAccents = (word: string): string =>
  BEYOND_ASCII.test(word)
    ? [...word].map((letter) => ACCENTED.get(letter.codePointAt(0) as number) ?? letter).join('')
    : word

const BASES = new Uint16Array(0x1f00)
for (const [value, base] of ACCENTED) BASES[value] = base.charCodeAt(0)

export const baseLetter = (code: number): number => (code < BASES.length && BASES[code]) || code

const isMark = characterClass(/[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/u)
const isPicture = characterClass(/[\p{So}\p{Sk}\p{Cs}]|\p{Extended_Pictographic}/u)
const isLetter = characterClass(/\p{L}/u)

export function plainLetters(source: MappedText): PlainLetters {
  const { text, startOffsets, endOffsets } = source
  if (!BEYOND_ASCII.test(text)) return { ...source, disguised: false }
  const writer = new MappedWriter(text.length)
  let disguised = false
  let isInWord = false
  for (let unit = 0; unit < text.length; ) {
    const value = codePointAt(text, unit)
    const next = unit + (value > 0xffff ? 2 : 1)
    const [start, end] = [startOffsets[unit] as number, endOffsets[next - 1] as number]
    const dressed = value < 128 ? undefined : DRESSED.get(value)
    if (value < 128) writer.unit(value, start, end)
    else if (dressed !== undefined) writer.push(dressed, start, end)
    else if (isMark(value) || (isInWord && isPicture(value) && isLetterAt(text, next))) disguised = true
    else writer.push(ACCENTED.get(value) ?? text.slice(unit, next), start, end)
    disguised ||= dressed !== undefined
    isInWord =
      value < 128 ? isAsciiLetter(value) : dressed !== undefined || isLetter(value) || (isInWord && isMark(value))
    unit = next
  }
  return { ...writer.done(), disguised }
}

const isAsciiLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

function isLetterAt(text: string, at: number): boolean {
  const value = codePointAt(text, at)
  return at < text.length && (value < 128 ? isAsciiLetter(value) : isLetter(value) || DRESSED.has(value))
}
