// Which texts the learned scorer may see. What falls to the other side is measured and never trained on.
import { sha256Hex } from '@orch/core'

/** By the text itself, so that neither an order nor a later addition moves a text from one half to the other. */
const isTrained = (text: string): boolean => Number.parseInt(sha256Hex(text.trim()).slice(0, 2), 16) < 128

export const trainedHalf = (texts: readonly string[]): string[] => texts.filter(isTrained)
export const holdoutHalf = (texts: readonly string[]): string[] => texts.filter((text) => !isTrained(text))

const SHINGLE = 5
const MAX_SHARED = 0.2

/** Jailbreaks are copied and altered: of the texts held out, those of which little stands in a training text. */
export function unlike(texts: readonly string[], trained: readonly string[]): string[] {
  const known = new Set(trained.flatMap(shingles))
  return texts.filter((text) => {
    const own = shingles(text)
    return own.filter((shingle) => known.has(shingle)).length <= MAX_SHARED * own.length
  })
}

function shingles(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return words.slice(0, Math.max(1, words.length - SHINGLE + 1)).map((_, at) => words.slice(at, at + SHINGLE).join(' '))
}
