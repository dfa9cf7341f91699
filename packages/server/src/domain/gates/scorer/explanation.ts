// What a score is made of, told by n-grams of the text itself. A receipt keeps this, so it gives no more of the text
// away than a sample does: five short n-grams that public training texts held too, and nothing with a digit in it.
import { masked } from '../finding.ts'
import { eachNgram } from './ngrams.ts'
import { type ScoredWindow, type Scorer, spreadOver, weightOf } from './scorer.ts'

export interface ScoreExplanation {
  score: number
  threshold: number
  /** The n-grams that weigh most, with what each adds to the score. */
  ngrams: { ngram: string; adds: number }[]
}

const MOST_SHOWN = 5
/** "and" adds much in every long text and tells a reader nothing. */
const SHORTEST_SHOWN = 4
const LONGEST_SHOWN = 11
const LONGEST_NGRAM = 64

export function explain(text: string, window: ScoredWindow, scorer: Scorer): ScoreExplanation {
  const each = spreadOver(scorer, window.ngrams)
  return {
    score: rounded(window.score),
    threshold: scorer.threshold,
    ngrams: heaviest(text.slice(window.from, window.to), scorer).map(({ ngram, weight }) => ({
      ngram: ngram.length > LONGEST_SHOWN ? masked(ngram, 'n-gram') : ngram,
      adds: rounded(weight * each),
    })),
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000

interface Weighed {
  ngram: string
  weight: number
}

/** None that is part of one already chosen: "you ar" says nothing beside "you are". */
function heaviest(text: string, scorer: Scorer): Weighed[] {
  const chosen: Weighed[] = []
  for (const candidate of weighed(text, scorer)) {
    const overlaps = ({ ngram }: Weighed) => ngram.includes(candidate.ngram) || candidate.ngram.includes(ngram)
    if (!chosen.some(overlaps)) chosen.push(candidate)
    if (chosen.length === MOST_SHOWN) break
  }
  return chosen
}

function weighed(text: string, scorer: Scorer): Weighed[] {
  const sums = new Map<string, number>()
  eachNgram(text, (hash, from, to) => {
    const weight = weightOf(scorer, hash)
    const ngram = weight > 0 ? shown(text, from, to) : ''
    if (ngram.length >= SHORTEST_SHOWN) sums.set(ngram, (sums.get(ngram) ?? 0) + weight)
  })
  const all = [...sums].map(([ngram, weight]) => ({ ngram, weight }))
  return all.sort((a, b) => b.weight - a.weight || (a.ngram < b.ngram ? -1 : 1))
}

/** Letters and single spaces; empty where digits stand between the letters or far too much of anything else does. */
function shown(text: string, from: number, to: number): string {
  if (to - from > LONGEST_NGRAM) return ''
  const letters = text.slice(from, to)
  return /\p{N}/u.test(letters) ? '' : letters.replace(/[^\p{L}\p{M}]{1,64}/gu, ' ').trim()
}
