/** The five operations: each reads its body, or refuses it, and says what is to be recorded and answered. */

import { sees, type Viewer } from '../../domain/visibility.ts'
import { InputError, ServiceError } from '../../errors.ts'
import type { Policies } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import type { Draft, Ports, ToReply } from '../../ports.ts'
import type { AnatomyOperation } from './disclosure.ts'
import { anatomyDraft, boundTo, decisionOf, draftWithRecord } from './drafts.ts'
import { type AnalysisSetting, analysisReply, analyze } from './rules/analyze.ts'
import { bind } from './rules/bind.ts'
import { readAnalysisBody, readAuthorizeBody, readBindBody, readEvaluateBody } from './rules/bodies.ts'
import { type EvidenceResult, evaluateEvidence, shownEvidence } from './rules/evidence.ts'
import { evaluateIntent, isAuthenticated } from './rules/intent.ts'
import { sorted } from './rules/outcome.ts'
import { readCapsule, replay } from './rules/replay.ts'
import type { ReplayCapsule } from './schemas.ts'
import { bodyIn } from './sent.ts'
import { keepRecord, type RecordSource } from './stored-records.ts'
import { evidenceTrust } from './trust.ts'

type Caller = Call['caller']
type Analysed = Parameters<typeof analysisReply>[0]
export type Deps = Pick<Ports, 'ledger' | 'clock' | 'governance'> & {
  /** The policies of the anatomy ledger, a set of its own. */
  anatomy: Policies
  /** Builders whose evidence needs no second look; null: every builder. */
  trustedBuilders: readonly string[] | null
}
export interface Evaluation {
  decide(): Promise<Draft>
  toReply?: ToReply
}
type Evaluate = (body: Record<string, unknown>, caller: Caller) => Evaluation

export const evaluations = (deps: Deps): Readonly<Record<AnatomyOperation, Evaluate>> => ({
  authorize: (body, caller) => authorize(deps, body, caller),
  evaluate: (body, caller) => evaluate(deps, body, caller),
  bind: (body, caller) => bindEvidence(deps, body, caller),
  analyze: (body, caller) => analyzeScenarios(deps, body, caller),
  replay: (body, caller) => replayCapsule(deps, body, caller),
})

export const recordSource = ({ ledger, governance }: Pick<Deps, 'ledger' | 'governance'>): RecordSource => ({
  reader: ledger.reader,
  verifiedBody: (receipt) => governance.verifiedBody(receipt),
})

/** Without a registry nobody is told apart, so nobody is authenticated. */
const bearerOf = ({ authMode, keyId, owner }: Caller): string | null =>
  authMode === 'registry' && keyId !== null ? owner : null

async function settingOf({ ledger, anatomy, trustedBuilders }: Deps, caller: Caller): Promise<AnalysisSetting> {
  const trust = evidenceTrust(await ledger.reader.keys(), ledger.trusted, trustedBuilders)
  const { ready, policy_digest: digest, files, engine } = anatomy.status()
  if (!ready || digest === null)
    throw new ServiceError('gates_unavailable', 'the policies of the anatomy ledger did not load; read its status')
  return { authorize: anatomy.authorize, bearer: bearerOf(caller), trust, policy: { files, digest, engine } }
}

function authorize(deps: Deps, body: Record<string, unknown>, caller: Caller): Evaluation {
  const command = bodyIn(readAuthorizeBody(body))
  return {
    async decide() {
      const { authorize, bearer } = await settingOf(deps, caller)
      const result = evaluateIntent(command, authorize, { bearer, now: deps.clock.now() })
      const identityAuthenticated = isAuthenticated(result, bearer)
      const { outcome, reasons, policyDigest, cedarExecuted } = result
      const facts = { outcome, reasons, policyDigest, cedarExecuted, identityAuthenticated }
      const answer = { ...result, decision: decisionOf(outcome), identityAuthenticated }
      return anatomyDraft('authorize', body, facts, answer)
    },
  }
}

function evaluate(deps: Deps, body: Record<string, unknown>, caller: Caller): Evaluation {
  const input = bodyIn(readEvaluateBody(body))
  return {
    async decide() {
      const { trust, authorize } = await settingOf(deps, caller)
      const result = evaluateEvidence(input, trust, authorize)
      const stored = await keepRecord(recordSource(deps), caller, result)
      const { outcome, deny, review, verified, statementDigest, envelopeDigest, policyDigest } = result
      const facts = {
        outcome,
        reasons: sorted([...deny, ...review]),
        verified,
        statementDigest,
        envelopeDigest,
        policyDigest,
      }
      const answer = { ...shownEvidence(result), decision: decisionOf(outcome) }
      return draftWithRecord(anatomyDraft('evaluate', body, facts, answer), stored)
    },
  }
}

function bindEvidence(deps: Deps, body: Record<string, unknown>, caller: Caller): Evaluation {
  const { command, evidence: input } = bodyIn(readBindBody(body))
  return {
    async decide() {
      const { trust, authorize, bearer, policy } = await settingOf(deps, caller)
      const asking = { bearer, now: deps.clock.now() }
      const { evidence, combinedOutcome: outcome, ...result } = bind(command, input, trust, authorize, asking)
      const { policyEligible, evidenceBinding, intent } = result
      const reasons = sorted([...intent.reasons, ...evidenceBinding.reasons, ...codesOf(evidence)])
      const { statementDigest } = evidenceBinding
      const facts = { outcome, reasons, policyEligible, statementDigest, policyDigest: policy.digest }
      const answer = { ...result, outcome, decision: decisionOf(outcome) }
      if (evidence === null)
        return anatomyDraft('bind', body, facts, { ...answer, evidence, record: null, duplicate: false })
      const draft = anatomyDraft('bind', body, facts, { ...answer, evidence: shownEvidence(evidence) })
      return draftWithRecord(draft, await keepRecord(recordSource(deps), caller, evidence))
    },
  }
}

const codesOf = (evidence: EvidenceResult | null): string[] =>
  evidence === null ? [] : [...evidence.deny, ...evidence.review]

function analyzeScenarios(deps: Deps, body: Record<string, unknown>, caller: Caller): Evaluation {
  const input = bodyIn(readAnalysisBody(body))
  return {
    async decide() {
      const done = analyze(input, await settingOf(deps, caller))
      if (!done.ok) throw new InputError([{ loc: ['body'], msg: 'its analysis exceeds a reply', type: done.code }])
      const { inputDigest, policy, base } = done.analysis
      const facts = { outcome: base.combinedOutcome, policyDigest: policy.digest, resultDigest: done.resultDigest }
      return anatomyDraft('analyze', body, { ...facts, inputDigest }, { done })
    },
    // The capsule names the receipt, so it is made when there is one.
    toReply: (receipt, { done, ...answer }) =>
      boundTo(receipt, { ...answer, ...analysisReply(done as Analysed, receipt.digest) }),
  }
}

function replayCapsule(deps: Deps, body: Record<string, unknown>, caller: Caller): Evaluation {
  return {
    async decide() {
      const setting = await settingOf(deps, caller)
      const ledgerBound = await capsuleIsOurs(recordSource(deps), caller, readCapsule(body))
      const result = replay(body, setting, { diskDigest: deps.anatomy.diskDigest(), ledgerBound })
      const { valid, authentic, issues, current } = result
      const facts = { outcome: null, reasons: issues.map(({ code }) => code), valid, authentic, ...current }
      return anatomyDraft('replay', body, facts, { ...result })
    },
  }
}

async function capsuleIsOurs(
  { reader, verifiedBody }: RecordSource,
  viewer: Viewer,
  capsule: ReplayCapsule | null,
): Promise<boolean> {
  const row = capsule === null ? null : await reader.byDigest(capsule.receiptDigest)
  if (capsule === null || row === null || !sees(viewer, row)) return false
  const body = await verifiedBody(row)
  if (body?.digest !== capsule.receiptDigest || body.kind !== 'anatomy' || body.payload.operation !== 'analyze')
    return false
  const { inputDigest, policyDigest, resultDigest } = body.payload
  return (
    inputDigest === capsule.inputDigest &&
    policyDigest === capsule.policyDigest &&
    resultDigest === capsule.resultDigest
  )
}
