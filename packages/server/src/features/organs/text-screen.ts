/** One text through the text gates that governance uses, told by scanner. */
import { FINDING_WEIGHTS, type RuleCount } from '@orch/core'
import type { Examination } from '../../domain/decision/examine.ts'
import { type Direction, type Finding, isSecretRule, type Origin } from '../../domain/gates/finding.ts'
import { ServiceError } from '../../errors.ts'
import type { Gates } from '../../governance/contract.ts'
import { once } from '../../platform/once.ts'
import type { RunStatus } from './schemas.ts'

export const SCANNERS = ['secrets', 'pii', 'injection', 'exfil', 'obfuscation'] as const
export type Scanner = (typeof SCANNERS)[number]
export type GuardAction = 'allow' | 'review' | 'deny'
export const STATUS_OF: Record<GuardAction, RunStatus> = {
  allow: 'EXECUTED',
  review: 'AWAITING_APPROVAL',
  deny: 'DENIED',
}
/** The score of a finding that blocks; one that holds or only notes has less. */
const DENY_FROM = 0.5

interface GuardFinding {
  scanner: Scanner
  rule: string
  /** In code points of the text. */
  start: number
  end: number
  /** Of the rule's severity in this direction, 0 to 1. */
  score: number
  sample_masked: string
  /** How the text that was found is carried, outermost encoding first. */
  decoded_from?: string
}

export interface Screening {
  action: GuardAction
  findings: GuardFinding[]
  /** How many there are; the list keeps the gravest. */
  total: number
  /** Sentences about gates that did not answer or did not finish: never an allow. */
  faults: string[]
  /** Null where the gates gave none. */
  examination: Examination | null
}

interface ScreenOptions {
  scanners?: readonly Scanner[]
  threshold?: number
  /** Where the text comes from; a user's own where nothing is said. */
  origin?: Origin
  /** The end of what was said before, for what is split over several texts. */
  sessionTail?: string
}

/** `input` is what goes to a model, `output` what is shown or sent. What fails is reviewed at least; only gates that refuse
 *  the text because they are busy make it reject. */
export async function screenText(
  gates: Pick<Gates, 'examine'>,
  text: string,
  direction: Direction,
  { scanners = SCANNERS, threshold = DENY_FROM, origin = 'user', sessionTail = '' }: ScreenOptions = {},
): Promise<Screening> {
  try {
    const circumstances = { direction, origin, effect: 'none', declared: 'PUBLIC', sessionTail } as const
    const examination = await gates.examine({ text, ...circumstances })
    const faults = faultsOf(examination)
    const found = toGuardFindings(text, examination).filter(({ scanner }) => scanners.includes(scanner))
    const action = worst(faults.length > 0 ? 'review' : 'allow', actionOf(examination, scanners, threshold))
    const total = found.length + examination.findings_total - examination.findings.length
    return { action, findings: found, total, faults, examination }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'organ_pool_busy') throw error
    const faults = [`the gates did not answer: ${(error as Error).message}`.slice(0, 300)]
    return { action: 'review', findings: [], total: 0, faults, examination: null }
  }
}

const RANK: Record<GuardAction, number> = { allow: 0, review: 1, deny: 2 }
export const worst = (one: GuardAction, other: GuardAction): GuardAction => (RANK[one] >= RANK[other] ? one : other)

const EXFIL: ReadonlySet<string> = new Set(['T05', 'T10', 'T19'])

/** A rule that an operator added goes with its gate. */
function scannerOf(rule: string, gate: Finding['gate']): Scanner {
  if (gate === 'pii-egress-guard') return isSecretRule(rule) ? 'secrets' : 'pii'
  if (rule === 'T12') return 'obfuscation'
  return EXFIL.has(rule) ? 'exfil' : 'injection'
}

/** Where a finding at the threshold denies; elsewhere a person looks at it. */
const DENIES: Record<Scanner, readonly Direction[]> = {
  secrets: ['output'],
  pii: [],
  injection: ['input'],
  exfil: ['input', 'output'],
  obfuscation: ['input'],
}

/** From the counts by rule and not from the list: what a long list leaves out still decides. */
function actionOf(examination: Examination, scanners: readonly Scanner[], threshold: number): GuardAction {
  const actionBy = (gate: Finding['gate'], { rule, severity }: RuleCount): GuardAction => {
    const scanner = scannerOf(rule, gate)
    if (!scanners.includes(scanner) || severity === 'note') return 'allow'
    const score = FINDING_WEIGHTS[gate][severity] / 100
    return DENIES[scanner].includes(examination.direction) && score >= threshold ? 'deny' : 'review'
  }
  return [
    ...examination.threats.map((count) => actionBy('threat-signature-scan', count)),
    ...examination.valueCounts.map((count) => actionBy('pii-egress-guard', count)),
  ].reduce(worst, 'allow')
}

function toGuardFindings(text: string, { findings }: Examination): GuardFinding[] {
  const letters = once(() => [...text])
  return findings.map(({ gate, rule, start, end, score, sample_masked, path, view }) => {
    const carried = view === 'rot13' ? ['rot13', ...path] : path
    // Of a short value the gates show its kind alone; here its place shows how long it is and how it is parted.
    const hidden = () => letters().slice(start, end).join('').replace(/\S/gu, '*')
    return {
      scanner: scannerOf(rule, gate),
      rule,
      start,
      end,
      score,
      sample_masked: sample_masked.includes('***') ? sample_masked : hidden(),
      ...(carried.length > 0 ? { decoded_from: carried.join('>') } : {}),
    }
  })
}

/** A value that is noted was found. A threat that is noted is only talked about, and does not count. */
export const firedScanners = ({ threats, valueCounts }: Examination): Set<Scanner> =>
  new Set([
    ...threats.flatMap(({ rule, severity }) => (severity === 'note' ? [] : [scannerOf(rule, 'threat-signature-scan')])),
    ...valueCounts.map(({ rule }) => scannerOf(rule, 'pii-egress-guard')),
  ])

/** More is encoded in the text than is ever decoded: the same every time. */
const DECODE_BOUND = 'DECODE_BOUND'
const FAULTS: readonly string[] = ['GATE_ERROR', 'GATE_TIMEOUT', DECODE_BOUND]

const faultsOf = ({ stages }: Examination): string[] =>
  stages.flatMap(({ id, reasons }) =>
    reasons.filter((reason) => FAULTS.includes(reason)).map((reason) => `${id} did not finish: ${reason}`),
  )

/** A gate that failed or ran late may do better next time, so such an answer is not the same every time. */
export function faultRemarks(faults: readonly string[]) {
  return {
    limits: faults.map((detail) => ({ code: 'SCANNER_FAILED', detail })),
    ...(faults.every((fault) => fault.endsWith(DECODE_BOUND)) ? {} : { volatile: 'a gate did not finish' }),
  }
}
