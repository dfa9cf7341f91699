/** `tool {json}` or `tool text`; `list` alone lists. */
import { parseStrictly } from '../../../platform/shape.ts'
import type { Structured } from '../organ.ts'

const MAX_NAME = 64

/** What the rest of the line is to each tool, where it is not a JSON object of its arguments. */
const FROM_TEXT = new Map<string, (text: string) => Record<string, unknown>>([
  ['hash', (text) => ({ text })],
  ['calc', (expression) => ({ expression })],
  ['time', (zone) => ({ zone })],
  ['ledger_lookup', (digest) => ({ digest })],
  [
    'json_query',
    (text) => {
      const [query, rest] = splitAt(text)
      const document = parseStrictly(rest)
      return document === undefined ? { query } : { query, document }
    },
  ],
])

/** Text that begins as JSON and is none is no text for the tool either: it goes on as it is, and is refused. */
export function toolPrompt(prompt: string): Structured {
  const [name, rest] = splitAt(prompt.trim())
  if (name === 'list' && rest === '') return { op: 'list' }
  const fromText = rest.startsWith('{') ? undefined : FROM_TEXT.get(name)
  const args = rest === '' ? {} : (asObject(parseStrictly(rest)) ?? fromText?.(rest) ?? rest)
  return { op: 'call', name: [...name].slice(0, MAX_NAME).join(''), arguments: args }
}

export const asObject = (value: unknown): Record<string, unknown> | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null

/** The first word, and what follows it. */
function splitAt(text: string): [string, string] {
  const at = text.search(/\s/)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at).trim()]
}
