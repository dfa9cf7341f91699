/** An intent bound to the evidence it names. Eligible is the most that comes out; nothing here gives authority. */
import type { Authorize } from '../../../domain/policy/authorization.ts'
import type { BoundResult, EvidenceBinding, IntentResult, Outcome } from '../schemas.ts'
import type { EvidenceInput } from './bodies.ts'
import { type EvidenceResult, type EvidenceTrust, evaluateEvidence } from './evidence.ts'
import { type Asking, evaluateIntent } from './intent.ts'
import { bareDigest, own } from './json-shape.ts'

export type BindResult = Omit<BoundResult, 'evidence'> & { evidence: EvidenceResult | null }

export const bind = (
  command: unknown,
  input: EvidenceInput | null,
  trust: EvidenceTrust,
  authorize: Authorize,
  asking: Asking,
): BindResult => bindTo(command, input === null ? null : evaluateEvidence(input, trust, authorize), authorize, asking)

/** With evidence that was evaluated before: it does not depend on the command. */
export function bindTo(
  command: unknown,
  evidence: EvidenceResult | null,
  authorize: Authorize,
  asking: Asking,
): BindResult {
  const intent = evaluateIntent(command, authorize, asking)
  const evidenceBinding = bindingOf(own(own(command, 'context'), 'evidenceDigest'), evidence)
  const admitted = evidence !== null && evidence.outcome === 'ALLOW' && evidence.verified
  const policyEligible = intent.outcome === 'ALLOW' && admitted && evidenceBinding.valid
  return {
    schema: 'orch.anatomy.bind.v1',
    ...{ intent, evidence, evidenceBinding, policyEligible, executionAuthority: 'none' },
    combinedOutcome: combined(intent, evidence, evidenceBinding, policyEligible),
    requestId: textOrNull(own(own(command, 'context'), 'requestId')),
    traceId: textOrNull(own(own(command, 'context'), 'traceId')),
  }
}

function bindingOf(named: unknown, evidence: EvidenceResult | null): EvidenceBinding {
  const expectedDigest = bareDigest(named)
  const statementDigest = evidence?.statementDigest ?? null
  const valid = expectedDigest !== null && expectedDigest === statementDigest
  const reasons: string[] = []
  if (evidence === null) reasons.push('EVIDENCE_MISSING')
  if (named === undefined || named === null) reasons.push('EVIDENCE_REQUIRED')
  else if (evidence !== null) reasons.push(valid ? 'STATEMENT_DIGEST_MATCHED' : 'STATEMENT_DIGEST_MISMATCH')
  return { valid, expectedDigest, statementDigest, algorithm: 'sha256-jcs', reasons }
}

/** Whatever contradicts blocks, whatever is missing waits for a person, and only what is eligible is allowed. */
function combined(
  intent: IntentResult,
  evidence: EvidenceResult | null,
  binding: EvidenceBinding,
  eligible: boolean,
): Outcome {
  if (intent.outcome === 'BLOCK' || evidence?.outcome === 'BLOCK') return 'BLOCK'
  if (binding.reasons.includes('STATEMENT_DIGEST_MISMATCH')) return 'BLOCK'
  return eligible ? 'ALLOW' : 'REVIEW'
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
