/** A request for a run as the loop takes it. What is not part of the contract is scanned, listed and changes nothing. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { assertContext, assertText } from '../../domain/decision/caller-text.ts'
import { isToolName } from '../../domain/tools/arguments.ts'
import { InputError } from '../../errors.ts'
import type { PlannedCall } from './rules/planner.ts'
import { LoopBody, type LoopInput, type LoopReply } from './schemas.ts'

const MAX_CONTEXT_BYTES = 32 * 1024
const GOALS = ['goal', 'task', 'action'] as const
/** Scores are computed here and never believed. */
const SCORES = new Set(['lambda', 'lambda_score', 'axes'])
const KNOWN = new Set(Object.keys(LoopBody.properties))

export interface LoopRequest {
  goal: string
  /** What stands beside the goal and is scanned with it. */
  surplus: Record<string, unknown>
  maxSteps: number
  /** Null: every tool of the server. */
  tools: ReadonlySet<string> | null
  plan: PlannedCall[] | null
  planner: 'builtin' | 'upstream'
  sessionId: string | null
  deadlineMs: number
  reviewId: string | null
  dryRun: boolean
  ignored: LoopReply['ignored']
  /** Of everything but the approval: what a person approves. */
  sha256: string
  body: Record<string, unknown>
}

export function loopRequest(body: LoopInput): LoopRequest {
  const { review_id: reviewId = null, dry_run: dryRun = false, ...approved } = body
  const named = GOALS.find((name) => body[name] !== undefined)
  const surplus = Object.keys(body).filter((field) => !KNOWN.has(field) || isOtherGoal(field, named))
  if (body.context !== undefined) assertContext(body.context, MAX_CONTEXT_BYTES)
  return {
    goal: goalOf(body, named),
    surplus: readSurplus(body, surplus),
    maxSteps: body.max_steps ?? 10,
    tools: body.tools === undefined ? null : registered(body.tools),
    plan: body.plan?.map(({ tool, args = {} }) => ({ tool, args })) ?? null,
    planner: body.planner ?? 'builtin',
    sessionId: body.session_id ?? null,
    deadlineMs: body.deadline_ms ?? 15_000,
    reviewId,
    dryRun,
    ignored: surplus.map((field) => ({
      field,
      reason: SCORES.has(field) ? 'LAMBDA_NOT_CALLER_SUPPLIED' : 'NOT_PART_OF_THE_CONTRACT',
    })),
    sha256: sha256Hex(canonicalBytes(approved)),
    body: approved,
  }
}

const isOtherGoal = (field: string, named: string | undefined): boolean =>
  (GOALS as readonly string[]).includes(field) && field !== named

const refuse = (field: string | number, msg: string, type: string, ...deeper: (string | number)[]) =>
  new InputError([{ loc: ['body', field, ...deeper], msg, type }])

function goalOf(body: LoopInput, named: (typeof GOALS)[number] | undefined): string {
  if (named === undefined) throw refuse('goal', 'send a goal, a task or an action', 'missing')
  const goal = body[named] as string
  assertText(goal, named)
  return goal
}

function registered(names: readonly string[]): ReadonlySet<string> {
  const firstUnknown = names.findIndex((name) => !isToolName(name))
  if (firstUnknown >= 0) throw refuse('tools', 'is no tool of this server', 'unknown_tool', firstUnknown)
  return new Set(names)
}

function readSurplus(body: LoopInput, surplus: readonly string[]): Record<string, unknown> {
  const fields = ['reasoning', 'context', ...surplus].filter((field) => Object.hasOwn(body, field))
  // Pairs, so that a field called `__proto__` is a field like others.
  return Object.fromEntries(fields.map((field) => [field, (body as Record<string, unknown>)[field]]))
}
