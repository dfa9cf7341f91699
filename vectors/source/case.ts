import type { CheckStatus, EvidenceKind, Verdict } from '../../packages/core/src/index.ts'
import type { Case, CaseTrust } from '../cases.ts'

const STATUS: Record<string, CheckStatus> = { V: 'VERIFIED', M: 'MISMATCH', N: 'UNSIGNED', U: 'UNAVAILABLE', D: 'DEMO' }
const VERDICT: Record<string, Verdict> = { PASS: 'PASS', PARTIAL: 'PARTIAL', FAIL: 'FAIL', INCONCLUSIVE: 'INCONCLUSIVE', NO_INPUT: 'NO_INPUT' }

type Extra = Omit<Case['expected'], 'kind' | 'verdict' | 'statuses'>

/** `outcome` is the verdict and one letter per check in order: V verified, M mismatch, N unsigned, U unavailable, D demo. */
export function makeCase(
  name: string,
  given: { input: unknown } | { text: string },
  trust: CaseTrust,
  kind: EvidenceKind,
  outcome: string,
  extra: Extra = {},
): Case {
  const [verdict = '', letters = ''] = outcome.split(' ')
  const statuses = [...letters].map((letter) => STATUS[letter]!)
  return { name, ...given, trust, expected: { kind, verdict: VERDICT[verdict]!, statuses, ...extra } }
}

export const pinned: CaseTrust = { keys: [{ name: 'production', kind: 'production' }], log: true }
export const withDemo: CaseTrust = { keys: [...pinned.keys, { name: 'demo', kind: 'demo' }], log: true }
export const anonymous: CaseTrust = { keys: [], log: false }
