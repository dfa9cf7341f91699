// Trains the learned scorer of the threat gate: `node scripts/train-threat-scorer.ts [--write]`. Prints the digest the
// rules must name and how the folds went; `--write` keeps the weights. The same texts give the same digest. One core,
// a few minutes; needs ../shared/corpora.
import { readFileSync, writeFileSync } from 'node:fs'
import { base64Encode } from '@orch/core'
import { hasTrainingRows } from '../bench/guards/training-texts.ts'
import { OWNER_SHIFT } from '../packages/server/src/domain/gates/scorer/scorer.ts'
import { SCHEMA, scorerDigest } from '../packages/server/src/domain/gates/scorer/scorer-document.ts'
import { loadConfusables } from '../packages/server/src/domain/text/confusables.ts'
import { normalise } from '../packages/server/src/domain/text/normalise.ts'
import { calibrated, type ScoredText, thresholdAt } from './threat-scorer/calibration.ts'
import {
  BLOCK,
  type BlockedText,
  blockedText,
  DATA,
  LONG,
  type ModelSettings,
  SHORT,
} from './threat-scorer/examples.ts'
import { fitted, type Model, type SlottedText, scoreOf, slotted, TRAINING } from './threat-scorer/regression.ts'
import { describedSets, FOLD_COUNT, trainingTexts } from './threat-scorer/sets.ts'
import { type Vocabulary, vocabularyOf } from './threat-scorer/vocabulary.ts'

const RULES = new URL('../packages/server/rules/', import.meta.url)
const table = loadConfusables(JSON.parse(readFileSync(new URL('confusables.json', RULES), 'utf8')))

const MODELS: readonly ModelSettings[] = [
  {
    name: 'short',
    use: 'speech',
    slots: 32_768,
    window: 4,
    least_ngrams: 40,
    once_in: 8,
    trained_from: 0,
    trained_below: 500,
    false_positives: 0.01,
  },
  {
    name: 'long',
    use: 'speech',
    slots: 32_768,
    window: 32,
    least_ngrams: 40,
    once_in: 2,
    trained_from: 200,
    trained_below: 1e9,
    false_positives: 0.038,
    narrow: { window: 4, false_positives: 0.028 },
  },
  {
    name: 'data',
    use: 'data',
    slots: 16_384,
    window: 32,
    least_ngrams: 80,
    once_in: 8,
    trained_from: 0,
    trained_below: 1e9,
    isPlanted: true,
    false_positives: 0.012,
  },
]

const isJudged = ({ length }: BlockedText, { name }: ModelSettings): boolean =>
  name === 'data' ? length >= DATA : length >= SHORT && length >= LONG === (name === 'long')

interface FoldScore extends ScoredText {
  /** By the worst of the smaller windows. */
  narrow: number
}

/** Each text as a model scores it that saw no text of its set, nor of the sets kept back with it. */
function foldScores(texts: readonly SlottedText[], settings: ModelSettings): FoldScore[] {
  return Array.from({ length: FOLD_COUNT }, (_, fold) => {
    const model = fitted(
      texts.filter(({ text }) => text.fold !== fold),
      settings,
    )
    return texts
      .filter(({ text }) => text.fold === fold && isJudged(text, settings))
      .map((own) => ({
        ...own.text,
        score: scoreOf(model, own, settings),
        narrow: scoreOf(model, own, settings, settings.narrow?.window),
      }))
  }).flat()
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

function tables({ slots, owners, owned }: Vocabulary, { weights }: Model) {
  const scale = rounded(weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127, 9)
  const bytes = new Uint8Array(1.5 * slots)
  const steps = new Int8Array(slots)
  for (let slot = 0; slot < slots; slot++) {
    if (owned[slot] === 0) continue
    const owner = (owners[slot] as number) >>> OWNER_SHIFT
    const byte = 3 * (slot >>> 1)
    if (slot % 2 === 0) {
      bytes[byte] = owner & 255
      bytes[byte + 1]! |= owner >>> 8
    } else {
      bytes[byte + 1]! |= (owner & 15) << 4
      bytes[byte + 2] = owner >>> 4
    }
    steps[slot] = Math.max(-127, Math.min(127, Math.round((weights[slot] as number) / scale)))
  }
  return { scale, owners: base64Encode(bytes), weights: base64Encode(new Uint8Array(steps.buffer)) }
}

function trained(texts: readonly BlockedText[], settings: ModelSettings) {
  const own = texts.filter(
    ({ length, use }) => use === settings.use && length >= settings.trained_from && length < settings.trained_below,
  )
  const vocabulary = vocabularyOf(own, settings.slots)
  const read = own.map((text) => slotted(text, vocabulary, settings))
  const scores = foldScores(read, settings)
  const threshold = rounded(thresholdAt(scores, settings.false_positives), 3)
  const { slope, offset } = calibrated(scores)
  const model = fitted(read, settings)
  const { slots, window, least_ngrams: minNgrams, once_in, narrow } = settings
  const narrowScores = scores.map((text) => ({ ...text, score: text.narrow }))
  const handicap = narrow ? rounded(thresholdAt(narrowScores, narrow.false_positives) - threshold, 3) : 0
  const reached = (isAttack: boolean): number => {
    const kind = scores.filter((text) => text.isAttack === isAttack)
    return rounded(
      kind.filter((text) => Math.max(text.score, text.narrow - handicap) >= threshold).length / kind.length,
      4,
    )
  }
  return {
    model: {
      slots,
      windows: [{ blocks: window, handicap: 0 }, ...(narrow ? [{ blocks: narrow.window, handicap }] : [])],
      least_ngrams: minNgrams,
      once_in,
      bias: rounded(model.bias, 6),
      threshold,
      calibration: { slope: rounded(slope, 4), offset: rounded(offset, 4) },
      ...tables(vocabulary, model),
    },
    card: {
      ...settings,
      features: vocabulary.size,
      texts: own.length,
      folds_recall: reached(true),
      folds_false_positives: reached(false),
    },
  }
}

function main(): void {
  if (!hasTrainingRows()) {
    process.stdout.write('SKIPPED: ../shared/corpora/guards-training absent\n')
    return
  }
  const texts = trainingTexts()
  const blocked = texts.map((text) => blockedText(text, normalise(text.text, table).folded))
  const [short, long, data] = MODELS.map((settings) => trained(blocked, settings))
  const document = {
    schema: SCHEMA,
    model:
      'three logistic regressions over hashed n-grams, two by length and one for data: words 1-2, characters 3-5, letters only',
    block: BLOCK,
    short_from: SHORT,
    long_from: LONG,
    data_from: DATA,
    short: short?.model,
    long: long?.model,
    data: data?.model,
    training: {
      ...TRAINING,
      folds: FOLD_COUNT,
      models: [short?.card, long?.card, data?.card],
      sets: describedSets(texts),
    },
  }
  const { sets, ...figures } = document.training
  process.stdout.write(
    `${JSON.stringify({ digest: scorerDigest(document), sets: sets.length, ...figures }, null, 2)}\n`,
  )
  if (process.argv.includes('--write'))
    writeFileSync(new URL('threat-scorer.json', RULES), `${JSON.stringify(document, null, 2)}\n`)
}

main()
