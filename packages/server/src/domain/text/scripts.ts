import { characterClass } from './character-class.ts'

// A word that mixes alphabets which share letter shapes. Scripts that are commonly written inside one word with Latin
// (Japanese, Chinese, Korean) are not among them.
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
  /\p{Script=Georgian}/u,
].map(characterClass)
const isLetterOrDigit = characterClass(/[\p{L}\p{M}\p{N}]/u)

export function mixedScriptWords(text: string): number {
  let words = 0
  let alphabets = 0
  for (let unit = 0; unit < text.length; ) {
    const value = text.codePointAt(unit) as number
    unit += value > 0xffff ? 2 : 1
    if (isPartOfWord(value)) alphabets |= alphabetOf(value)
    else {
      if (isMixed(alphabets)) words++
      alphabets = 0
    }
  }
  return isMixed(alphabets) ? words + 1 : words
}

/** More than one bit set. */
const isMixed = (alphabets: number): boolean => (alphabets & (alphabets - 1)) !== 0

function isPartOfWord(value: number): boolean {
  return value < 128 ? isAsciiLetter(value) || (value >= 48 && value <= 57) : isLetterOrDigit(value)
}

/** A bit for the alphabet, 0 for a letter of none of them. */
function alphabetOf(value: number): number {
  if (value < 128) return isAsciiLetter(value) ? 1 : 0
  const at = ALPHABETS.findIndex((isOf) => isOf(value))
  return at < 0 ? 0 : 1 << at
}

const isAsciiLetter = (value: number): boolean => (value >= 65 && value <= 90) || (value >= 97 && value <= 122)
