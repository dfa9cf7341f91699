/** ROT13, of folded text: small letters alone are turned. */
import { type MappedText, stringOf } from './mapped-text.ts'
import { uint16s } from './slab.ts'

/** Every unit stays where it is, so the way back is that of the text. */
export function rot13Of({ text, startOffsets, endOffsets }: MappedText): MappedText {
  const turned = uint16s(text.length)
  for (let unit = 0; unit < text.length; unit++) turned[unit] = turnedCode(text.charCodeAt(unit))
  return { text: stringOf(turned), startOffsets, endOffsets }
}

function turnedCode(code: number): number {
  if (code < 97 || code > 122) return code
  return code < 110 ? code + 13 : code - 13
}

/** 1 for the commonest letters of languages in Latin script, and -2 for what they are turned. */
const COMMONNESS = new Int8Array(128)
for (const letter of 'etois') COMMONNESS[letter.charCodeAt(0)] = 1
for (const letter of 'rgbvf') COMMONNESS[letter.charCodeAt(0)] = -2
const SAMPLE = 2048

/** Common letters are the commonest in a text that was turned, and were others in the text itself. */
export function looksTurned(turned: string): boolean {
  let common = 0
  for (let at = 0; at < turned.length && at < SAMPLE; at++) {
    const code = turned.charCodeAt(at)
    if (code < 128) common += COMMONNESS[code] as number
  }
  return common > 0
}
