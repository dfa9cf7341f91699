/** What a score is made of, told by words of the text itself. A receipt keeps this, so it gives no more of the text away
 *  than a sample does: five words at most, each of them one that several public training texts held too. */
import type { ScoreExplanation } from '../../decision/wire.ts'
import type { Match } from '../detectors/scanner.ts'
import { masked, type Origin } from '../finding.ts'
import { eachNgram } from './ngrams.ts'
import {
  isData,
  isKnown,
  isOfLength,
  type LinearModel,
  modelFor,
  type ScoredWindow,
  type Scorer,
  spreadOver,
  weightOf,
  worstWindow,
} from './scorer.ts'

const MIN_OPAQUE = 16
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isSmallLetter = (code: number): boolean => code >= 97 && code <= 122

/** Blanks in place of digests and keys: their letters are no words, and by chance are like those of attacks. */
function withoutOpaque(text: string): { lower: string; opaque: number } {
  let [lower, opaque, done, from, digits] = ['', 0, 0, 0, 0]
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0
    if (isDigit(code)) digits += 1
    else if (!isSmallLetter(code)) {
      const length = at - from
      if (length >= MIN_OPAQUE && 8 * digits >= length) {
        lower += text.slice(done, from) + ' '.repeat(length)
        opaque += length
        done = at
      }
      from = at + 1
      digits = 0
    }
  }
  return opaque === 0 ? { lower: text, opaque } : { lower: lower + text.slice(done), opaque }
}

/** Speaks where the rules are silent, and can do no more than ask for a person. */
export function learnedScore(text: string, origin: Origin, scorer: Scorer | null): Match[] {
  if (scorer === null) return []
  const { lower, opaque } = withoutOpaque(text)
  const min = isData(origin) ? scorer.dataFrom : scorer.shortFrom
  if (!isOfLength(lower, min + opaque)) return []
  const model = modelFor(lower, origin, scorer)
  const window = worstWindow(lower, model, scorer.block)
  if (window.score < model.threshold) return []
  if (isData(origin) && !isProse(lower.slice(window.from, window.to))) return []
  return [{ from: window.from, to: window.to, explanation: explain(lower, window, model, scorer.block) }]
}

const MIN_SHARE_OF_LETTERS = 0.7

/** The few letters of a table or a log are no evidence of an order to whoever reads it. */
function isProse(text: string): boolean {
  let [letters, all] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32) continue
    all += 1
    if (isSmallLetter(code) || code > 127) letters += 1
  }
  return letters >= MIN_SHARE_OF_LETTERS * all
}

const MAX_SHOWN = 5
/** "and" adds much in every long text and tells a reader nothing. */
const SHORTEST_SHOWN = 4
const MAX_SHOWN_LENGTH = 11

function explain(text: string, window: ScoredWindow, model: LinearModel, block: number): ScoreExplanation {
  const each = spreadOver(model, window.ngrams)
  const words = [...weighedWords(text.slice(window.from, window.to), model, block)]
  const heaviest = words.sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, MAX_SHOWN)
  return {
    score: rounded(window.score),
    threshold: model.threshold,
    probability: probabilityOf(window.score, model),
    ngrams: heaviest.map(([word, weight]) => ({
      ngram: word.length > MAX_SHOWN_LENGTH ? masked(word, 'n-gram') : word,
      adds: rounded(weight * each),
    })),
  }
}

const probabilityOf = (score: number, { calibration: { slope, offset } }: LinearModel): number =>
  rounded(1 / (1 + Math.exp(-(slope * score + offset))))

const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** A word is letters and apostrophes by the way it is read: nothing with a digit is one, and a made-up one is unknown. */
function weighedWords(text: string, model: LinearModel, block: number): Map<string, number> {
  const weights = new Int32Array(text.length + 1)
  const words: { from: number; to: number }[] = []
  const last = new Map<number, number>()
  eachNgram(text, (hash, from, wordEnd) => {
    const at = Math.floor(from / block)
    // As it was scored: once in so many blocks.
    if (at - (last.get(hash) ?? -model.onceIn) < model.onceIn) return
    last.set(hash, at)
    weights[from] = (weights[from] as number) + weightOf(model, hash)
    if (wordEnd - from >= SHORTEST_SHOWN && isKnown(model, hash)) words.push({ from, to: wordEnd })
  })
  const sums = new Map<string, number>()
  for (const { from, to } of words) {
    const weight = weights.subarray(from, to).reduce((sum, one) => sum + one, 0)
    const word = text.slice(from, to)
    if (weight > 0) sums.set(word, (sums.get(word) ?? 0) + weight)
  }
  return sums
}
