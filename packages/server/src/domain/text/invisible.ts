import { characterClass } from './character-class.ts'

// Characters that a reader does not see and a model does: what Unicode has programs ignore, fillers that show as a blank
// inside a word, and control characters. Orthography needs a few of them: those are removed from the
// folded text like the rest, and not held against the writer.

const RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x0000, 0x0008],
  [0x000e, 0x001f],
  [0x007f, 0x0084],
  [0x0086, 0x009f],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

export function isInvisible(point: number): boolean {
  if (point >= 0x20 && point < 0x7f) return false
  return RANGES.some(([from, to]) => point >= from && point <= to)
}

const ZWNJ = 0x200c
const ZWJ = 0x200d
const VS16 = 0xfe0f
const isPicture = characterClass(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u)
const isBraille = characterClass(/\p{Script=Braille}/u)
const isHan = characterClass(/\p{Script=Han}/u)
const isJamo = characterClass(/[\u1100-\u11ff]/u)
const takesVs16 = characterClass(/\p{Emoji}/u)
const isJoining = characterClass(
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u,
)

/** The two fillers that stand for a missing letter in a syllable of old Korean. */
const isFiller = (point: number): boolean => point === 0x115f || point === 0x1160

/** Whether the spelling of a script or of an emoji asks for this character between these two neighbours. */
export function isOrthographic(before: number | undefined, point: number, after: number | undefined): boolean {
  if (before === undefined) return false
  if (point === VS16) return takesVs16(before)
  if (point === 0x2800) return isBraille(before)
  if (point >= 0xe0100 && point <= 0xe01ef) return isHan(before)
  if (isFiller(point)) return isJamo(before) && !isFiller(before)
  if ((point !== ZWJ && point !== ZWNJ) || after === undefined) return false
  if (isJoining(before) && isJoining(after)) return true
  return point === ZWJ && (before === VS16 || isPicture(before)) && isPicture(after)
}
