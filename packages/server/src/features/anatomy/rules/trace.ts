/** Why a decision came out as it did, code by code and in the order of the stages. */
import type { IntentResult, TraceEntry } from '../schemas.ts'
import type { BindResult } from './bind.ts'
import type { EvidenceResult } from './evidence.ts'

export const traceOf = ({ intent, evidence, evidenceBinding }: BindResult): TraceEntry[] => [
  ...intentTrace(intent),
  ...evidenceTrace(evidence),
  ...evidenceBinding.reasons.map((code) =>
    entry('binding', 'context.evidenceDigest', code, BINDING[code] ?? code, 'jcs'),
  ),
  entry('execution', 'service', 'EVALUATION_ONLY', 'nothing is executed here and no authority is given', 'service'),
]

const BINDING: Readonly<Record<string, string>> = {
  STATEMENT_DIGEST_MATCHED: 'the intent names the digest of this statement',
  STATEMENT_DIGEST_MISMATCH: 'the intent names another digest than that of this statement',
  EVIDENCE_REQUIRED: 'the intent names no evidence',
  EVIDENCE_MISSING: 'no statement came with the intent',
}

function intentTrace(intent: IntentResult): TraceEntry[] {
  if (!intent.cedarExecuted)
    return intent.errors.map((fault) =>
      typeof fault === 'string'
        ? entry('intent', 'request', 'INVALID_REQUEST', fault, 'shape')
        : entry('intent', fault.path || 'request', 'INVALID_REQUEST', fault.message, 'shape'),
    )
  if (intent.outcome === 'ALLOW')
    return intent.determining.map((id) =>
      entry(
        'intent',
        id,
        'INTENT_CONDITIONS_SATISFIED',
        'a permit covers the action and no forbid holds',
        intent.engine,
      ),
    )
  return intent.reasons.map((code) =>
    entry('intent', intent.sources[code] ?? 'intent.cedar', code, 'policy does not permit the intent', intent.engine),
  )
}

function evidenceTrace(evidence: EvidenceResult | null): TraceEntry[] {
  if (evidence === null) return []
  const of = (codes: readonly string[], detail: string) =>
    codes.map((code) => entry('evidence', 'statement', code, detail, 'evidence rules and cedar-wasm'))
  return [...of(evidence.deny, 'blocks the evidence'), ...of(evidence.review, 'leaves the evidence to a person')]
}

const entry = (
  stage: TraceEntry['stage'],
  source: string,
  code: string,
  detail: string,
  evaluator: string,
): TraceEntry => ({ stage, source, code, detail, evaluator })
