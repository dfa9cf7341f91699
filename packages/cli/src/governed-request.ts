// What the words and flags of `govern` ask. The service checks the values: a mistyped one is refused there.
import type { GovernRequest } from '@orch/client'
import { utf8Decode } from '@orch/core'
import { usage } from './exit.ts'
import { readInput, readJson, STDIN } from './json-input.ts'

const flag = (value: string, help: string) => ({ type: 'string', value, help }) as const

export const REQUEST_FLAGS = {
  agent: flag('NAME', 'the agent that asks, as it shall stand in the receipt'),
  tool: flag('NAME', 'the tool that is about to be used'),
  session: flag('ID', 'the session whose risk budget is charged'),
  effect: flag('WORD', 'none, read, write, external or destructive'),
  declared: flag('CLASS', 'PUBLIC, INTERNAL, RESTRICTED or SECRET'),
  context: flag('FILE', 'JSON object that is scanned and bound to the decision'),
  review: flag('ID', 'a review that was approved for exactly this request'),
} as const

type RequestFlags = { [Name in keyof typeof REQUEST_FLAGS]?: string }

export function requestOf(args: readonly string[], flags: RequestFlags): GovernRequest {
  const { agent, tool, session, effect, declared, context, review } = flags
  if (args.length !== 1) throw usage('give the text as one argument in quotes, or - for stdin')
  if (args[0] === STDIN && context === STDIN) throw usage('text and context cannot both come from stdin')
  return {
    text: textOf(args[0]!),
    ...(agent !== undefined && { agent }),
    ...(tool !== undefined && { tool }),
    ...(session !== undefined && { session_id: session }),
    ...(effect !== undefined && { effect: effect as NonNullable<GovernRequest['effect']> }),
    ...(declared !== undefined && { declared: declared as NonNullable<GovernRequest['declared']> }),
    ...(context !== undefined && { context: contextOf(context) }),
    ...(review !== undefined && { review_id: review }),
  }
}

/** The newline at the end is the shell's, not the text's. */
function textOf(argument: string): string {
  if (argument !== STDIN) return argument
  const text = utf8Decode(readInput(STDIN))
  if (text === null) throw usage('the text is not valid UTF-8')
  return text.replace(/\r?\n$/, '')
}

function contextOf(file: string): Record<string, unknown> {
  const value = readJson(file, 'the context')
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw usage('the context is not an object')
  return value as Record<string, unknown>
}
