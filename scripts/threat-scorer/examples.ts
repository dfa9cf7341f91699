// Training texts as the scorer will meet them: folded, read as n-grams, and cut into the same blocks and windows.
import { eachNgram } from '../../packages/server/src/domain/gates/scorer/ngrams.ts'
import { blockAt, blockCount, readLength } from '../../packages/server/src/domain/gates/scorer/scorer.ts'
import type { LabelledText } from './sets.ts'

export const BLOCK = 128
/** A text of fewer letters is too little evidence for a score; the rules read it. */
export const SHORT = 64
/** Texts of so many letters and more are the long model's. */
export const LONG = 300
/** Data of fewer letters holds no more than a sentence, which may be about anything. */
export const DATA = 100

export interface ModelSettings {
  name: 'short' | 'long' | 'data'
  use: LabelledText['use']
  slots: number
  /** Blocks of a window. */
  window: number
  least_ngrams: number
  /** An n-gram counts once in so many blocks; 0 where every time counts. */
  once_in: number
  /** Of the folded texts that train it; it meets more than those it will judge. */
  trained_from: number
  trained_below: number
  /** An attack that is one part of a text: of its windows the one that looks most like one teaches, as it will be judged by. */
  isPlanted?: boolean
  /** The share of harmless texts of sets it never saw that it may hold. */
  false_positives: number
  /** A smaller window beside it for an attack in a long text, and the share that this one may hold. */
  narrow?: { window: number; false_positives: number }
}

/** What is learned of a text stands in its beginning; the rest would only repeat it. */
const MAX_READ = 4096

export interface BlockedText extends LabelledText {
  /** In letters, as the scorer counts them. */
  length: number
  /** Whether most of it is written in other letters than Latin ones. */
  isForeign: boolean
  /** N-grams of each block. */
  blocks: Int32Array[]
}

export function blockedText(text: LabelledText, folded: string): BlockedText {
  const read = folded.slice(0, MAX_READ)
  const blocks = Array.from({ length: blockCount(read.length, BLOCK) }, (): number[] => [])
  eachNgram(read, (hash, from) => blocks[blockAt(from, BLOCK, blocks.length)]?.push(hash))
  const isForeign = 2 * read.replace(/[^\p{L}]|\p{Script=Latin}/gu, '').length > read.replace(/\P{L}/gu, '').length
  return { ...text, length: readLength(folded), isForeign, blocks: blocks.map((hashes) => Int32Array.from(hashes)) }
}

interface Window {
  from: number
  to: number
}

/** Every window the scorer looks at ends one block further; training takes every fourth, which differ enough. */
export function windowsOf(blocks: number, size: number, step: number): Window[] {
  if (blocks <= size) return [{ from: 0, to: blocks }]
  const windows: Window[] = []
  for (let to = size; to < blocks; to += step) windows.push({ from: to - size, to })
  return [...windows, { from: blocks - size, to: blocks }]
}

export const shareOf = (ngrams: number, leastNgrams: number): number => 1 / Math.sqrt(Math.max(ngrams, leastNgrams))
