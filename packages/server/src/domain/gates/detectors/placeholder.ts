/** What stands where a secret will be: words that say so, or a filler. The whole of it must be made of those. A mark that
 *  may stand anywhere would let everybody unmake a finding by writing it behind a real secret. */
import wordLists from './word-lists.json' with { type: 'json' }

const WORDS = wordLists.placeholder.words
const MARKS = '-_. *#$/+=!'
const MIN_RUN = 3

export function isPlaceholder(value: string): boolean {
  const lower = value.toLowerCase()
  let at = 0
  while (at < lower.length) {
    const next = Math.max(wordEnd(lower, at), runEnd(lower, at, 0), runEnd(lower, at, 1))
    if (next === at) return false
    at = next
  }
  return true
}

function wordEnd(lower: string, at: number): number {
  if (MARKS.includes(lower.charAt(at))) return at + 1
  const fitting = WORDS.filter((word) => lower.startsWith(word, at)).map((word) => word.length)
  return at + Math.max(0, ...fitting)
}

/** One letter over and over, or digits and letters in order: xxxx, 1234, abcd; 0 follows 9. */
function runEnd(lower: string, at: number, step: number): number {
  let end = at + 1
  while (end < lower.length && follows(lower.charCodeAt(end - 1), lower.charCodeAt(end), step)) end++
  return end - at >= MIN_RUN ? end : at
}

const follows = (before: number, next: number, step: number): boolean =>
  next === before + step || (step === 1 && before === 57 && next === 48)
