/** Speaks where the rules are silent, and can do no more than ask for a person. */
import { explain } from '../scorer/explanation.ts'
import { type Scorer, worstWindow } from '../scorer/scorer.ts'
import type { Match } from './scanner.ts'

export function learnedScore(lower: string, scorer: Scorer | null): Match[] {
  if (scorer === null) return []
  const window = worstWindow(lower, scorer)
  if (window.score < scorer.threshold) return []
  return [{ from: window.from, to: window.to, explanation: explain(lower, window, scorer) }]
}
