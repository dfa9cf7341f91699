/** The part of a text that is shown of a hit. */

const SNIPPET = 240

/** The stretch of the text with the most matches in it. */
export function cutSnippet(text: string, matches: readonly { start: number; end: number }[]) {
  let best = { start: 0, count: 0 }
  for (const [at, { start }] of matches.entries()) {
    let count = 1
    while (matches[at + count] !== undefined && matches[at + count]!.end <= start + SNIPPET - 40) count += 1
    if (count > best.count) best = { start: Math.max(0, start - 40), count }
  }
  const start = wordStart(text, best.start)
  let end = Math.min(text.length, start + SNIPPET)
  if (isLowSurrogate(text, end)) end -= 1
  return { snippet: text.slice(start, end), start, end }
}

/** The beginning of the word at an offset, so that no word and no character is cut in two. */
function wordStart(text: string, offset: number): number {
  if (offset === 0) return 0
  const blank = text.indexOf(' ', offset - 1)
  const at = blank >= 0 && blank < offset + 20 ? blank + 1 : offset
  return isLowSurrogate(text, at) ? at - 1 : at
}

const isLowSurrogate = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '')
