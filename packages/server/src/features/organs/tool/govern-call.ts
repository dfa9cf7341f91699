/** One call of one tool: whether it may be made, and what came of it. */
import type { ToolOutput, ToolWorld } from '../../../domain/tools/basic.ts'
import { InputError } from '../../../errors.ts'
import { withDeadline } from '../../../platform/deadline.ts'
import { schemaFault } from './schema-fault.ts'
import { definitionDigest, type Tool } from './tools.ts'

const MAX_OUTPUT_BYTES = 16 * 1024
const TOOL_MS = 1_000

type Verdict = 'allow' | 'review' | 'deny'

interface Finding {
  scanner: string
  rule: string
  start: number
  end: number
  score: number
  sample_masked: string
}

/** What the policies and the guard of the service say. */
export interface CallRules {
  authorize(
    agent: string,
    tool: string,
  ): { outcome: Verdict; determining: string[]; errors: string[]; policy_sha256: string }
  screen(text: string): Promise<{ action: Verdict; findings: readonly Finding[]; faults: readonly string[] }>
}

const NOTHING = {
  ...{ findings: [] as readonly Finding[], policy_sha256: null as string | null, error: null as string | null },
  ...{ output: null as ToolOutput | null, output_text: null as string | null, schema_valid: null as boolean | null },
  /** Sentences about scanners that did not finish. */
  faults: [] as readonly string[],
}
export type GovernedCall = typeof NOTHING & { decision: Verdict; reasons: string[] }

export const denied = (...reasons: string[]): GovernedCall => ({ ...NOTHING, decision: 'deny', reasons })

interface CallFacts {
  agent: string
  pinned: string | undefined
  world: ToolWorld
  signal: AbortSignal
}

/** In this order: the pin, the policies, the guard on the arguments, the tool. Throws `InputError` for arguments that do
 *  not fit the tool. */
export async function governCall(
  rules: CallRules,
  tool: Tool,
  args: Record<string, unknown> | null,
  { agent, pinned, world, signal }: CallFacts,
): Promise<GovernedCall> {
  if (args === null) throw unfit([], 'must be a JSON object')
  const misfit = await schemaFault(tool.inputSchema, args)
  if (misfit !== null) throw unfit(misfit.place, misfit.message)
  if (pinned !== undefined && pinned !== definitionDigest(tool)) return denied('DEFINITION_DRIFT')
  const { outcome, determining, policy_sha256 } = rules.authorize(agent, tool.name)
  if (outcome === 'deny') return { ...denied('POLICY_DENIED', ...determining), policy_sha256 }
  const { action, findings, faults } = await rules.screen(textOf(args))
  const screened = { policy_sha256, findings, faults }
  if (action === 'deny') return { ...denied('GUARD_DENIED'), ...screened }
  const reasons = [
    ...(outcome === 'review' ? ['POLICY_REVIEW', ...determining] : []),
    ...(action === 'review' ? ['GUARD_REVIEW'] : []),
  ]
  if (reasons.length > 0) return { ...NOTHING, ...screened, decision: 'review', reasons }
  const allowed = {
    ...NOTHING,
    ...screened,
    decision: 'allow',
    reasons,
    ...(await used(tool, args, world, signal)),
  } as const
  if (!tool.outside || allowed.output === null) return allowed
  // What a server of somebody else says is as much an attacker's as what a caller says.
  const answer = await rules.screen(textOf(allowed.output))
  if (answer.action === 'allow') return allowed
  const { schema_valid } = allowed
  return { ...denied('OUTPUT_WITHHELD'), policy_sha256, schema_valid, findings: answer.findings, faults: answer.faults }
}

const unfit = (place: readonly string[], msg: string): InputError =>
  new InputError([{ loc: ['body', 'arguments', ...place], msg, type: 'value' }])

/** Keys are text of the caller as well. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  if (value === null || typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${textOf(field)}`)
    .join('\n')
}

async function used(tool: Tool, args: Record<string, unknown>, world: ToolWorld, signal: AbortSignal) {
  const run = async () => tool.run(args, world)
  const output = await withDeadline(tool.timeoutMs ?? TOOL_MS, run, () => 'TOOL_TIMEOUT', signal)
  if (typeof output === 'string') return { error: output }
  const output_text = JSON.stringify(output)
  if (Buffer.byteLength(output_text) > MAX_OUTPUT_BYTES)
    return { error: `an output has at most ${MAX_OUTPUT_BYTES} bytes` }
  const schema_valid = tool.outputSchema === null ? null : (await schemaFault(tool.outputSchema, output)) === null
  return schema_valid === false
    ? { schema_valid, error: 'the output does not fit the schema of the tool' }
    : { output, output_text, schema_valid }
}
