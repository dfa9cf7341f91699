/** What a score is made of, told by words of the text itself. A receipt keeps this, so it gives no more of the text away
 *  than a sample does: five words at most, each of them one that several public training texts held too. */
import type { ScoreExplanation } from '../../decision/wire.ts'
import type { Match } from '../detectors/scanner.ts'
import { masked } from '../finding.ts'
import { eachNgram } from './ngrams.ts'
import { isKnown, type ScoredWindow, type Scorer, spreadOver, weightOf, worstWindow } from './scorer.ts'

/** Speaks where the rules are silent, and can do no more than ask for a person. */
export function learnedScore(lower: string, scorer: Scorer | null): Match[] {
  if (scorer === null) return []
  const window = worstWindow(lower, scorer)
  if (window.score < scorer.threshold) return []
  return [{ from: window.from, to: window.to, explanation: explain(lower, window, scorer) }]
}

const MAX_SHOWN = 5
/** "and" adds much in every long text and tells a reader nothing. */
const SHORTEST_SHOWN = 4
const MAX_SHOWN_LENGTH = 11

function explain(text: string, window: ScoredWindow, scorer: Scorer): ScoreExplanation {
  const each = spreadOver(scorer, window.ngrams)
  const words = [...weighedWords(text.slice(window.from, window.to), scorer)]
  const heaviest = words.sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, MAX_SHOWN)
  return {
    score: rounded(window.score),
    threshold: scorer.threshold,
    ngrams: heaviest.map(([word, weight]) => ({
      ngram: word.length > MAX_SHOWN_LENGTH ? masked(word, 'n-gram') : word,
      adds: rounded(weight * each),
    })),
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** A word is letters and apostrophes by the way it is read: nothing with a digit is one, and a made-up one is unknown. */
function weighedWords(text: string, scorer: Scorer): Map<string, number> {
  const weights = new Int32Array(text.length + 1)
  const words: { from: number; to: number }[] = []
  eachNgram(text, (hash, from, to, isWord) => {
    weights[from] = (weights[from] as number) + weightOf(scorer, hash)
    if (isWord && to - from >= SHORTEST_SHOWN && isKnown(scorer, hash)) words.push({ from, to })
  })
  const sums = new Map<string, number>()
  for (const { from, to } of words) {
    const weight = weights.subarray(from, to).reduce((sum, one) => sum + one, 0)
    const word = text.slice(from, to)
    if (weight > 0) sums.set(word, (sums.get(word) ?? 0) + weight)
  }
  return sums
}
