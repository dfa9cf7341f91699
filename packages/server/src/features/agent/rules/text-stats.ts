import { utf8Encode } from '@orch/core'
import { isInvisible } from '../../../domain/text/invisible.ts'

/** Counts of a text, all in one pass; `invisible` are characters a reader does not see. */
export function textStats(text: string) {
  const counts = { code_points: 0, utf8_bytes: utf8Encode(text).length, words: 0, lines: 1, digits: 0, invisible: 0 }
  let inWord = false
  for (const letter of text) {
    counts.code_points++
    if (letter === '\n') counts.lines++
    if (letter >= '0' && letter <= '9') counts.digits++
    if (isInvisible(letter.codePointAt(0) as number)) counts.invisible++
    const space = /\s/u.test(letter)
    if (!space && !inWord) counts.words++
    inWord = !space
  }
  return counts
}
