/** A text written backwards. Few are, so it is read so only where words of rules stand in it backwards. */
import { characterClass } from './character-class.ts'
import type { MappedText } from './mapped-text.ts'
import type { WordIndex } from './word-index.ts'

const MIN_WORDS = 2
const MIN_WORD = 5
const isLetter = characterClass(/\p{L}/u)

export function isReversed(text: string, index: WordIndex): boolean {
  const known = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const from = at
    while (at < text.length && isLetter(text.charCodeAt(at))) at++
    if (at - from < MIN_WORD || !index.mayHoldBackwards(text, from, at)) continue
    const word = text.slice(from, at)
    if (index.has(backwards(word)) && !index.has(word)) known.add(word)
  }
  return known.size >= MIN_WORDS
}

/** Every unit keeps its own place, so that a span of it is still one of the raw text, read from its end. */
export const reversedOf = ({ text, startOffsets, endOffsets }: MappedText): MappedText => ({
  text: backwards(text),
  startOffsets: startOffsets.slice().reverse(),
  endOffsets: endOffsets.slice().reverse(),
})

const backwards = (text: string): string => text.split('').reverse().join('')
