/** What people are told of a request that waits: one line of its text, without the values the guard found in it. */
import { type Examination, redacted } from '../decision/examine.ts'

const MAX_LETTERS = 280
/** Line ends, and marks that turn or hide the text around them on a reviewer's screen. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** Null where a gate did not finish: values that nobody looked for cannot be left out. */
export function maskedQuestion(
  text: string,
  examination: Pick<Examination, 'values' | 'planned' | 'completed'>,
): string | null {
  if (examination.completed < examination.planned) return null
  const letters = [...redacted(text, examination).replace(UNSHOWN, ' ').trim()]
  return letters.length <= MAX_LETTERS ? letters.join('') : `${letters.slice(0, MAX_LETTERS - 1).join('')}…`
}
