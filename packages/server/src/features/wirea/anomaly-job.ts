/** A large baseline is judged in a worker thread, digests and picture included. */
import { type Summary, summarise } from './analysis.ts'
import { scoreAnomalies } from './anomaly.ts'
import { anomalyPlot } from './plots.ts'
import type { AnomalyBody } from './schemas.ts'

/** Numbers that are judged at once: they take a few milliseconds. */
export const MAX_INLINE = 2000

export const anomalyWork = ({ baseline, values = [] }: AnomalyBody): number => baseline.length + values.length

export function analyseAnomalies(body: AnomalyBody): Summary {
  const result = scoreAnomalies(body)
  return summarise(body, result, { plot: anomalyPlot(body.baseline, result) })
}
