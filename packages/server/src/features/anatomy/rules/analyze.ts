/** The decision lab: one base decision and independent counterfactuals, each evaluated in full. */
import { canonicalize } from '@orch/core'
import type { Authorize } from '../../../domain/policy/authorization.ts'
import type { AnalysisReply, BoundResult, ReplayCapsule, ScenarioResult } from '../schemas.ts'
import { type BindResult, bindTo } from './bind.ts'
import type { AnalysisInput } from './bodies.ts'
import { type EvidenceTrust, evaluateEvidence, shownEvidence } from './evidence.ts'
import { digestOf, type Fields } from './json-shape.ts'
import { ANALYSIS_LIMITS, byteLength } from './limits.ts'
import { type AppliedChange, applyChanges, defaultScenarios, type Scenario } from './scenarios.ts'
import { traceOf } from './trace.ts'

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
