/** The forms of the built-in planner, one row of grammar.json for one way to ask for a tool. A clause comes here with single spaces and with
 *  its quotation replaced by one sign, so every pattern is a walk over the clause. */
import { JsonError, parseStrictJson, sha256Hex } from '@orch/core'
import { zoneOf } from '../../../domain/tools/places.ts'
import grammar from './grammar.json' with { type: 'json' }
import { spokenExpression } from './spoken-arithmetic.ts'

/** Stands where the clause has its quotation. */
export const QUOTATION = '\ufffc'

export interface Clause {
  /** As it was written, fillers aside. */
  raw: string
  shape: string
  /** What stands between its first and its last quotation mark. */
  quoted: string | null
}

export type Read = { args: Record<string, unknown> } | { missing: string }

export interface Form {
  tool: string
  /** As it is published. */
  written: string
  pattern: RegExp
  read(match: RegExpExecArray, clause: Clause): Read
}

const ASK = "(?:(?:what(?: is|'s|\u2019s)|tell me|give me|show me|know|get|find|compute|calculate) )?(?:the )?"
const ALGORITHM = '(sha-?256|sha3-256)'
const WHAT = '(?:text|word|words|string|phrase|sentence|note)'

const textOr = (missing: string, text: string | undefined, { quoted }: Clause): string | { missing: string } => {
  const bare = (text ?? '').trim()
  if (bare === QUOTATION) return quoted!
  return bare === '' || /["\u201c\u201d\ufffc]/.test(bare) ? { missing } : bare
}

const withText =
  (missing: string, make: (text: string, match: RegExpExecArray) => Record<string, unknown>): Form['read'] =>
  (match, clause) => {
    const text = textOr(missing, match.groups?.text, clause)
    return typeof text === 'string' ? { args: make(text, match) } : text
  }

const algorithmOf = (name: string | undefined) =>
  name === undefined ? {} : { algorithm: name.toLowerCase() === 'sha3-256' ? 'sha3-256' : 'sha256' }

const hashed = withText('the text to hash, such as: hash "TEXT"', (text, { groups }) => ({
  text,
  ...algorithmOf(groups?.before ?? groups?.after),
}))
const counted = withText('the text to count in, such as: count words in "TEXT"', (text) => ({ text }))
const searched = withText('what to search for, such as: search for "WORDS"', (query) => ({ query }))
const checked = withText('the text to check, such as: check "TEXT"', (text) => ({ text }))
const noted = withText('what to note, such as: remember "TEXT" as NAME', (text, { groups }) => ({
  name: groups?.name ?? `note-${sha256Hex(text.toWellFormed()).slice(0, 12)}`,
  text,
}))
const nothing: Form['read'] = () => ({ args: {} })

const DIGEST = /^[0-9a-f]{64}$/i
const digest: Form['read'] = ({ groups }) =>
  DIGEST.test(groups?.digest ?? '')
    ? { args: { digest: groups!.digest!.toLowerCase() } }
    : { missing: 'the digest of a receipt: 64 hex digits' }

const place: Form['read'] = ({ groups }) => {
  const zone = zoneOf(groups?.place ?? '')
  return zone === null
    ? { missing: 'a place that is known here: a city such as Tokyo, or a zone such as Europe/Berlin' }
    : { args: { zone } }
}

const MISSING_SUM = 'what to calculate, such as: 2 + 3 * 4, or: 15 percent of 200'
const sum: Form['read'] = ({ groups }) => {
  const expression = spokenExpression(groups?.sum ?? '')
  return expression === null ? { missing: MISSING_SUM } : { args: { expression } }
}

/** What stands after `in` is read from the clause as it was written: quotation marks belong to the JSON. */
const json: Form['read'] = (_match, { raw }) => {
  const missing = { missing: 'a JSON Pointer or path and a JSON document, such as: query /a/0 in {"a": [1]}' }
  const [, query, text] = /^\S+\s+(\S+)\s+in\s+(\S.*)$/s.exec(raw) ?? []
  if (query === undefined) return missing
  try {
    return { args: { query, document: parseStrictJson(text!) } }
  } catch (error) {
    if (error instanceof JsonError) return missing
    throw error
  }
}

const ARITHMETIC =
  '(?:add|subtract|multiply|divide|double|half of|the half of|(?:the )?(?:sum|product|difference|quotient)) .+'

/** What the patterns of grammar.json name in braces, and how they read what they matched. */
const PIECES: Readonly<Record<string, string>> = { ASK, ALGORITHM, WHAT, ARITHMETIC }
const READERS = { json, hashed, place, nothing, counted, digest, noted, searched, checked, sum }

const compiled = (pattern: string): RegExp =>
  new RegExp(`^(?:${pattern.replace(/\{([A-Z]+)\}/g, (_, name: string) => PIECES[name]!)})$`, 'is')

/** Asked in this order; the first that matches is the one. */
export const FORMS: readonly Form[] = grammar.forms.map(({ tool, written, pattern, reads }) => ({
  tool,
  written,
  pattern: compiled(pattern),
  read: READERS[reads as keyof typeof READERS],
}))

const FILLER = /^(?:(?:please|and|also|first|next|finally|now|then)\b|,)[\s,]*/i
const THEN = /then\b/iy

/** A goal cut into clauses: at line ends, semicolons, the word `then` and the ends of sentences, never inside double
 *  quotes. One pass: the goal is a caller's. */
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
