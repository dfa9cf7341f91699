/** What the two text gates found, as intensities. It does not pass through an expert: a gate's word counts even
 *  where the expert that reports it gave no answer. */
import type { Examination } from '../../../domain/decision/examine.ts'
import type { Severity } from '../../../domain/gates/finding.ts'
import type { Intensities } from './estimate.ts'
import { larger, ratio } from './millionths.ts'

const TENTHS: Record<Severity, number> = { block: 10, hold: 5, note: 1 }

export function gateIntensities({
  threats,
  valueCounts,
  shown,
}: Pick<Examination, 'threats' | 'valueCounts' | 'shown'>): Intensities {
  // Summed over distinct values: ten tokens are worse than one.
  const values = valueCounts.reduce((sum, { severity, values: count }) => sum + TENTHS[severity] * count, 0)
  return {
    injection: threats.map(({ severity }) => ratio(TENTHS[severity], 10)).reduce(larger, ratio(0, 1)),
    secret_pii: ratio(Math.min(10, values), 10),
    destructive: ratio(shown === 'destructive' ? 1 : 0, 1),
    exfiltration: ratio(shown === 'external' ? 1 : 0, 1),
  }
}
