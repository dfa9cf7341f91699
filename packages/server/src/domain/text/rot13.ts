import { type MappedText, stringOf } from './mapped-text.ts'
import { uint16s } from './slab.ts'

/** Every unit stays where it is, so the way back is that of the text. */
export function rot13Of({ text, startOffsets, endOffsets }: MappedText): MappedText {
  const turned = uint16s(text.length)
  for (let unit = 0; unit < text.length; unit++) turned[unit] = turnedCode(text.charCodeAt(unit))
  return { text: stringOf(turned), startOffsets, endOffsets }
}

/** Of small letters alone: the text is folded. */
function turnedCode(code: number): number {
  if (code < 97 || code > 122) return code
  return code < 110 ? code + 13 : code - 13
}
