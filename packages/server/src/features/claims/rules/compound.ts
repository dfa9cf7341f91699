/** A hint that a candidate may say two things. It looks at words outside double quotes and changes nothing else. */
import { COMPOUND_WORDS } from './splitter-tables.ts'

const WORDS = new Set(COMPOUND_WORDS)

export function compoundMarkers(statement: string): string[] {
  const open = unquoted(statement)
  const found = new Set<string>()
  for (const [word] of open.matchAll(/\p{L}+/gu)) if (WORDS.has(word.toLowerCase())) found.add(word.toLowerCase())
  if (open.slice(0, -1).includes(';')) found.add(';')
  return [...found].sort()
}

/** The same length with every quotation blanked out. A quote that is never closed quotes nothing. */
function unquoted(statement: string): string {
  const last = { '"': statement.lastIndexOf('"'), '”': statement.lastIndexOf('”') }
  let closer: '"' | '”' | null = null
  let open = ''
  for (let at = 0; at < statement.length; at += 1) {
    const mark = statement[at]!
    const inside: boolean = closer !== null
    if (mark === closer) closer = null
    else if (closer === null && mark === '"' && at < last['"']) closer = '"'
    else if (closer === null && mark === '“' && at < last['”']) closer = '”'
    open += inside || closer !== null ? ' ' : mark
  }
  return open
}
