/** What the verification of a chain-of-title statement answers. The verdict is the policy's; the external log is shown
 *  separately and enters the verdict only when the caller asks for it. */
import {
  CHAIN_OF_TITLE_PIN,
  type CheckStatus,
  canonicalize,
  chainOfTitlePolicy,
  POLICY_RULES,
  type PolicyResult,
  type PolicyRule,
  type StatementSignatureStatus,
  type VerificationReport,
} from '@orch/core'
import { isRecord } from '../../domain/stored-receipt.ts'
import type { AnchorReading } from '../../ports.ts'
import type { Verification } from './schemas.ts'
import { LAMBDA_RECORD, type TitleStatement } from './statement.ts'

export const VERDICT_SCOPE =
  'the verdict covers the policy and the form of the statement, not the external transparency log'
const LABEL_RULE =
  'MEASURED only when the external log returned an inclusion proof in this request and it verified; MODELED otherwise'
export const POLICY_PACKAGE = 'orch.attest.chain_of_title'

/** What an external log said in this request. */
export type Anchor = Omit<AnchorReading, 'bundle'>

export const anchorLabel = ({ status }: Anchor): 'MEASURED' | 'MODELED' =>
  status === 'INCLUDED' ? 'MEASURED' : 'MODELED'

/** Of a statement that somebody brought: our anchors say nothing about it. */
export const notOurs: Anchor = Object.freeze({
  status: 'NOT_ATTEMPTED',
  attempted: false,
  reachable: null,
  log_index: null,
  entry_uuid: null,
  inclusion_proof: null,
  checkpoint: null,
  note: 'no external log was asked about a statement that was supplied',
})

export interface Judged {
  report: VerificationReport
  anchor: Anchor
  requireTransparency: boolean
  verifiedAt: string
  /** Of a statement that was brought: how it compares with our own. */
  compared?: Compared
}

export function judgeStatement({
  report,
  anchor,
  requireTransparency,
  verifiedAt,
  compared = OWN,
}: Judged): Verification {
  const policy = evaluatePolicy(report, compared)
  const status = (report.subject?.signature_status ?? 'NO-ENVELOPE-SUPPLIED') as StatementSignatureStatus
  const isVouched = compared.isOurs || checkStatus(report, 'signature') === 'VERIFIED'
  const reasons = [
    ...listFaults(report, policy),
    ...missingProof(anchor, requireTransparency),
    ...(isVouched ? [] : [NOT_VOUCHED_FOR]),
  ]
  const judged = verdictFor(report, policy, anchor, requireTransparency)
  const verdict = judged === 'PASSED' && !isVouched ? 'UNKNOWN' : judged
  return {
    ok: verdict === 'PASSED',
    schema: 'orch.attest.verification/v1',
    verdict,
    verdict_scope: VERDICT_SCOPE,
    policy: {
      policy: POLICY_PACKAGE,
      checks: policy.checks,
      failed: policy.failed,
      reason:
        policy.failed.length === 0
          ? 'all six rules hold'
          : `${policy.failed.length} of ${POLICY_RULES.length} rules do not hold`,
      rego: 'policies/chain_of_title.rego states the same rules; the evaluator that ran is the TypeScript one',
    },
    signature: describeSignature(status, report),
    transparency: {
      required: requireTransparency,
      status: anchor.status,
      label: anchorLabel(anchor),
      log_index: anchor.log_index,
      entry_uuid: anchor.entry_uuid,
      inclusion_proof: anchor.inclusion_proof,
      note: anchor.note,
    },
    reasons,
    label: anchorLabel(anchor),
    label_rule: LABEL_RULE,
    lambda: LAMBDA_RECORD,
    verified_at: verifiedAt,
    statement_digest_sha256: report.subject?.digest ?? null,
  }
}

const OWN: Compared = { isOurs: true, contradicted: [] }
export const NOT_OURS: Compared = { isOurs: false, contradicted: [] }
const NOT_VOUCHED_FOR =
  'the statement is not what this service states now and no trusted key signed it: nobody vouches for what it says'

/** What cannot be read meets no rule, and a rule that our own readings contradict does not hold. */
function evaluatePolicy({ subject }: VerificationReport, { contradicted }: Compared): PolicyResult {
  const found = (subject?.policy as PolicyResult | undefined) ?? chainOfTitlePolicy(null, CHAIN_OF_TITLE_PIN)
  const checks = { ...found.checks }
  for (const rule of contradicted) checks[rule] = false
  return { checks, failed: POLICY_RULES.filter((rule) => !checks[rule]) }
}

const checkStatus = (report: VerificationReport, name: string): CheckStatus | undefined =>
  report.checks.find(({ check }) => check === name)?.status

function verdictFor(
  report: VerificationReport,
  policy: PolicyResult,
  anchor: Anchor,
  requireTransparency: boolean,
): Verification['verdict'] {
  const contradicted = report.checks.some(({ status }) => status === 'MISMATCH')
  if (policy.failed.length > 0 || contradicted || checkStatus(report, 'structure') !== 'VERIFIED') return 'FAILED'
  // An anchor that was answered with a wrong proof is a contradiction whether or not one was required.
  if (anchor.status === 'INVALID') return 'FAILED'
  return requireTransparency && anchor.status !== 'INCLUDED' ? 'UNKNOWN' : 'PASSED'
}

function listFaults(report: VerificationReport, policy: PolicyResult): string[] {
  const rules = policy.failed.map((rule) => `the rule ${rule} does not hold`)
  const checks = report.checks
    .filter(({ check, status }) => status === 'MISMATCH' && (check !== 'structure' || policy.failed.length === 0))
    .map(({ check, reason }) => `${check}: ${reason}`)
  return [...rules, ...checks]
}

const missingProof = (anchor: Anchor, required: boolean): string[] =>
  anchor.status === 'INVALID' || (required && anchor.status !== 'INCLUDED') ? [`transparency: ${anchor.note}`] : []

const NOTES: Record<StatementSignatureStatus, string> = {
  VERIFIED: 'a signature of the envelope verifies under a key of this service’s ring',
  'SIGNATURE-INVALID': 'the envelope is malformed or its signature does not verify',
  'UNSIGNED-READ-ONLY': 'a read signs nothing; the digest can be compared and the policy evaluated by anybody',
  'NO-ENVELOPE-SUPPLIED': 'a bare statement carries no signature that could be checked',
  'SIGNER-UNKNOWN': 'the envelope is signed by a key that this service does not know; nothing follows from it',
}

const describeSignature = (
  status: StatementSignatureStatus,
  report: VerificationReport,
): Verification['signature'] => ({
  signed: status !== 'UNSIGNED-READ-ONLY' && status !== 'NO-ENVELOPE-SUPPLIED',
  verified: checkStatus(report, 'signature') === 'VERIFIED',
  status,
  keyless_ready: false,
  note: NOTES[status],
})

interface Compared {
  /** What is presented is what this service states now, the time of the making aside. */
  isOurs: boolean
  /** Rules that a claim in our name breaks because this service reads something else. */
  contradicted: PolicyRule[]
}

export function compareStatements(own: TitleStatement, presented: unknown): Compared {
  const isOurs = textOf(own) === textOf(presented)
  const claim = fieldsOf(fieldsOf(presented).predicate)
  const inOurName = fieldsOf(claim.attestation).namespace === own.predicate.attestation.namespace
  return { isOurs, contradicted: inOurName && !isOurs ? contradictedBy(own, claim) : [] }
}

/** A digest of weights or corpus that is not the one read here was not read by anybody: it does not count as disclosed. */
function contradictedBy({ predicate }: TitleStatement, claim: Record<string, unknown>): PolicyRule[] {
  const own = predicate.provenance
  const stated = fieldsOf(claim.provenance)
  const weights = fieldsOf(stated.sovereign_weights)
  const read = ['sha256', 'bytes', 'present'] as const
  const same =
    stated.corpus_sha === own.corpus_sha && read.every((name) => weights[name] === own.sovereign_weights[name])
  const { build_track, vsa } = fieldsOf(fieldsOf(claim.attestation).orch)
  const { orch } = predicate.attestation
  return [
    ...(build_track === orch.build_track && vsa === orch.vsa ? [] : (['honesty_invariants_all_true'] as const)),
    ...(same ? [] : (['provenance_coverage_is_one'] as const)),
  ]
}

/** Null where there is no canonical form, which is then equal to none. */
function textOf(statement: unknown): string | null {
  const copy = structuredClone(statement)
  const { attestation } = fieldsOf(fieldsOf(copy).predicate)
  if (isRecord(attestation)) delete attestation.built_at
  try {
    return canonicalize(copy)
  } catch {
    return null
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
