/** Scores of texts by their words, ranks, and two rankings joined into one. */

/** As many texts as are scored for one query. */
export const MAX_CANDIDATES = 64
const K1 = 1.2
const B = 0.75

/** What BM25 needs to know of the texts that are searched. */
export interface TextStatistics {
  documents: number
  meanLength: number
  /** In how many documents a term occurs. */
  holders(term: string): number
}

export interface TermCounts {
  length: number
  counts: ReadonlyMap<string, number>
}

export function bm25(terms: readonly string[], { length, counts }: TermCounts, texts: TextStatistics): number {
  let score = 0
  for (const term of terms) {
    const count = counts.get(term) ?? 0
    if (count === 0) continue
    const holders = texts.holders(term)
    const idf = Math.log(1 + (texts.documents - holders + 0.5) / (holders + 0.5))
    score += (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / texts.meanLength))
  }
  return score
}

/** Place of each index by its score, from 1; what has no score has no place. Equal scores are ordered by their names. */
export function toRanks(scores: readonly number[], names: readonly string[]): (number | null)[] {
  const ranks = scores.map((): number | null => null)
  const found = [...scores.keys()].filter((at) => scores[at]! > 0)
  found.sort((a, b) => scores[b]! - scores[a]! || (names[a]! < names[b]! ? -1 : 1))
  for (const [place, at] of found.entries()) ranks[at] = place + 1
  return ranks
}

/** Reciprocal rank fusion. */
export const fuse = (ranks: readonly (number | null)[], k: number): number =>
  ranks.reduce<number>((sum, rank) => (rank === null ? sum : sum + 1 / (k + rank)), 0)
