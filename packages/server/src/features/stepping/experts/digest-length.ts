/** A digest that is too short or too long for the algorithm it is said to be of. */
import type { Token } from './tokens.ts'

const SIZES: Record<string, number> = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 }
const REACH = 3
/** Behind a blank a short run of hex digits may be a word; behind a colon it is meant. */
const MIN = 16

/** By their first and last token. */
export function wrongDigests(text: string, tokens: readonly Token[]) {
  return tokens.flatMap((_, at) => {
    const name = algorithmAt(text, tokens, at)
    const to = name && digestAfter(text, tokens, at + name.words)
    if (!name || to === null) return []
    const size = tokens[to]!.to - tokens[to]!.from
    return size === name.size ? [] : [{ at, to }]
  })
}

/** `sha256`, `SHA-256` and `SHA3-256`. */
function algorithmAt(text: string, tokens: readonly Token[], at: number): { size: number; words: number } | null {
  const { word } = tokens[at]!
  const plain = SIZES[word]
  if (plain !== undefined) return { size: plain, words: 1 }
  const next = tokens[at + 1]
  if ((word !== 'sha' && word !== 'sha3') || !next || text.slice(tokens[at]!.to, next.from) !== '-') return null
  const size = SIZES[`sha${next.word}`]
  return size === undefined ? null : { size, words: 2 }
}

function digestAfter(text: string, tokens: readonly Token[], from: number): number | null {
  for (let at = from; at < tokens.length && at < from + REACH; at++) {
    const { word, from: start, to: end, mark } = tokens[at]!
    if (mark !== '' && mark !== ':') return null
    if (!/^[0-9a-f]{1,64}$/.test(word)) continue
    if (isCutShort(text, end)) return null
    const meant = at === from && MEANT.has(text.slice(tokens[at - 1]!.to, start))
    if (end - start >= MIN || meant) return at
  }
  return null
}

const MEANT = new Set([':', '=', ': ', '= ', ' = '])
const isCutShort = (text: string, end: number): boolean => text.startsWith('..', end) || text.charAt(end) === '\u2026'
