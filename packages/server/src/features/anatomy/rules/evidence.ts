/** Whether an attested statement is admitted: its own shape, our ring's word on its signatures, then policy. */

import { STATEMENT_TYPE, type TrustedKey } from '@orch/core'
import { trustedKeys } from '../../../domain/keys.ts'
import type { Authorize, PolicyRequest } from '../../../domain/policy/authorization.ts'
import type { KeyRow } from '../../../ledger/contract.ts'
import type { ShownEvidence, Verification } from '../schemas.ts'
import type { EvidenceInput } from './bodies.ts'
import { digestOf, isFields, isText, outcomeOf, own, sorted } from './json-shape.ts'
import { bareStatement, type OpenedEvidence, openEnvelope, type RingKey, verificationOf } from './signatures.ts'

/** What the operator pinned. None of it can come with a request. */
export interface EvidenceTrust {
  ring: readonly RingKey[]
  threshold: number
  /** Null: every builder. */
  builders: readonly string[] | null
}

export interface EvidenceResult extends ShownEvidence {
  verification: Verification
  statement: unknown
}

export function evaluateEvidence(input: EvidenceInput, trust: EvidenceTrust, authorize: Authorize): EvidenceResult {
  const opened = input.kind === 'envelope' ? openEnvelope(input.value, trust.ring) : bareStatement(input.value)
  return judgeEvidence(opened, trust, authorize)
}

/** The rules over signature verdicts that were reached before. */
export function judgeEvidence(opened: OpenedEvidence, trust: EvidenceTrust, authorize: Authorize): EvidenceResult {
  const statementDigest = digestOf(opened.statement)
  const slsa = slsaOf(opened.statement)
  const verification = verificationOf(opened.signatures, trust.ring, trust.threshold)
  const faults = [...opened.faults, ...statementFaults(opened.statement)]
  if (statementDigest === null) faults.push('STATEMENT_NOT_CANONICAL')
  const doubts = reviewCodes(slsa, verification, trust.builders)
  const verdict = authorize(admitRequest(faults, doubts, verification, slsa, statementDigest))
  const deny = [...faults, ...codesOf(verdict.forbids, 'deny')]
  if (verdict.errors.length > 0) deny.push('POLICY_ERROR')
  else if (verdict.outcome === 'deny' && deny.length === 0) deny.push(...verdict.reasons)
  const review = [...doubts, ...codesOf(verdict.forbids, 'review')]
  return {
    outcome: outcomeOf(deny, review, verdict.outcome === 'allow'),
    ...{ deny: sorted(deny), review: sorted(review), verified: verification.verified, verification },
    ...{ signatures: opened.signatures, slsa, statement: opened.statement, statementDigest },
    ...{ envelopeDigest: opened.envelopeDigest, policyEvaluated: true, determining: [...verdict.determining] },
    ...{ errors: [...verdict.errors], policyDigest: verdict.policy_digest },
  }
}

function reviewCodes(slsa: Slsa, { verified, keyKind }: Verification, builders: readonly string[] | null): string[] {
  const outside = builders !== null && (slsa.builderId === null || !builders.includes(slsa.builderId))
  const doubts: [code: string, holds: boolean][] = [
    ['NOT_SLSA_V1', !slsa.v1],
    ['VERIFICATION_UNPROVEN', !verified],
    ['DEMO_KEY_ONLY', keyKind === 'demo'],
    ['BUILDER_UNTRUSTED', outside],
  ]
  return doubts.filter(([, holds]) => holds).map(([code]) => code)
}

const admitRequest = (
  faults: readonly string[],
  doubts: readonly string[],
  { verified }: Verification,
  slsa: Slsa,
  digest: string | null,
): PolicyRequest => ({
  principal: { type: 'Orch::Evidence::Builder', id: slsa.builderId ?? '' },
  action: { type: 'Orch::Evidence::Action', id: 'Admit' },
  resource: { type: 'Orch::Evidence::Statement', id: digest ?? '' },
  context: {
    wellFormed: faults.every((code) => code === 'SIGNATURE_INVALID'),
    contradicted: faults.includes('SIGNATURE_INVALID'),
    verified,
    demoKeyOnly: doubts.includes('DEMO_KEY_ONLY'),
    slsaV1: slsa.v1,
    builderTrusted: !doubts.includes('BUILDER_UNTRUSTED'),
  },
  entities: [],
})

const codesOf = (forbids: readonly { code: string; outcome: string }[], outcome: 'deny' | 'review'): string[] =>
  forbids.filter((forbid) => forbid.outcome === outcome).map(({ code }) => code)

/** What a reply shows: the statement itself stands in the record, once. */
export function shownEvidence({
  statement: _statement,
  verification: _verification,
  ...shown
}: EvidenceResult): ShownEvidence {
  return shown
}

/**
 * What a record is known by. Signature bytes are no part of it, because anybody can turn one valid signature into
 * another; which keys verified is, so that a signed envelope is not taken for the unsigned one that came before, and so
 * is the outcome: after the operator changed whom to trust, the old record would contradict the new answer.
 */
export const evidenceIdentity = (result: EvidenceResult): string | null =>
  digestOf({
    envelopeDigest: result.envelopeDigest,
    statementDigest: result.statementDigest,
    keyids: result.verification.keyids,
    policy: policyOf(result),
  })

const policyOf = ({ outcome, deny, review, policyDigest }: EvidenceResult) => ({ outcome, deny, review, policyDigest })

/** The parts of a ledger record that the statement gives. What has no canonical form could not be hashed: it is null. */
export const recordFields = (result: EvidenceResult) => ({
  statement: result.statementDigest === null ? null : result.statement,
  statementDigest: result.statementDigest,
  envelopeDigest: result.envelopeDigest,
  ...partsOf(result.statementDigest === null ? null : result.statement),
  builderId: result.slsa.builderId,
  verification: result.verification,
  policy: policyOf(result),
})

const partsOf = (statement: unknown) => ({
  statementType: own(statement, '_type') ?? null,
  predicateType: own(statement, 'predicateType') ?? null,
  subjects: own(statement, 'subject') ?? null,
})

export const SLSA_V1 = 'https://slsa.dev/provenance/v1'
const MAX_SUBJECTS = 1000
const SHA256 = /^[0-9a-f]{64}$/i

type Slsa = ShownEvidence['slsa']

function statementFaults(statement: unknown): string[] {
  const slsa = slsaOf(statement)
  const faults: [code: string, holds: boolean][] = [
    ['STATEMENT_TYPE_INVALID', own(statement, '_type') !== STATEMENT_TYPE],
    ['SUBJECT_INVALID', !areSubjects(own(statement, 'subject'))],
    ['PREDICATE_TYPE_BLANK', !isText(own(statement, 'predicateType'))],
    ['PREDICATE_NOT_OBJECT', !isFields(own(statement, 'predicate'))],
    ['SLSA_BUILD_TYPE_MISSING', slsa.v1 && slsa.buildType === null],
    ['SLSA_BUILDER_ID_MISSING', slsa.v1 && slsa.builderId === null],
  ]
  return faults.filter(([, holds]) => holds).map(([code]) => code)
}

function slsaOf(statement: unknown): Slsa {
  if (own(statement, 'predicateType') !== SLSA_V1) return { v1: false, buildType: null, builderId: null }
  const predicate = own(statement, 'predicate')
  return {
    v1: true,
    buildType: textOrNull(own(own(predicate, 'buildDefinition'), 'buildType')),
    builderId: textOrNull(own(own(own(predicate, 'runDetails'), 'builder'), 'id')),
  }
}

const areSubjects = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= MAX_SUBJECTS && value.every(isSubject)

function isSubject(value: unknown): boolean {
  const sha256 = own(own(value, 'digest'), 'sha256')
  return isText(own(value, 'name')) && typeof sha256 === 'string' && SHA256.test(sha256)
}

const textOrNull = (value: unknown): string | null => (isText(value) ? value : null)

/** Distinct keys of the ring that must have signed. */
export const THRESHOLD = 1

/** A key of ours that was rotated out vouches for nothing new: whoever got hold of it could sign what we would admit. */
export function evidenceTrust(
  own: readonly KeyRow[],
  pinned: readonly TrustedKey[],
  builders: readonly string[] | null,
): EvidenceTrust {
  const inUse = own.filter(({ toIndex }) => toIndex === null)
  return { ring: [...pinned, ...trustedKeys(inUse)].map(ringKey), threshold: THRESHOLD, builders }
}

const ringKey = ({ key, kind }: TrustedKey): RingKey => ({ key, kind: kind === 'production' ? 'production' : 'demo' })
