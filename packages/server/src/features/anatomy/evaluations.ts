/** The five operations: each reads its body, or refuses it, and says what is to be recorded and answered. */

import { canonicalBytes, type Decision, sha256Hex } from '@orch/core'
import { receiptSummary } from '../../domain/receipt-view.ts'
import { sees, type Viewer } from '../../domain/visibility.ts'
import { InputError, ServiceError } from '../../errors.ts'
import type { Policies } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import type { Draft, Ports, ToReply } from '../../ports.ts'
import { type AnatomyOperation, DISCLOSURE, EVALUATION } from './disclosure.ts'
import { type AnalysisSetting, analysisReply, analyze } from './rules/analyze.ts'
import { bind } from './rules/bind.ts'
import { type Read, readAnalysisBody, readAuthorizeBody, readBindBody, readEvaluateBody } from './rules/bodies.ts'
import { type EvidenceResult, evaluateEvidence, evidenceTrust, shownEvidence } from './rules/evidence.ts'
import { evaluateIntent, isAuthenticated } from './rules/intent.ts'
import { type Fault, sorted } from './rules/json-shape.ts'
import { readCapsule, replay } from './rules/replay.ts'
import type { Outcome, ReplayCapsule } from './schemas.ts'
import { keepRecord, type RecordSource, type StoredRecord } from './stored-records.ts'

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
type Evaluate = (deps: Deps, body: Record<string, unknown>, caller: Caller) => Evaluation

export const recordSource = ({ ledger, governance }: Pick<Deps, 'ledger' | 'governance'>): RecordSource => ({
  reader: ledger.reader,
  verifiedBody: (receipt) => governance.verifiedBody(receipt),
})

export const policiesUnavailable = () =>
  new ServiceError('gates_unavailable', 'the policies of the anatomy ledger did not load; read its status')

/** Without a registry nobody is told apart, so nobody is authenticated. */
const bearerOf = ({ authMode, keyId, owner }: Caller): string | null =>
  authMode === 'registry' && keyId !== null ? owner : null

async function settingOf({ ledger, anatomy, trustedBuilders }: Deps, caller: Caller): Promise<AnalysisSetting> {
  const trust = evidenceTrust(await ledger.reader.keys(), ledger.trusted, trustedBuilders)
  const { ready, policy_digest: digest, files, engine } = anatomy.status()
  if (!ready || digest === null) throw policiesUnavailable()
  return { authorize: anatomy.authorize, bearer: bearerOf(caller), trust, policy: { files, digest, engine } }
}

const authorize: Evaluate = (deps, body, caller) => {
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

const evaluate: Evaluate = (deps, body, caller) => {
  const input = bodyIn(readEvaluateBody(body))
  return {
    async decide() {
      const { trust, authorize } = await settingOf(deps, caller)
      const result = evaluateEvidence(input, trust, authorize)
      const stored = await keepRecord(recordSource(deps), caller, result)
      const { outcome, deny, review, verified, statementDigest, envelopeDigest, policyDigest } = result
      const reasons = sorted([...deny, ...review])
      const facts = { outcome, reasons, verified, statementDigest, envelopeDigest, policyDigest }
      const answer = { ...shownEvidence(result), decision: decisionOf(outcome) }
      return draftWithRecord(anatomyDraft('evaluate', body, facts, answer), stored)
    },
  }
}

const bindEvidence: Evaluate = (deps, body, caller) => {
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

const analyzeScenarios: Evaluate = (deps, body, caller) => {
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
    toReply: (receipt, { done, ...answer }) => ({
      ...answer,
      ...analysisReply(done as Analysed, receipt.digest),
      receipt: receiptSummary(receipt),
    }),
  }
}

const replayCapsule: Evaluate = (deps, body, caller) => {
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

export const EVALUATIONS: Readonly<Record<AnatomyOperation, Evaluate>> = {
  authorize,
  evaluate,
  bind: bindEvidence,
  analyze: analyzeScenarios,
  replay: replayCapsule,
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

const DECIDED: Readonly<Record<Outcome, Decision>> = { ALLOW: 'ALLOW', REVIEW: 'REVIEW', BLOCK: 'DENY' }
const decisionOf = (outcome: Outcome): string => DECIDED[outcome].toLowerCase()

/** Digests and codes: what was sent stays out of the receipt; the evidence alone is kept, in its record. */
function anatomyDraft(
  operation: AnatomyOperation,
  body: unknown,
  { outcome, ...facts }: { outcome: Outcome | null } & Record<string, unknown>,
  answer: Record<string, unknown>,
): Draft {
  const decided = outcome === null ? {} : { outcome, decision: DECIDED[outcome] }
  return {
    chain: 'anatomy',
    kind: 'anatomy',
    payload: { operation, bodyDigest: sha256Hex(canonicalBytes(body)), ...decided, ...facts },
    answer: { ...EVALUATION, ...answer, disclosure: DISCLOSURE },
  }
}

/** The receipt binds the record by its hash, and where the chain then ends. */
function draftWithRecord(draft: Draft, { record, duplicate, documents, headDigest }: StoredRecord): Draft {
  const { index: recordIndex, recordHash } = record
  const bound = { recordIndex, recordHash, duplicate, ...(headDigest === null ? {} : { headDigest }) }
  return {
    ...draft,
    payload: { ...draft.payload, ...bound },
    answer: { ...draft.answer, record, duplicate },
    documents,
  }
}

function bodyIn<T>(read: Read<T>): T {
  if (read.ok) return read.value
  throw new InputError(
    read.faults.slice(0, 32).map((fault) => ({ loc: locationOf(fault), msg: fault.message, type: 'shape' })),
  )
}

/** Paths are dotted; only positions of lists are whole numbers. */
const locationOf = ({ path }: Fault): (string | number)[] => [
  'body',
  ...(path === '' ? [] : path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))),
]

export function refuseEmpty(body: Record<string, unknown>): void {
  if (Object.keys(body).length > 0) return
  throw new InputError([{ loc: ['body'], msg: 'an empty object evaluates nothing', type: 'empty' }])
}
