// What a verification says. Every verifier of this package answers with this shape, whatever it was given.

export const CHECKS = Object.freeze([
  'structure',
  'signature',
  'payload_digest',
  'hash_chain',
  'inclusion',
  'key_trust',
] as const)

/** After the six, for evidence that carries what lambda was computed from. */
export const CHECK_NAMES = Object.freeze([...CHECKS, 'lambda'] as const)
export type CheckName = (typeof CHECK_NAMES)[number]

/** `DEMO` is said of a key alone: everything it signed may hold, and it never counts as production. */
export const CHECK_STATUSES = Object.freeze(['VERIFIED', 'MISMATCH', 'UNSIGNED', 'UNAVAILABLE', 'DEMO'] as const)
export type CheckStatus = (typeof CHECK_STATUSES)[number]

export const VERDICTS = Object.freeze(['PASS', 'PARTIAL', 'FAIL', 'INCONCLUSIVE', 'NO_INPUT'] as const)
export type Verdict = (typeof VERDICTS)[number]

export const EVIDENCE_KINDS = Object.freeze([
  'receipt',
  'envelope',
  'export',
  'ledger-export',
  'pack',
  'statement',
  'report',
  'reply',
  'unknown',
] as const)
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number]

export type Details = Record<string, unknown>
/** `ms`: how long it took, where the reader lent a clock. */
export type Check = { check: CheckName; status: CheckStatus; reason: string; details: Details; ms?: number }

/** The thing that was judged. `digest` is recomputed here, never copied from the input. */
export type Subject = { digest: string; [fact: string]: unknown }

export type VerificationReport = {
  schema: typeof REPORT_SCHEMA
  kind: EvidenceKind
  verdict: Verdict
  /** Always the six, in the order of `CHECKS`, and `lambda` after them where the evidence carries its inputs. */
  checks: Check[]
  subject: Subject | null
  does_not_prove: [string, string, string]
  /** The caller's clock, null when it gave none. */
  checked_at: string | null
}

export const REPORT_SCHEMA = 'orch.verification-report/v1'

export const DOES_NOT_PROVE: readonly [string, string, string] = Object.freeze([
  'that the decision was wise or that what it was told was true',
  'that nothing happened outside the service, or when it happened beyond what the operator’s clock said',
  'that an operator who holds the key showed everybody the same history',
])

export const check = (name: CheckName, status: CheckStatus, reason: string, details: Details = {}): Check => ({
  check: name,
  status,
  reason,
  details,
})

/**
 * One contradiction condemns. What was not checked never counts as good: PARTIAL says that the bytes, their signature
 * and their digest hold and that nothing spoke against the rest.
 */
export function verdictOf(checks: readonly Check[]): Verdict {
  if (checks.length === 0) return 'NO_INPUT'
  if (checks.some(({ status }) => status === 'MISMATCH')) return 'FAIL'
  if (checks.every(({ status }) => status === 'VERIFIED')) return 'PASS'
  const holds = (name: CheckName): boolean => checks.some((one) => one.check === name && one.status === 'VERIFIED')
  const core = holds('structure') && holds('signature') && holds('payload_digest')
  return core && checks.every(({ status }) => status !== 'UNSIGNED') ? 'PARTIAL' : 'INCONCLUSIVE'
}

export const makeReport = (
  kind: EvidenceKind,
  checks: Check[],
  subject: Subject | null,
  checkedAt?: string,
): VerificationReport => ({
  schema: REPORT_SCHEMA,
  kind,
  verdict: verdictOf(checks),
  checks,
  subject,
  does_not_prove: [...DOES_NOT_PROVE],
  checked_at: checkedAt ?? null,
})

/** Nothing was there to be judged: neither good nor bad. */
export const noInput = (kind: EvidenceKind, reason: string, checkedAt?: string): VerificationReport => ({
  ...makeReport(kind, unavailable(reason), null, checkedAt),
  verdict: 'NO_INPUT',
})

/** Evidence whose form contradicts itself: it was meant to be judged and cannot be read as what it says it is. */
export const unreadable = (kind: EvidenceKind, reason: string, checkedAt?: string): VerificationReport => {
  const [, ...rest] = unavailable('there is nothing readable to check')
  return makeReport(kind, [check('structure', 'MISMATCH', reason), ...rest], null, checkedAt)
}

/** Not evidence at all, or nothing that could be judged here: that speaks neither for nor against anybody. */
export const noEvidence = (
  kind: EvidenceKind,
  reason: string,
  checkedAt?: string,
  details: Details = {},
): VerificationReport => {
  const [, ...rest] = unavailable('there is no evidence here to check')
  return makeReport(kind, [check('structure', 'UNAVAILABLE', reason, details), ...rest], null, checkedAt)
}

const unavailable = (reason: string): Check[] => CHECKS.map((name) => check(name, 'UNAVAILABLE', reason))

const WORST_FIRST: readonly CheckStatus[] = ['MISMATCH', 'UNSIGNED', 'UNAVAILABLE', 'DEMO', 'VERIFIED']

/** The status of a whole from those of its parts; null for no parts. */
export const worstOf = (statuses: readonly CheckStatus[]): CheckStatus | null =>
  WORST_FIRST.find((status) => statuses.includes(status)) ?? null
