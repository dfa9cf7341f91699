/** One gate tried on one text: the pipeline's own answer, of which only this gate's part is told and recorded. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { assertContext, assertText } from '../../domain/decision/caller-text.ts'
import { counted } from '../../domain/decision/decision-record.ts'
import { decisionView, explanationsOf } from '../../domain/decision/decision-view.ts'
import type { GateName } from '../../domain/decision/verdict.ts'
import { codePoints } from '../../domain/text/code-points.ts'
import type { DecisionOutcome, DecisionRequest } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import type { Draft } from '../../ports.ts'
import type { TrialInput } from './schemas.ts'

export const TEST = 'gates.test'
const MAX_CONTEXT_BYTES = 8192
/** Findings beyond these are counted and not listed: a receipt has room for 64 KiB. */
const MAX_KEPT = 32

/** Without a session, a tool or an approval: nothing is remembered, spent or lifted. */
export function toDecisionRequest(body: TrialInput, caller: Call['caller']): DecisionRequest {
  assertText(body.text)
  const context = body.context ?? undefined
  if (context !== undefined) assertContext(context, MAX_CONTEXT_BYTES)
  return {
    caller,
    operation: TEST,
    surface: 'govern',
    text: body.text,
    direction: body.direction ?? 'input',
    origin: body.origin ?? 'user',
    effect: body.effect ?? 'none',
    declared: body.declared ?? 'PUBLIC',
    context,
    tool: null,
    severity: body.severity ?? 0,
    sessionId: null,
    reviewId: null,
    inputSha256: sha256Hex(canonicalBytes(body)),
  }
}

export function trialDraft(gate: GateName, source: Call['inputSource'], tried: DecisionOutcome): Draft {
  const answer = trialAnswer(gate, source, tried)
  const { decisionRequest, examination } = tried.examined
  const { findings, sensitivity, ms: _, label: __, input_source: ___, explanations: _____, ...told } = answer
  const { signals: ____, ...classified } = sensitivity
  return {
    chain: 'governance',
    kind: 'analysis',
    policy: tried.digests,
    payload: {
      ...told,
      operation: TEST,
      sensitivity: classified,
      findings: findings.slice(0, MAX_KEPT),
      findings_reported: findings.length,
      direction: examination.direction,
      origin: examination.origin,
      effect: examination.effect,
      input_sha256: sha256Hex(decisionRequest.text),
      input_length: codePoints(decisionRequest.text),
      context_sha256:
        decisionRequest.context === undefined ? null : sha256Hex(canonicalBytes(decisionRequest.context as object)),
    },
    answer,
  }
}

/** Of the numbers that come with a decision only those that this gate has made. */
function trialAnswer(gate: GateName, input_source: Call['inputSource'], tried: DecisionOutcome) {
  const { examination } = tried.examined
  const stage = tried.decision.stages.find(({ id }) => id === gate)
  const view = decisionView({ ...tried, examination })
  const reasons = stage?.reasons ?? ['GATE_ERROR']
  const findings = examination.findings.filter((finding) => finding.gate === gate)
  return {
    gate,
    test: true as const,
    input_source,
    verdict: stage?.verdict ?? 'deny',
    reasons,
    explanations: explanationsOf(reasons, findings),
    findings,
    ...counted(examination, gate),
    ms: view.gates.find(({ name }) => name === gate)?.ms ?? null,
    sensitivity: examination.sensitivity,
    policy: gate === 'cedar-policy' ? view.policy : null,
    budget: gate === 'session-risk-budget' ? view.budget : null,
    lambda: gate === 'lambda-floor' ? view.lambda : null,
    label: 'MEASURED' as const,
  }
}
