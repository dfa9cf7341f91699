/** What each tool takes. Closed: an argument the tool does not know is refused, not ignored. */
import Type, { type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'

const Text = Type.String({ minLength: 1, maxLength: 32_768 })
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })
const closed = <Properties extends Record<string, TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

export const TOOL_ARGUMENTS = {
  hash: closed({
    text: Text,
    algorithm: Type.Optional(Type.Union([Type.Literal('sha256'), Type.Literal('sha3-256')])),
  }),
  time: closed({ zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
  calc: closed({ expression: Type.String({ minLength: 1, maxLength: 1024 }) }),
  json_query: closed({ document: Type.Unknown(), query: Type.String({ maxLength: 1024 }) }),
  text_stats: closed({ text: Text }),
  retrieve: closed({
    query: Type.String({ minLength: 1, maxLength: 512 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  }),
  ledger_lookup: closed({ digest: Digest }),
  verify_receipt: closed({ digest: Digest }),
  gate_check: closed({ text: Type.String({ minLength: 1, maxLength: 8192 }) }),
  note_put: closed({
    name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }),
    text: Type.String({ minLength: 1, maxLength: 4096 }),
  }),
  session_clear: closed({}),
} as const

export type ToolName = keyof typeof TOOL_ARGUMENTS
export type ArgumentsOf<Name extends ToolName> = Static<(typeof TOOL_ARGUMENTS)[Name]>

/** Own names alone: `constructor` is no tool. */
export const isToolName = (name: string): name is ToolName => Object.hasOwn(TOOL_ARGUMENTS, name)

/** Where the arguments do not fit, as a JSON Pointer and a rule; null when they do. Nothing of their text is repeated. */
export function argumentFault(name: ToolName, args: unknown): string | null {
  const schema = TOOL_ARGUMENTS[name]
  if (Value.Check(schema, args)) return null
  const first = [...Value.Errors(schema, args)][0]
  return first === undefined ? 'the arguments do not fit' : `${first.keyword} at ${first.schemaPath}`
}

export const TOOL_DESCRIPTIONS: Readonly<Record<ToolName, string>> = {
  hash: 'SHA-256 or SHA3-256 of a text',
  time: 'the time of the service, UTC, and in a time zone where one is named',
  calc: 'exact arithmetic on an expression',
  json_query: 'one value out of a JSON document',
  text_stats: 'characters, words and lines of a text',
  retrieve: 'the best matches among what the run has seen and noted',
  ledger_lookup: 'where a receipt stands in the ledger',
  verify_receipt: 'the checks of one receipt of the ledger',
  gate_check: 'what the gates say about a text, without deciding',
  note_put: 'keeps a short text for later steps',
  session_clear: 'forgets the notes of the session',
}
