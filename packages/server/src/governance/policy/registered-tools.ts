/** The tools an operator registers in `tools.json`, beside the policies that decide on their use. */
import { JsonError, parseStrictJson, placeOf } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { type PolicyFile, PolicySetError, TOOLS_FILE } from './policy-files.ts'

const MAX_TOOLS = 1024
const EFFECTS = ['none', 'read', 'write', 'external', 'destructive'] as const
const closed = { additionalProperties: false } as const

const RegisteredTool = Type.Object(
  {
    /** Names end up in receipts and metrics in clear, so they are plain words. */
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9._:/-]{0,63}$' }),
    effect: Type.Enum([...EFFECTS]),
    description: Type.String({ minLength: 1, maxLength: 256 }),
    /** Hold every call for a person, whatever its effect. */
    review: Type.Optional(Type.Boolean()),
  },
  closed,
)
export type RegisteredTool = Static<typeof RegisteredTool>

const ToolsDocument = Compile(
  Type.Object(
    { schema: Type.Literal('orch.tools/v1'), tools: Type.Array(RegisteredTool, { maxItems: MAX_TOOLS }) },
    closed,
  ),
)

/** What each field has to be, in the words of a refusal. */
const EXPECTED: Readonly<Record<string, string>> = {
  schema: '"orch.tools/v1"',
  tools: `a list of at most ${MAX_TOOLS} tools`,
  name: 'a letter and up to 63 more of A-Z a-z 0-9 . _ : / -, such as "github/create_issue"',
  effect: `one of ${EFFECTS.join(', ')}`,
  description: 'text of 1 to 256 characters',
  review: 'true or false',
}
const FIELDS =
  'the file has schema and tools; a tool has name, effect and description, and may have review, such as {"name":"deploy","effect":"write","description":"Deploys"}'

/** Throws a PolicySetError. A set without the file registers nothing: what it would permit meets the default deny. */
export function readTools(files: readonly PolicyFile[], builtIn: readonly string[]): Map<string, RegisteredTool> {
  const file = files.find(({ name }) => name === TOOLS_FILE)
  const registered = new Map<string, RegisteredTool>()
  for (const tool of file === undefined ? [] : parseTools(file.text)) {
    if (builtIn.includes(tool.name))
      throw refused(`registers ${tool.name}, which is a built-in tool; choose another name`)
    if (registered.has(tool.name)) throw refused(`registers ${tool.name} twice; keep one entry`)
    registered.set(tool.name, tool)
  }
  return registered
}

function parseTools(text: string): RegisteredTool[] {
  const document = parseJson(text)
  if (ToolsDocument.Check(document)) return document.tools
  const [first] = ToolsDocument.Errors(document)
  const path = first?.instancePath ?? ''
  const expected = EXPECTED[path.slice(path.lastIndexOf('/') + 1)]
  const why = expected === undefined ? `${first?.message ?? 'is wrong'}; ${FIELDS}` : `must be ${expected}`
  throw refused(`does not fit its schema at ${path || '/'}: ${why}`)
}

function parseJson(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw refused(`is not JSON: ${error.message}${placeOf(error, text)}`)
  }
}

const refused = (why: string) => new PolicySetError(`${TOOLS_FILE} ${why}`)
