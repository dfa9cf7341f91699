/** The built-in planner `orch.planner/v1`: a published grammar, no model and no guess. The same goal gives the same plan. */
import { JsonError, parseStrictJson, sha256Hex } from '@orch/core'
import { clausesOf } from './clauses.ts'

export const PLANNER = 'orch.planner/v1'
export const MOST_CALLS = 20

export interface PlannedCall {
  tool: string
  args: Record<string, unknown>
}

export interface Plan {
  calls: PlannedCall[]
  clauses: number
  /** Positions of the clauses that no form matches, from 0. */
  unmatched: number[]
}

interface Form {
  tool: string
  /** As it is published. */
  written: string
  pattern: RegExp
  args(match: RegExpExecArray): Record<string, unknown> | null
}

const QUOTED = '["\u201c\u201d](.+)["\u201c\u201d]'
const HEX = '([0-9a-f]{64})'
const form = (tool: string, written: string, pattern: string, args: Form['args']): Form => ({
  tool,
  written,
  pattern: new RegExp(`^(?:${pattern})$`, 'is'),
  args,
})

const textOf = ([, text]: RegExpExecArray) => ({ text })

export const FORMS: readonly Form[] = [
  form(
    'hash',
    'hash "TEXT" [with sha256|sha3-256]',
    `hash\\s+${QUOTED}(?:\\s+with\\s+(sha256|sha3-256))?`,
    (match) => ({
      text: match[1],
      ...(match[2] === undefined ? {} : { algorithm: match[2].toLowerCase() }),
    }),
  ),
  form(
    'time',
    'time | what time is it | [tell] [the] [current] time',
    'what time is it|(?:tell\\s+)?(?:the\\s+)?(?:current\\s+)?time',
    () => ({}),
  ),
  form('calc', 'calculate|calc|compute EXPRESSION', '(?:calculate|calc|compute)\\s+([-+*/().\\d\\s]+)', (match) => ({
    expression: match[1]!.trim(),
  })),
  form('json_query', 'query POINTER|PATH in JSON', 'query\\s+(\\S+)\\s+in\\s+(\\S.*)', jsonArguments),
  form('text_stats', 'count|measure "TEXT"', `(?:count|measure)\\s+${QUOTED}`, textOf),
  form(
    'retrieve',
    'search|retrieve|recall [for] "WORDS"',
    `(?:search|retrieve|recall)\\s+(?:for\\s+)?${QUOTED}`,
    (match) => ({
      query: match[1],
    }),
  ),
  form('ledger_lookup', 'lookup|look up DIGEST', `(?:lookup|look\\s+up)\\s+${HEX}`, digestOf),
  form('verify_receipt', 'verify [receipt] DIGEST', `verify\\s+(?:receipt\\s+)?${HEX}`, digestOf),
  form('gate_check', 'check "TEXT"', `check\\s+${QUOTED}`, textOf),
  form(
    'note_put',
    'remember|note "TEXT" [as NAME]',
    `(?:remember|note)\\s+${QUOTED}(?:\\s+as\\s+([A-Za-z0-9][\\w.-]{0,63}))?`,
    (match) => ({
      name: match[2] ?? `note-${sha256Hex(match[1]!.toWellFormed()).slice(0, 12)}`,
      text: match[1],
    }),
  ),
  form(
    'session_clear',
    'clear|forget [my|the] session|notes',
    '(?:clear|forget)\\s+(?:(?:my|the)\\s+)?(?:session|notes)',
    () => ({}),
  ),
]

/** `allowed` null: every tool. A clause for a tool that is not allowed matches nothing. */
export function planOf(goal: string, allowed: ReadonlySet<string> | null): Plan {
  const clauses = clausesOf(goal)
  const calls: PlannedCall[] = []
  const unmatched: number[] = []
  for (const [at, clause] of clauses.entries()) {
    const call = callOf(clause, allowed)
    if (call === null) unmatched.push(at)
    else calls.push(call)
  }
  return { calls: calls.slice(0, MOST_CALLS + 1), clauses: clauses.length, unmatched }
}

function callOf(clause: string, allowed: ReadonlySet<string> | null): PlannedCall | null {
  for (const { tool, pattern, args } of FORMS) {
    if (allowed !== null && !allowed.has(tool)) continue
    const match = pattern.exec(clause)
    const read = match && args(match)
    if (read) return { tool, args: read }
  }
  return null
}

function digestOf([, digest]: RegExpExecArray) {
  return { digest: digest!.toLowerCase() }
}

/** Null where what stands after `in` is no JSON: then the clause is none of this grammar. */
function jsonArguments([, query, text]: RegExpExecArray): Record<string, unknown> | null {
  try {
    return { query, document: parseStrictJson(text!) }
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}
