/** How far the experts differ: the Shannon entropy of their verdicts over the entropy of three equal camps. */
import { ONE } from '../rules/millionths.ts'

export const EXPERT_VERDICTS = ['pass', 'caution', 'block', 'abstain'] as const
export type ExpertVerdict = (typeof EXPERT_VERDICTS)[number]

/** In millionths. Abstentions do not vote; fewer than two votes cannot differ. */
export function measureDisagreement(verdicts: readonly ExpertVerdict[]): number {
  const counts = (['pass', 'caution', 'block'] as const).map(
    (verdict) => verdicts.filter((given) => given === verdict).length,
  )
  const votes = counts.reduce((sum, count) => sum + count, 0)
  if (votes < 2) return 0
  const entropy = counts
    .filter((count) => count > 0)
    .reduce((sum, count) => sum - (count / votes) * Math.log2(count / votes), 0)
  return Math.min(ONE, Math.max(0, Math.round((entropy / Math.log2(3)) * ONE)))
}
