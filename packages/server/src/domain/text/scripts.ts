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
]
const PART_OF_WORD = /[\p{L}\p{M}\p{N}]/u

export function mixedScriptWords(text: string): number {
  let words = 0
  let alphabets = 0
  const close = (): void => {
    if ((alphabets & (alphabets - 1)) !== 0) words++
    alphabets = 0
  }
  for (const letter of text) {
    const value = letter.codePointAt(0) as number
    if (!isPartOfWord(value, letter)) close()
    else alphabets |= alphabetOf(value, letter)
  }
  close()
  return words
}

function isPartOfWord(value: number, letter: string): boolean {
  if (value < 128) return isAsciiLetter(value) || (value >= 48 && value <= 57)
  return PART_OF_WORD.test(letter)
}

/** A bit for the alphabet, 0 for a letter of none of them. */
function alphabetOf(value: number, letter: string): number {
  if (value < 128) return isAsciiLetter(value) ? 1 : 0
  const at = ALPHABETS.findIndex((alphabet) => alphabet.test(letter))
  return at < 0 ? 0 : 1 << at
}

const isAsciiLetter = (value: number): boolean => (value >= 65 && value <= 90) || (value >= 97 && value <= 122)
