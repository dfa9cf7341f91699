/** Cuts texts into the tokens of a public vocabulary, which is some megabytes of tables and loaded when it is needed. */
import { setImmediate as turn } from 'node:timers/promises'

type Vocabulary = typeof import('gpt-tokenizer/encoding/o200k_base')

/** Byte-pair merging is quadratic in the length of one unbroken run, and the run is a caller's: texts are cut before a
 *  blank where there is one, and within the run where not. The same beginning is always cut the same way. */
const PIECE = 256
const MAX_PIECE = 512
const TURN = 32
/** `<|endoftext|>` in a caller's text is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

let vocabulary: Promise<Vocabulary> | null = null

export async function toTokens(text: string): Promise<number[]> {
  vocabulary ??= import('gpt-tokenizer/encoding/o200k_base')
  const { encode } = await vocabulary
  const tokens: number[] = []
  let pieces = 0
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at)
    for (const token of encode(text.slice(at, end), AS_TEXT)) tokens.push(token)
    at = end
    pieces += 1
    if (pieces % TURN === 0) await turn()
  }
  return tokens
}

function pieceEnd(text: string, at: number): number {
  const blank = text.indexOf(' ', at + PIECE)
  if (blank >= 0 && blank <= at + MAX_PIECE) return blank
  const end = Math.min(text.length, at + MAX_PIECE)
  return /[\udc00-\udfff]/.test(text[end] ?? '') ? end - 1 : end
}
