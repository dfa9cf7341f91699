/** The tools an operator registers in `tools.json`, beside the policies that decide on their use. */
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { type PolicyFile, PolicySetError, TOOLS_FILE } from './policy-files.ts'

const MAX_TOOLS = 1024
const closed = { additionalProperties: false } as const

const RegisteredTool = Type.Object(
  {
    /** Names end up in receipts and metrics in clear, so they are plain words. */
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9._:/-]{0,63}$' }),
    effect: Type.Enum(['none', 'read', 'write', 'external', 'destructive']),
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
  throw refused(`does not fit its schema at ${first?.instancePath || '/'}: ${first?.message ?? 'unknown cause'}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refused('is not JSON')
  }
}

const refused = (why: string) => new PolicySetError(`${TOOLS_FILE} ${why}`)
