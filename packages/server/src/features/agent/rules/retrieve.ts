/** Search in what the session noted and the run observed: Okapi BM25 over folded words. */
import { round6 } from '@orch/core'
import { foldedOf, plainOf } from '../../../domain/text/fold.ts'
import { rawText } from '../../../domain/text/mapped-text.ts'

export interface Passage {
  source: 'note' | 'observation'
  /** The note's name, or the step that observed it. */
  id: string
  text: string
}

export interface Found {
  source: Passage['source']
  id: string
  score: number
  excerpt: string
}

const K1 = 1.2
const B = 0.75
const EXCERPT = 240

export function retrieve(passages: readonly Passage[], query: string, limit: number): Found[] {
  const terms = new Set(wordsOf(query))
  const bags = passages.map(({ text }) => bagOf(wordsOf(text)))
  const average = bags.reduce((total, { size }) => total + size, 0) / Math.max(1, bags.length)
  const weights = new Map([...terms].map((term) => [term, rarity(term, bags)]))
  return passages
    .map((passage, at) => ({ passage, score: scoreOf(bags[at]!, weights, average) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compare(a.passage.id, b.passage.id))
    .slice(0, limit)
    .map(({ passage: { source, id, text }, score }) => ({
      source,
      id,
      score: round6(score),
      excerpt: excerptOf(text, terms),
    }))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

interface Bag {
  counts: Map<string, number>
  size: number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins at NUL
const ASCII = /^[\u0000-\u007f]*$/

const folded = (text: string): string => (ASCII.test(text) ? text.toLowerCase() : foldedOf(plainOf(rawText(text))).text)
const wordsOf = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? []

function bagOf(words: readonly string[]): Bag {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { counts, size: words.length }
}

/** Never below zero, so that a word in every passage still finds them. */
function rarity(term: string, bags: readonly Bag[]): number {
  const holding = bags.filter(({ counts }) => counts.has(term)).length
  return Math.log(1 + (bags.length - holding + 0.5) / (holding + 0.5))
}

function scoreOf({ counts, size }: Bag, weights: ReadonlyMap<string, number>, average: number): number {
  let score = 0
  for (const [term, weight] of weights) {
    const times = counts.get(term) ?? 0
    score += (weight * times * (K1 + 1)) / (times + K1 * (1 - B + (B * size) / Math.max(1, average)))
  }
  return score
}

/** Begins a little before the first word that was asked for. */
function excerptOf(text: string, terms: ReadonlySet<string>): string {
  const lower = text.toLowerCase()
  const places = [...terms].map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const from = Math.max(0, (places.length === 0 ? 0 : Math.min(...places)) - EXCERPT / 4)
  return [...text.slice(from)].slice(0, EXCERPT).join('').toWellFormed()
}

/** What a session noted down, as one record that commits with the receipt of the step that changes it. */
export interface Note {
  name: string
  text: string
}

const MAX_NOTES = 128
const MAX_CHARACTERS = 262_144

/** A name that is taken gets the new text. Null where the session has no room left. */
export function withNote(notes: readonly Note[], note: Note): Note[] | null {
  const next = [...notes.filter(({ name }) => name !== note.name), note]
  const characters = next.reduce((total, { name, text }) => total + name.length + text.length, 0)
  return next.length > MAX_NOTES || characters > MAX_CHARACTERS ? null : next
}
