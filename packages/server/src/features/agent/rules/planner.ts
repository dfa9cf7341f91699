/** The built-in planner `orch.planner/v2`: a published grammar, no model and no guess. The same goal gives the same plan, and
 *  what is not understood is asked back. */
import type { Static } from 'typebox'
import type { ToolCall } from '../planners.ts'
import type { LoopReply } from '../schemas.ts'
import { type Clause, clausesOf, FORMS, QUOTATION } from './grammar.ts'

export const PLANNER = 'orch.planner/v2'
const MAX_CALLS = 20

export type PlannedCall = Static<typeof ToolCall>

/** What a clause leaves open: its place, from 0, and the tool it seems to want; null where none is recognised. */
export type Need = LoopReply['planner']['needs'][number]

export interface Plan {
  calls: PlannedCall[]
  clauses: number
  needs: Need[]
}

/** `allowed` null: every tool. */
export function planOf(goal: string, allowed: ReadonlySet<string> | null): Plan {
  const clauses = clausesOf(goal)
  const calls: PlannedCall[] = []
  const needs: Need[] = []
  for (const [at, clause] of clauses.entries()) {
    const read = callOf(clause, allowed)
    if ('missing' in read) needs.push({ clause: at, ...read })
    else calls.push(read)
  }
  return { calls: calls.slice(0, MAX_CALLS + 1), clauses: clauses.length, needs }
}

const UNKNOWN = `a clause that one of these tools can do: ${[...new Set(FORMS.map(({ tool }) => tool))].sort().join(', ')}`

function callOf(text: string, allowed: ReadonlySet<string> | null): PlannedCall | Omit<Need, 'clause'> {
  const clause = clauseOf(text)
  let wanted: Omit<Need, 'clause'> | null = null
  for (const { tool, pattern, read } of FORMS) {
    const match = pattern.exec(clause.shape)
    if (match === null) continue
    const found = read(match, clause)
    const isAllowed = allowed === null || allowed.has(tool)
    if ('args' in found && isAllowed) return { tool, args: found.args }
    wanted ??= { tool, missing: 'missing' in found ? found.missing : `the tool ${tool} among "tools"` }
  }
  return wanted ?? { tool: null, missing: UNKNOWN }
}

const POLITE =
  /^(?:(?:can|could|would|will) you (?:please )?|i (?:want|need|would like) (?:you )?to |i['\u2019]d like (?:you )?to |kindly |hey,? |let['\u2019]s |let us )/i
const AFTER = /(?:,? (?:please|for me|now|thanks|thank you))+$/i

/** With single spaces outside its quotation, and without courtesies around it. */
function clauseOf(text: string): Clause {
  const [first, last] = [text.search(MARK), text.search(LAST_MARK)]
  const isQuoted = first >= 0 && last > first + 1
  const around = isQuoted ? text.slice(0, first) + QUOTATION + text.slice(last + 1) : text
  const shape = around.replace(/\s+/g, ' ').trim().replace(POLITE, '').replace(AFTER, '')
  return { raw: text, shape, quoted: isQuoted ? text.slice(first + 1, last) : null }
}

const MARK = /["\u201c\u201d]/
const LAST_MARK = /["\u201c\u201d][^"\u201c\u201d]*$/
