/** What a model may answer when it is asked for the next step: one call of one tool, or that it is done. Anything else,
 *  prose around the JSON included, is no answer. */
import { JsonError, parseStrictJson } from '@orch/core'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { closed } from '../../../platform/shape.ts'
import type { PlannedCall } from './planner.ts'

const ToolCall = closed({
  tool: Type.String({ minLength: 1, maxLength: 64 }),
  args: Type.Record(Type.String(), Type.Unknown()),
})
const Done = closed({ done: Type.Literal(true) })
const Completion = Type.Object({
  choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String({ maxLength: 65_536 }) }) }), {
    minItems: 1,
  }),
})

type Proposed = { call: PlannedCall } | { done: true } | null

/** Null for an answer that does not fit. `value` is a chat completion from a stranger. */
export function proposedIn(value: unknown, allowed: ReadonlySet<string>): Proposed {
  if (!Value.Check(Completion, value)) return null
  const content = strictly(value.choices[0]!.message.content)
  if (Value.Check(Done, content)) return { done: true }
  if (!Value.Check(ToolCall, content) || !allowed.has(content.tool)) return null
  return { call: { tool: content.tool, args: content.args } }
}

function strictly(text: string): unknown {
  try {
    return parseStrictJson(text.trim())
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}
