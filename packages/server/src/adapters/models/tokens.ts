/** Counts tokens of a public vocabulary. It is some megabytes of tables, so it is loaded when somebody counts. */
import { createRequire } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'

type Vocabulary = typeof import('gpt-tokenizer/encoding/o200k_base')

/** Byte-pair merging is quadratic in the length of one unbroken run, and the run is a caller's: texts are counted in
 *  pieces. A cut inside a word may add a token, never lose one. */
const PIECE = 1024
/** A few milliseconds of counting; then others get their turn. */
const TURN = 32 * PIECE
/** `<|endoftext|>` in a caller's text is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

let vocabulary: Vocabulary | null = null

function countPiece(piece: string): number {
  // Loaded at once for both ways of counting: a second copy of the tables would be as large as the first.
  vocabulary ??= createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as Vocabulary
  return vocabulary.countTokens(piece, AS_TEXT)
}

export async function countTokens(text: string): Promise<number> {
  let total = 0
  for (let at = 0; at < text.length; at += PIECE) {
    if (at > 0 && at % TURN === 0) await turn()
    total += countPiece(text.slice(at, at + PIECE))
  }
  return total
}

/** The same count in one go, for texts of a few thousand characters. */
export function countTokensNow(text: string): number {
  let total = 0
  for (let at = 0; at < text.length; at += PIECE) total += countPiece(text.slice(at, at + PIECE))
  return total
}
