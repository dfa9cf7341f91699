/** A request to govern as the pipeline takes it, and what is recorded and told of the outcome. */
import { canonicalize, sha256Hex } from '@orch/core'
import { agentOf } from '../../domain/decision/agent.ts'
import { assertContext, assertText } from '../../domain/decision/caller-text.ts'
import { decisionRecord } from '../../domain/decision/decision-record.ts'
import { decisionView } from '../../domain/decision/decision-view.ts'
import { redacted } from '../../domain/decision/examine.ts'
import { codePoints } from '../../domain/text/code-points.ts'
import { type Vertical, type VerticalReading, verticalOf } from '../../domain/vertical.ts'
import { InputError } from '../../errors.ts'
import type { DecisionOutcome, DecisionRequest, Examined } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import type { Draft } from '../../ports.ts'
import type { DecisionReply, GovernInput } from './schemas.ts'

export const GOVERN = 'governance.govern'
const MAX_CONTEXT_BYTES = 8192

const refuse = (field: (string | number)[], msg: string, type: string) =>
  new InputError([{ loc: ['body', ...field], msg, type }])

/** One text, under either name; blank is nothing to decide about. */
export function textOf({ text, input }: GovernInput): string {
  if (text !== undefined && input !== undefined) throw refuse(['input'], 'send text or input, not both', 'conflict')
  const given = text ?? input
  if (given === undefined) throw refuse(['text'], 'is required', 'missing')
  assertText(given, text === undefined ? 'input' : 'text')
  return given
}

export function toDecisionRequest(body: GovernInput, caller: Call['caller']): DecisionRequest {
  const text = textOf(body)
  const context = body.context ?? undefined
  if (context !== undefined) assertContext(context, MAX_CONTEXT_BYTES)
  return {
    caller,
    operation: GOVERN,
    surface: 'govern',
    text,
    direction: body.direction ?? 'input',
    origin: body.origin ?? 'user',
    effect: body.effect ?? 'none',
    declared: body.declared ?? 'PUBLIC',
    context,
    tool: body.tool ?? null,
    agent: body.agent ?? null,
    severity: body.severity ?? 0,
    sessionId: body.session_id ?? null,
    reviewId: body.review_id ?? null,
    inputSha256: requestDigest(body, text),
  }
}

/** What a person approves: everything that bears on the decision, and neither the approval nor the form of the answer. */
function requestDigest(body: GovernInput, text: string): string {
  const { review_id: _, dry_run: __, redact: ___, mode: ____, input: _____, ...rest } = body
  return sha256Hex(canonicalize({ ...rest, text }))
}

export const toDomain = ({ vertical }: GovernInput, text: string): VerticalReading =>
  vertical === undefined ? verticalOf(text) : { id: vertical as Vertical, confidence: 1, hits: [], label: 'MODELED' }

export interface Governed {
  body: GovernInput
  inputSource: Call['inputSource']
  domain: VerticalReading
  determination: DecisionOutcome
  ts: string
}

/** The answer apart from its receipt: plain JSON, so that a replay gives it again. */
export function toAnswer(
  { body, inputSource, domain, determination, ts }: Governed,
  input_sha256 = sha256Hex(determination.examined.decisionRequest.text),
): Omit<DecisionReply, 'receipt'> {
  const { examined, review } = determination
  const { examination, decisionRequest } = examined
  const compared = body.mode === 'ungoverned_vs_governed'
  return {
    schema: 'orch.decision/v1',
    ok: true,
    input_source: inputSource,
    mode: body.mode ?? 'governed',
    dry_run: body.dry_run ?? false,
    domain,
    ...decisionView({ ...determination, examination }),
    ...agentOf(body),
    input_sha256,
    ...(body.redact === true ? { redacted_text: redacted(decisionRequest.text, examination) } : {}),
    ...(compared ? comparison(determination) : {}),
    review,
    label: 'MEASURED',
    ts,
  }
}

/** What the same text meets without us: nothing that could be shown, for nothing ran. */
const comparison = ({ decision, examined }: DecisionOutcome): Pick<DecisionReply, 'ungoverned' | 'caught'> => ({
  ungoverned: {
    answer: null,
    label: 'UNAVAILABLE',
    has_receipt: false,
    skipped_stages: decision.stages.map(({ id }) => id),
  },
  caught: examined.examination.findings,
})

/** The name of a tool we know, or what the text would do. Any other name is the caller's own text and stays out. */
const actionOf = ({ decisionRequest, tool }: Examined): string =>
  decisionRequest.tool === null ? decisionRequest.effect : (tool?.name ?? 'unregistered-tool')

export function toReceipt(governed: Governed): Draft {
  const { determination, domain } = governed
  const { decisionRequest, examination } = determination.examined
  const input_sha256 = sha256Hex(decisionRequest.text)
  return {
    chain: 'governance',
    kind: 'decision',
    policy: determination.digests,
    payload: {
      ...decisionRecord({ ...determination, examination }),
      operation: GOVERN,
      action: actionOf(determination.examined),
      tool: determination.examined.tool?.name ?? null,
      tool_sha256: decisionRequest.tool === null ? null : sha256Hex(decisionRequest.tool),
      ...agentOf(decisionRequest),
      vertical: domain.id,
      request_sha256: decisionRequest.inputSha256,
      input_sha256,
      input_length: codePoints(decisionRequest.text),
      context_sha256: decisionRequest.context === undefined ? null : sha256Hex(canonicalize(decisionRequest.context)),
      session_sha256: decisionRequest.sessionId === null ? null : sha256Hex(decisionRequest.sessionId),
      review_id: determination.review?.review_id ?? null,
      approved_by: determination.decision.reasons.includes('APPROVED_BY_REVIEW') ? decisionRequest.reviewId : null,
      ...determination.bound,
    },
    documents: determination.documents,
    answer: toAnswer(governed, input_sha256),
  }
}
