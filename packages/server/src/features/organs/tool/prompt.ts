/** `tool {json}` or `tool text`; `list` alone lists. */
import { JsonError, parseStrictJson } from '@orch/core'
import { argumentFault, isToolName } from '../../../domain/tools/arguments.ts'
import type { Structured } from '../organ.ts'

const MAX_NAME = 64

/** What the rest of the line is to each tool, where it is not a JSON object of its arguments. */
const FROM_TEXT: Readonly<Record<string, (text: string) => Record<string, unknown>>> = {
  hash: (text) => ({ text }),
  calc: (expression) => ({ expression }),
  time: (zone) => (zone === '' ? {} : { zone }),
  ledger_lookup: (digest) => ({ digest }),
  json_query(text) {
    const [query = '', rest = ''] = splitAt(text)
    const document = parsed(rest)
    return document === undefined ? {} : { query, document }
  },
}

export function toolPrompt(prompt: string): Structured {
  const [name, rest] = splitAt(prompt.trim())
  if (name === 'list' && rest === '') return { op: 'list' }
  const json = parsed(rest)
  const isArguments = json !== null && typeof json === 'object' && !Array.isArray(json)
  const args = (isArguments ? json : isToolName(name) ? FROM_TEXT[name]?.(rest) : null) ?? {}
  // What does not fit the tool names none: the answer then lists those that there are.
  if (isToolName(name) && argumentFault(name, args) !== null)
    return { op: 'call', name: shortened(`${name} ${rest || '(nothing)'}`), arguments: {} }
  return { op: 'call', name: shortened(name), arguments: args as Record<string, unknown> }
}

/** The first word, and what follows it. */
function splitAt(text: string): [string, string] {
  const at = text.search(/\s/)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at).trim()]
}

const shortened = (text: string): string => [...text].slice(0, MAX_NAME).join('')

function parsed(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}
