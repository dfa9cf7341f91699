// Training texts as the scorer will meet them: folded, and cut into the same windows.
import { eachNgram } from '../../packages/server/src/domain/gates/scorer/ngrams.ts'
import { blockAt, blockCount } from '../../packages/server/src/domain/gates/scorer/scorer.ts'

export const SETTINGS = { slots: 16_384, block: 128, windows: [2, 8], least_ngrams: 120 } as const

/** N-grams of one window, each with how often it stands there over the root of how many there are. */
export type Window = Map<number, number>

export interface TrainingText {
  windows: Window[]
  isAttack: boolean
}

export const trainingText = (folded: string, isAttack: boolean): TrainingText => ({
  windows: windowsOf(blocksOf(folded)),
  isAttack,
})

function blocksOf(text: string): number[][] {
  const blocks = Array.from({ length: blockCount(text.length, SETTINGS.block) }, (): number[] => [])
  eachNgram(text, (hash, from) => blocks[blockAt(from, SETTINGS.block, blocks.length)]?.push(hash))
  return blocks
}

/** The larger windows of a text that fits into the smallest are that one over again. */
function windowsOf(blocks: readonly number[][]): Window[] {
  const sizes = SETTINGS.windows.filter((_, at) => at === 0 || blocks.length > SETTINGS.windows[0])
  return sizes.flatMap((size) => {
    const windowEnds = blocks.map((_, at) => at + 1).filter((end) => end >= Math.min(size, blocks.length))
    return windowEnds.map((end) => weighted(blocks.slice(Math.max(0, end - size), end).flat()))
  })
}

function weighted(ngrams: readonly number[]): Window {
  const share = 1 / Math.sqrt(Math.max(ngrams.length, SETTINGS.least_ngrams))
  const window: Window = new Map()
  for (const ngram of ngrams) window.set(ngram, (window.get(ngram) ?? 0) + share)
  return window
}
