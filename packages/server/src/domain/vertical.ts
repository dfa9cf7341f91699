/** Which line of business a text speaks about, by whole words. It is told and stored, and decides nothing. */
import type { Static } from 'typebox'
import type { VerticalReply } from './decision/wire.ts'
import verticalWords from './vertical-words.json' with { type: 'json' }

export const VERTICALS = [
  'core',
  'general',
  'defense',
  'finance',
  'legal',
  'enterprise',
  'realestate',
  'insurance',
] as const
export type Vertical = (typeof VERTICALS)[number]
export type VerticalReading = Static<typeof VerticalReply>

const VERTICAL_OF = new Map(
  Object.entries(verticalWords).flatMap(([id, listed]) => listed.map((word) => [word, id] as const)),
)
/** Whole words, found in one walk over the text. */
const LISTED = new RegExp(`\\b(?:${[...VERTICAL_OF.keys()].join('|')})\\b`, 'g')

/** A tie, or no word at all, is the core. */
export function verticalOf(text: string): VerticalReading {
  const found = new Map<string, string[]>()
  for (const word of new Set(text.toLowerCase().match(LISTED))) {
    const id = VERTICAL_OF.get(word) as string
    found.set(id, [...(found.get(id) ?? []), word])
  }
  const [best, second] = [...found].sort(([, a], [, b]) => b.length - a.length)
  if (best === undefined) return { id: 'core', confidence: 0, hits: [], label: 'MODELED' }
  const lead = best[1].length - (second?.[1].length ?? 0)
  const confidence = Math.round((lead / (best[1].length + 1)) * 1e6) / 1e6
  return { id: lead === 0 ? 'core' : (best[0] as Vertical), confidence, hits: best[1], label: 'MODELED' }
}
