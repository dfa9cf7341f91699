/** One receipt by its hash, under six heads. What is not known of it is said to be unknown. */
import {
  DOCTRINE,
  type KernelVerification,
  LAMBDA,
  LAMBDA_POWER,
  type Label,
  type VerificationReport,
} from '@orch/core'
import type { ReceiptAttestation } from './schemas.ts'
import type { Anchor } from './verification.ts'

type Factor = ReceiptAttestation['factors'][number]

export interface Examined {
  hash: string
  /** Null when this ledger shows the caller no such receipt. */
  report: VerificationReport | null
  anchor: Anchor
  /** Where the receipt stands in the log, to compare with what was anchored. */
  nodeIndex: number | null
  kernel: KernelVerification
  meters: number
  checkedAt: string
}

export const ATTEST_VERDICTS = ['CHAIN-VERIFIED', 'TAMPERED', 'NOT_FOUND', 'INCONCLUSIVE'] as const
type AttestVerdict = (typeof ATTEST_VERDICTS)[number]

export function attestReceipt(examined: Examined): ReceiptAttestation {
  const { hash, report, checkedAt } = examined
  const verdict = judge(report)
  const parts: Labelled[] = [
    chainFactor(report),
    logFactor(examined),
    formulaFactor(),
    energyFactor(examined.meters),
    witnessFactor(examined.kernel),
    overallFactor(verdict),
  ]
  return {
    surface: 'orch.attest.receipt/v1',
    receipt_hash: hash,
    verdict,
    factors: parts.map(({ label: _, ...part }, i): Factor => ({ factor: i + 1, ...part })),
    checked_at: checkedAt,
    doctrine: DOCTRINE,
    labels: parts.map(({ label }) => label),
  }
}

type Labelled = Omit<Factor, 'factor'> & { label: Label }

const findCheck = (report: VerificationReport, name: string) => report.checks.find(({ check }) => check === name)!

function judge(report: VerificationReport | null): AttestVerdict {
  if (report === null) return 'NOT_FOUND'
  if (report.verdict === 'FAIL') return 'TAMPERED'
  // An unsigned receipt has a chain that verifies and nothing that vouches for it: the first factor then says so, and the
  // whole is never better than that.
  return report.verdict !== 'INCONCLUSIVE' &&
    findCheck(report, 'hash_chain').status === 'VERIFIED' &&
    findCheck(report, 'payload_digest').status === 'VERIFIED'
    ? 'CHAIN-VERIFIED'
    : 'INCONCLUSIVE'
}

function chainFactor(report: VerificationReport | null): Labelled {
  const title = 'Chain and signature of this receipt'
  const independent_check = 'orch verify <receipt>, or the browser page /verify: both run offline'
  if (report === null)
    return {
      title,
      status: 'UNAVAILABLE',
      detail: 'this ledger holds no such receipt',
      independent_check,
      label: 'UNAVAILABLE',
    }
  const shown = ['payload_digest', 'hash_chain', 'signature', 'key_trust'].map((name) => findCheck(report, name))
  return {
    title,
    status: report.verdict,
    detail: shown.map(({ check, status, reason }) => `${check} ${status}: ${reason}`).join('; '),
    independent_check,
    label: 'MEASURED',
  }
}

function logFactor({ report, anchor, nodeIndex }: Examined): Labelled {
  const title = 'Inclusion in our log and in an external one'
  const independent_check = '/api/orch/v1/log/proof/inclusion?digest= and /log/checkpoint with any tlog client'
  const own = report === null ? null : findCheck(report, 'inclusion')
  const covered = nodeIndex !== null && anchor.checkpoint !== null && nodeIndex < anchor.checkpoint.size
  const external = externalState(anchor, covered)
  return {
    title,
    status: own === null ? 'UNAVAILABLE' : own.status,
    detail: `our log: ${own?.reason ?? 'nothing to prove'}; external log ${external}: ${anchor.note}`,
    independent_check,
    label: own?.status === 'VERIFIED' ? 'MEASURED' : external === 'ROADMAP' ? 'ROADMAP' : 'UNAVAILABLE',
  }
}

/** Anchored means that the receipt lies below a checkpoint whose proof was verified for this request. */
function externalState({ status }: Anchor, covered: boolean): string {
  if (status === 'NOT_ATTEMPTED') return 'ROADMAP'
  if (status !== 'INCLUDED') return status
  return covered ? 'INCLUDED' : 'UNAVAILABLE'
}

const formulaFactor = (): Labelled => ({
  title: 'Formula status',
  status: 'CONJECTURE',
  detail: `lambda is ${LAMBDA.status} and no theorem: it ${LAMBDA_POWER}`,
  independent_check: '/api/orch/v1/formula-tiers: the counterexample can be computed by hand, max(4, 1) = 4 and not 2',
  label: 'STRUCTURAL-ONLY',
})

const energyFactor = (meters: number): Labelled => ({
  title: 'Energy',
  status: 'UNAVAILABLE',
  detail:
    meters === 0
      ? 'no meter is configured'
      : 'meters read the machine and not a receipt: no reading is bound to this one',
  independent_check: 'none: there is no reading to check',
  label: 'UNAVAILABLE',
})

const witnessFactor = ({ verified, reason, registry }: KernelVerification): Labelled => ({
  title: 'Witnesses of the locked set',
  status: verified ? 'STRUCTURAL-ONLY' : 'MISMATCH',
  detail: `${reason} (${registry.witness_count} heard)`,
  independent_check: 'recompute lock_digest over the four canonical fields that /api/orch/v1/attest/manifest states',
  label: 'STRUCTURAL-ONLY',
})

const OVERALL: Record<AttestVerdict, string> = {
  'CHAIN-VERIFIED': 'the bytes, their digest and their chain hold; what they say may still be wrong',
  TAMPERED: 'something contradicts the receipt; the first factor says what',
  NOT_FOUND: 'this ledger shows no receipt with this hash; that says nothing about other ledgers',
  INCONCLUSIVE: 'nothing contradicts the receipt, yet not everything could be checked',
}

const overallFactor = (verdict: AttestVerdict): Labelled => ({
  title: 'Overall',
  status: verdict,
  detail: OVERALL[verdict],
  independent_check: 'take the receipt and the public key elsewhere and verify it there',
  label: 'STRUCTURAL-ONLY',
})
