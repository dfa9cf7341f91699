/** One call of one tool: whether it may be made, and what came of it. */
import { InputError } from '../../../errors.ts'
import { withDeadline } from '../../../platform/deadline.ts'
import type { ToolReply } from './protocol.ts'
import { schemaFault } from './schema-check.ts'
import { definitionDigest, type Tool, type ToolOutput, type ToolWorld } from './tools.ts'

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

export interface GovernedCall {
  decision: Verdict
  reasons: string[]
  findings: Finding[]
  faults: string[]
  policySha256: string | null
  output: Record<string, unknown> | null
  outputText: string | null
  schemaValid: boolean | null
  error: string | null
}

const NOTHING: Omit<GovernedCall, 'decision' | 'reasons'> = {
  ...{ findings: [], faults: [], policySha256: null, output: null, outputText: null, schemaValid: null, error: null },
}

export const unknownTool: GovernedCall = { ...NOTHING, decision: 'deny', reasons: ['UNKNOWN_TOOL'] }

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
  args: Record<string, unknown>,
  { agent, pinned, world, signal }: CallFacts,
): Promise<GovernedCall> {
  const misfit = schemaFault(tool.inputSchema, args)
  if (misfit !== null)
    throw new InputError([{ loc: ['body', 'arguments', ...misfit.place], msg: misfit.message, type: 'value' }])
  if (pinned !== undefined && pinned !== definitionDigest(tool))
    return { ...NOTHING, decision: 'deny', reasons: ['DEFINITION_DRIFT'] }
  const policy = rules.authorize(agent, tool.name)
  const base = { ...NOTHING, policySha256: policy.policy_sha256 }
  if (policy.outcome === 'deny') return { ...base, decision: 'deny', reasons: ['POLICY_DENIED', ...policy.determining] }
  const { action, findings, faults } = await rules.screen(textOf(args))
  const screened = { ...base, findings: [...findings], faults: [...faults] }
  if (action === 'deny') return { ...screened, decision: 'deny', reasons: ['GUARD_DENIED'] }
  const reviews = [
    ...(policy.outcome === 'review' ? ['POLICY_REVIEW', ...policy.determining] : []),
    ...(action === 'review' ? ['GUARD_REVIEW'] : []),
  ]
  if (reviews.length > 0) return { ...screened, decision: 'review', reasons: reviews }
  const allowed: GovernedCall = {
    ...screened,
    decision: 'allow',
    reasons: [],
    ...(await used(tool, args, world, signal)),
  }
  return tool.outside && allowed.outputText !== null ? withScreenedOutput(rules, allowed, allowed.outputText) : allowed
}

/** What a server of somebody else says is as much an attacker's as what a caller says. */
async function withScreenedOutput(rules: CallRules, allowed: GovernedCall, text: string): Promise<GovernedCall> {
  const { action, findings, faults } = await rules.screen(text)
  if (action === 'allow') return allowed
  const found = { findings: [...findings], faults: [...faults], output: null, outputText: null }
  return { ...allowed, ...found, decision: 'deny', reasons: ['OUTPUT_WITHHELD'] }
}

/** Keys are text of the caller as well. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  if (value === null || typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${textOf(field)}`)
    .join('\n')
}

async function used(tool: Tool, args: Record<string, unknown>, world: ToolWorld, signal: AbortSignal) {
  const late = (): ToolOutput => ({ ok: false, reason: 'TOOL_TIMEOUT' })
  const run = await withDeadline(tool.timeoutMs ?? TOOL_MS, async () => tool.run(args, world), late, signal)
  if (!run.ok) return { error: run.reason }
  const outputText = JSON.stringify(run.output)
  if (Buffer.byteLength(outputText) > MAX_OUTPUT_BYTES)
    return { error: `an output has at most ${MAX_OUTPUT_BYTES} bytes` }
  const schemaValid = tool.outputSchema === null ? null : schemaFault(tool.outputSchema, run.output) === null
  if (schemaValid === false) return { schemaValid, error: 'the output does not fit the schema of the tool' }
  return { output: run.output, outputText, schemaValid }
}

export function toReply({ decision, reasons, output, error }: GovernedCall): ToolReply {
  if (decision === 'review') return { kind: 'review', message: `a person decides first: ${reasons.join(', ')}` }
  if (decision === 'deny') return { kind: 'error', message: `denied: ${reasons.join(', ')}` }
  return output === null ? { kind: 'error', message: error ?? 'the tool failed' } : { kind: 'output', output }
}
