/** A request to step with its defaults filled, and the digests it is known by. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { StepAsked } from './contract.ts'
import type { StepBody, StepInput } from './schemas.ts'

const DEFAULTS: Omit<StepBody, 'session_id' | 'request'> = {
  allowed_experts: [],
  risk_budget: null,
  mode_hint: 'auto',
  dry_run: false,
  novelty: null,
  disagreement: null,
  context_tokens: 0,
  active_tool_count: 0,
  memory_pressure: null,
}

const digestOf = (body: StepBody): string => sha256Hex(canonicalBytes(body))

export function stepAsked(input: StepInput): StepAsked {
  const body: StepBody = { ...DEFAULTS, ...input }
  const digest = digestOf(body)
  return { body, digest, approvedDigest: body.dry_run ? digestOf({ ...body, dry_run: false }) : digest }
}
