// Trains the learned scorer of the threat gate: `node scripts/train-threat-scorer.ts [--write]`. Prints the digest the
// rules must name and how the folds went; `--write` keeps the weights. The same texts give the same digest.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { base64Encode } from '@orch/core'
import { scorerDigest } from '../packages/server/src/domain/gates/scorer/scorer-document.ts'
import { loadConfusables } from '../packages/server/src/domain/text/confusables.ts'
import { normalise } from '../packages/server/src/domain/text/normalise.ts'
import { SETTINGS, type TrainingText, trainingText } from './threat-scorer/examples.ts'
import { fitted, type Model, scoreOf, TRAINING } from './threat-scorer/regression.ts'
import { proseSets, textsDigest, trainingSets } from './threat-scorer/sets.ts'

const RULES = new URL('../packages/server/rules/', import.meta.url)
const CORPORA = new URL('../../shared/corpora/injection/', import.meta.url)
const table = loadConfusables(JSON.parse(readFileSync(new URL('confusables.json', RULES), 'utf8')))

/** Over every text that is no attack, as the folds that held it back score it: there are more kinds of those than here. */
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
  const sets = [...trainingSets(), ...proseSets()]
  const texts = sets.flatMap((set) => set.texts.map((text) => trainingText(normalise(text, table).folded, set.attacks)))
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
      sets: sets.map((set) => ({ ...set, texts: set.texts.length, texts_sha256: textsDigest(set) })),
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
