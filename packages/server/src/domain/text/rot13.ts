import type { MappedText } from './mapped-text.ts'

/** Every unit stays where it is, so the way back is that of the text. */
export function rot13Of({ text, starts, ends }: MappedText): MappedText {
  const turnedText = text.replace(/[a-z]/g, (letter) => TURNED[letter.charCodeAt(0) - 97] as string)
  return { text: turnedText, starts, ends }
}

const TURNED = [...'nopqrstuvwxyzabcdefghijklm']
