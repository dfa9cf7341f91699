/** A goal cut into clauses: at line ends, semicolons, the word `then` and the ends of sentences, never inside double
 *  quotes. One pass: the goal is a caller's. */

const FILLER = /^(?:(?:please|and|also|first|next|finally|now|then)\b|,)[\s,]*/i
const THEN = /then\b/iy

export function clausesOf(goal: string): string[] {
  const clauses: string[] = []
  let begun = 0
  let quoted = false
  for (let at = 0; at < goal.length; at++) {
    if (isQuote(goal, at)) quoted = !quoted
    if (quoted) continue
    const width = separatorAt(goal, at)
    if (width === 0) continue
    clauses.push(goal.slice(begun, at))
    begun = at + width
    at = begun - 1
  }
  clauses.push(goal.slice(begun))
  return clauses.map(tidy).filter((clause) => clause !== '')
}

const QUOTES = new Set(['"', '\u201c', '\u201d'])
const isQuote = (text: string, at: number): boolean => QUOTES.has(text[at] as string) && text[at - 1] !== '\\'

/** How many characters part two clauses here; 0 where none do. */
function separatorAt(text: string, at: number): number {
  const letter = text[at] as string
  if (letter === '\n' || letter === '\r' || letter === ';') return 1
  if (letter === '.' || letter === '!' || letter === '?') return /^\s?$/.test(text[at + 1] ?? '') ? 1 : 0
  if ((letter !== 't' && letter !== 'T') || /[\p{L}\p{N}_]/u.test(text[at - 1] ?? '')) return 0
  THEN.lastIndex = at
  return THEN.test(text) ? 4 : 0
}

function tidy(clause: string): string {
  let text = clause.trim()
  for (let shorter = text.replace(FILLER, ''); shorter !== text; shorter = text.replace(FILLER, '')) text = shorter
  return text.replace(/(?:,|\band)\s*$/i, '').trim()
}
