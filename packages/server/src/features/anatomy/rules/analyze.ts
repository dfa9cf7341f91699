/** The decision lab: one base decision and independent counterfactuals, each evaluated in full. */
import { canonicalize } from '@orch/core'
import type { Authorize } from '../../../domain/policy/authorization.ts'
import type { AnalysisReply, BoundResult, IntentResult, ReplayCapsule, ScenarioResult, TraceEntry } from '../schemas.ts'
import { type BindResult, bindTo } from './bind.ts'
import { ANALYSIS_LIMITS, type AnalysisInput, byteLength } from './bodies.ts'
import { type EvidenceResult, type EvidenceTrust, evaluateEvidence, shownEvidence } from './evidence.ts'
import { digestOf, type Fields } from './json-shape.ts'
import { type AppliedChange, applyChanges, defaultScenarios, type Scenario } from './scenarios.ts'

export interface AnalysisSetting {
  authorize: Authorize
  /** Whose credential it is; a replay is made as whoever asks for it. */
  bearer: string | null
  trust: EvidenceTrust
  policy: { files: { name: string; sha256: string }[]; digest: string; engine: string }
}

/** What the result digest is over: no time, no receipt, no capsule. */
type Analysis = Pick<AnalysisReply, 'schema' | 'semantics' | 'inputDigest' | 'policy' | 'base' | 'scenarios'>
export type Analysed =
  | { ok: true; analysis: Analysis; resultDigest: string; input: Fields }
  | { ok: false; code: 'OUTPUT_LIMIT_EXCEEDED' }

export function analyze(input: AnalysisInput, setting: AnalysisSetting): Analysed {
  const { authorize, trust, policy, bearer } = setting
  // A counterfactual has no moment of its own: replayed next year it must give the same.
  const asking = { bearer, now: null }
  // The scenarios change the intent alone, so the evidence is judged once.
  const evidence = input.evidence === null ? null : evaluateEvidence(input.evidence, trust, authorize)
  const base = bindTo(input.command, evidence, authorize, asking)
  const scenarios = input.scenarios ?? defaultScenarios(input.command)
  const analysis: Analysis = {
    schema: 'orch.anatomy.decision-lab.v1',
    semantics: 'independent-counterfactuals',
    inputDigest: digestOf(input.sent) as string,
    policy,
    base: {
      command: input.command,
      intentOutcome: base.intent.outcome,
      combinedOutcome: base.combinedOutcome,
      result: shown(base),
      trace: traceOf(base),
    },
    scenarios: scenarios.map((scenario) => {
      const { command, changes } = applyChanges(input.command, scenario.changes)
      return scenarioResult(scenario, changes, base, bindTo(command, evidence, authorize, asking))
    }),
  }
  return withinReply({ ok: true, analysis, resultDigest: digestOf(analysis) as string, input: input.sent })
}

const shown = ({ evidence, ...result }: BindResult): BoundResult => ({
  ...result,
  evidence: evidence === null ? null : shownEvidence(evidence),
})

const scenarioResult = (
  { id, label, changes: requestedChanges }: Scenario,
  changes: AppliedChange[],
  base: BindResult,
  result: BindResult,
): ScenarioResult => ({
  ...{ id, label, requestedChanges, changes, result: shown(result) },
  outcomeDelta: {
    intent: delta(base.intent.outcome, result.intent.outcome),
    combined: delta(base.combinedOutcome, result.combinedOutcome),
    evidence: delta(base.evidence?.outcome ?? null, result.evidence?.outcome ?? null),
    policyEligible: delta(base.policyEligible, result.policyEligible),
  },
})

const delta = <T>(before: T, after: T) => ({ before, after, changed: before !== after })

type Done = Extract<Analysed, { ok: true }>

export function analysisReply({ analysis, resultDigest, input }: Done, receiptDigest: string) {
  const replayCapsule: ReplayCapsule = {
    schema: 'orch.anatomy.replay.v1',
    ...{ input, inputDigest: analysis.inputDigest, policyDigest: analysis.policy.digest, resultDigest, receiptDigest },
  }
  const replayCapsuleJson = canonicalize(replayCapsule)
  return { ...analysis, resultDigest, replayCapsule, replayCapsuleJson, label: 'MODELED' as const }
}

/** Measured before anything is recorded, with a receipt digest of the right length. */
function withinReply(done: Done): Analysed {
  const reply = analysisReply(done, '0'.repeat(64))
  const bytes = byteLength(reply)
  return bytes === null || bytes > ANALYSIS_LIMITS.replyBytes ? { ok: false, code: 'OUTPUT_LIMIT_EXCEEDED' } : done
}

const traceOf = ({ intent, evidence, evidenceBinding }: BindResult): TraceEntry[] => [
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
