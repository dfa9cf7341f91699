import { characterClass } from './character-class.ts'

// Characters that a reader does not see and a model does. Orthography needs a few of them: those are removed from the
// folded text like the rest, and not held against the writer.

const RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x180b, 0x180e],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x2064],
  [0x2066, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
]

export function isInvisible(point: number): boolean {
  if (point < 0xad) return false
  return RANGES.some(([from, to]) => point >= from && point <= to)
}

const ZWNJ = 0x200c
const ZWJ = 0x200d
const VS16 = 0xfe0f
const isPicture = characterClass(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u)
const takesVs16 = characterClass(/\p{Emoji}/u)
const isJoining = characterClass(
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u,
)

/** Whether the spelling of an emoji or of a joining script asks for this character between these two neighbours. */
export function isOrthographic(before: number | undefined, point: number, after: number | undefined): boolean {
  if (before === undefined) return false
  if (point === VS16) return takesVs16(before)
  if ((point !== ZWJ && point !== ZWNJ) || after === undefined) return false
  if (isJoining(before) && isJoining(after)) return true
  return point === ZWJ && (before === VS16 || isPicture(before)) && isPicture(after)
}
