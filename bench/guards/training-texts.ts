// The licensed texts for training and thresholds, read in place. Each is a row of one source with its label.
import { existsSync, readFileSync } from 'node:fs'
import { CORPORA } from './shared-corpora.ts'

const FILE = new URL('guards-training/texts.jsonl', CORPORA)

export interface TrainingRow {
  source: string
  licence: string
  isAttack: boolean
  text: string
}

/** Plain harmful questions: no manipulation of an assistant, so neither an attack here nor ordinary work. */
const LEFT_OUT = 'multijail-harmful-requests'

export const hasTrainingRows = (): boolean => existsSync(FILE)

export const trainingRows = (): TrainingRow[] =>
  readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { source: string; licence: string; label: number; text: string })
    .filter(({ source }) => source !== LEFT_OUT)
    .map(({ source, licence, label, text }) => ({ source, licence, isAttack: label === 1, text }))
