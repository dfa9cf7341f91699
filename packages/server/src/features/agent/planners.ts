/** Where the next call comes from: the caller's plan, the grammar, or a model that is asked step by step. */

import Type from 'typebox'
import { Value } from 'typebox/value'
import type { Origin } from '../../domain/gates/finding.ts'
import { closed, parseStrictly } from '../../platform/shape.ts'
import type { LoopRequest } from './request.ts'
import { type Need, PLANNER, type Plan, type PlannedCall, planOf } from './rules/planner.ts'

export type Next = { call: PlannedCall } | { done: true } | { error: string }

export interface Planner {
  id: string
  /** Whose word the arguments are. */
  origin: Origin
  clauses: number | null
  /** What clauses of the goal leave open; a run that did the rest ends by asking for it. */
  needs: readonly Need[]
  target: string | null
  /** What is left of a plan that is known beforehand. */
  rest(): PlannedCall[]
  next(): Promise<Next>
  /** Why there is no plan, where there is none. */
  empty: string
}

/** What a plan or a goal says, in its order. `rest` is what a review kept. */
export function listPlanner(request: LoopRequest, rest: readonly PlannedCall[] | null): Planner {
  const plan: Plan =
    request.plan === null ? planOf(request.goal, request.tools) : { calls: request.plan, clauses: 0, needs: [] }
  const queue = [...(rest ?? plan.calls)]
  const given = request.plan !== null
  return {
    id: given ? 'caller' : PLANNER,
    origin: 'user',
    clauses: given ? null : plan.clauses,
    needs: plan.needs,
    target: null,
    rest: () => [...queue],
    empty: 'the plan holds no call',
    async next() {
      const call = queue.shift()
      if (call === undefined) return { done: true }
      if (request.tools !== null && !request.tools.has(call.tool))
        return { error: 'the plan names a tool outside tools' }
      return { call }
    },
  }
}

export const ToolCall = closed({
  tool: Type.String({ minLength: 1, maxLength: 64 }),
  args: Type.Record(Type.String(), Type.Unknown()),
})
const Done = closed({ done: Type.Literal(true) })
const Completion = Type.Object({
  choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String({ maxLength: 65_536 }) }) }), {
    minItems: 1,
  }),
})

/** The next step in what a model answered: one call of one tool, or that it is done. Null for anything else, prose around
 *  the JSON included. */
export function proposedIn(value: unknown, allowed: ReadonlySet<string>): Exclude<Next, { error: string }> | null {
  if (!Value.Check(Completion, value)) return null
  const content = parseStrictly(value.choices[0]!.message.content.trim())
  if (Value.Check(Done, content)) return { done: true }
  if (!Value.Check(ToolCall, content) || !allowed.has(content.tool)) return null
  return { call: { tool: content.tool, args: content.args } }
}
