// Trains the learned scorer of the threat gate: `node scripts/train-threat-scorer.ts [--write]`. Prints the digest the
// rules must name and how the folds went; `--write` keeps the weights. The same texts give the same digest.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { base64Encode, sha256Hex } from '@orch/core'
import { benignPrompts, bipiaContexts, jailbreaks, xstest } from '../bench/guards/corpora.ts'
import { trainedHalf } from '../bench/guards/split.ts'
import { scorerDigest } from '../packages/server/src/domain/gates/scorer/scorer-document.ts'
import { loadConfusables } from '../packages/server/src/domain/text/confusables.ts'
import { normalise } from '../packages/server/src/domain/text/normalise.ts'
import { SETTINGS, type TrainingText, trainingText } from './threat-scorer/examples.ts'
import { fitted, type Model, scoreOf, TRAINING } from './threat-scorer/regression.ts'

const RULES = new URL('../packages/server/rules/', import.meta.url)
const CORPORA = new URL('../../shared/corpora/injection/', import.meta.url)
const table = loadConfusables(JSON.parse(readFileSync(new URL('confusables.json', RULES), 'utf8')))

interface TrainingSet {
  name: string
  licence: string
  attacks: boolean
  texts: string[]
}

/** Unsafe questions are no attacks on an assistant, and an instruction inside data is one only by where it stands. */
const trainingSets = (): TrainingSet[] => [
  {
    name: 'in-the-wild jailbreaks, half by hash',
    licence: 'Apache-2.0',
    attacks: true,
    texts: trainedHalf([...new Set(jailbreaks())]),
  },
  { name: 'XSTest safe prompts, half by hash', licence: 'CC-BY-4.0', attacks: false, texts: trainedHalf(xstest('safe')) },
  { name: 'BIPIA train contexts', licence: 'MIT', attacks: false, texts: bipiaContexts(['train']) },
  {
    name: 'benign prompts of this project, half by hash',
    licence: 'Apache-2.0',
    attacks: false,
    texts: trainedHalf(benignPrompts()),
  },
]

/** Above every other text that a fold held back, and a little more. */
const MARGIN = 0.1

function foldScores(texts: readonly TrainingText[]): number[] {
  const scores: number[] = []
  for (let fold = 0; fold < TRAINING.folds; fold++) {
    const model = fitted(texts.filter((_, at) => at % TRAINING.folds !== fold))
    texts.forEach((text, at) => {
      if (at % TRAINING.folds === fold) scores[at] = scoreOf(model, text)
    })
  }
  return scores
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

function tables({ vocabulary, weights }: Model): { owners: string; weights: string; scale: number } {
  const scale = rounded(weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127, 9)
  const owners = new Uint8Array(2 * SETTINGS.slots)
  const steps = new Int8Array(SETTINGS.slots)
  for (const [ngram, slot] of vocabulary) {
    owners[2 * slot] = (ngram >>> 16) & 255
    owners[2 * slot + 1] = ngram >>> 24
    steps[slot] = Math.max(-127, Math.min(127, Math.round((weights[slot] as number) / scale)))
  }
  return { owners: base64Encode(owners), weights: base64Encode(new Uint8Array(steps.buffer)), scale }
}

function main(): void {
  if (!existsSync(CORPORA)) {
    process.stdout.write('SKIPPED: ../shared absent\n')
    return
  }
  const sets = trainingSets()
  const texts = sets.flatMap((set) =>
    set.texts.map((text) => trainingText(normalise(text, table).folded, set.attacks)),
  )
  const scores = foldScores(texts)
  const scoresOf = (attacks: boolean) => scores.filter((_, at) => texts[at]?.isAttack === attacks)
  const threshold = rounded(Math.max(...scoresOf(false)) + MARGIN, 3)
  const model = fitted(texts)
  const document = {
    schema: 'orch.threat-scorer/v1',
    model: 'logistic regression over hashed n-grams: words 1-2, characters 3-5, letters only',
    ...SETTINGS,
    bias: rounded(model.bias, 6),
    threshold,
    ...tables(model),
    training: {
      ...TRAINING,
      features: model.vocabulary.size,
      sets: sets.map(({ texts: own, ...set }) => ({ ...set, texts: own.length })),
      texts_sha256: sha256Hex(sets.flatMap(({ texts: own }) => own.map((text) => sha256Hex(text))).join('\n')),
      folds_recall: rounded(scoresOf(true).filter((score) => score >= threshold).length / scoresOf(true).length, 4),
      folds_false_positives: scoresOf(false).filter((score) => score >= threshold).length,
    },
  }
  process.stdout.write(
    `${JSON.stringify({ digest: scorerDigest(document), threshold, ...document.training }, null, 2)}\n`,
  )
  if (process.argv.includes('--write'))
    writeFileSync(new URL('threat-scorer.json', RULES), `${JSON.stringify(document, null, 2)}\n`)
}

main()
