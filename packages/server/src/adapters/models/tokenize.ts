/** The jobs behind `tokens.ts`: they run in its thread alone. */
import { encode as encodePiece } from 'gpt-tokenizer/encoding/o200k_base'

/** Byte-pair merging is quadratic in the length of one unbroken run, and the run is a caller's: texts are cut before a
 *  blank where there is one, and within the run where not. The same beginning is always cut the same way. */
const PIECE = 256
const MAX_PIECE = 512
/** `<|endoftext|>` in a caller's text is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

export const encode = (texts: readonly string[]): number[][] => texts.map((text) => [...tokensOf(text)])

export function count(text: string): number {
  let total = 0
  for (const _ of tokensOf(text)) total += 1
  return total
}

function* tokensOf(text: string): Generator<number> {
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at)
    yield* encodePiece(text.slice(at, end), AS_TEXT)
    at = end
  }
}

function pieceEnd(text: string, at: number): number {
  const blank = text.indexOf(' ', at + PIECE)
  if (blank >= 0 && blank <= at + MAX_PIECE) return blank
  const end = Math.min(text.length, at + MAX_PIECE)
  return /[\udc00-\udfff]/.test(text[end] ?? '') ? end - 1 : end
}
