/** What a request refers to: receipts and digests, steps, sessions, URLs. URLs are listed and never fetched. */
import { placeOf, type ReadView } from './reading.ts'
import type { Token } from './tokens.ts'

export interface Reference {
  kind: 'digest' | 'step' | 'session' | 'url'
  /** Digest in lower case, number of the step, name of the session, the URL's first characters. */
  value: string
  span: { start: number; end: number }
}

const DIGEST_UNITS = 64
const MAX_NAME = 128
const MAX = 64

/** Each reference once, at its first place. */
export function referencesIn(view: ReadView): Reference[] {
  const found = new Map<string, Reference>()
  view.tokens.forEach((token, at) => {
    const reference = referenceAt(view, token, at)
    const key = reference && `${reference.kind} ${reference.value}`
    if (reference && key && !found.has(key) && found.size < MAX) found.set(key, reference)
  })
  return [...found.values()]
}

function referenceAt(view: ReadView, token: Token, at: number): Reference | null {
  const span = placeOf(view, token)
  if (token.kind === 'url') return { kind: 'url', value: token.word, span }
  if (token.to - token.from === DIGEST_UNITS && /^[0-9a-f]{64}$/.test(token.word))
    return { kind: 'digest', value: token.word, span }
  if (token.word === 'step') return stepAt(view, at)
  return token.word === 'session' ? sessionAt(view, at) : null
}

/** `step 3`, and not the label of a list: "step 3: ...". */
function stepAt(view: ReadView, at: number): Reference | null {
  const number = view.tokens[at + 1]
  if (number?.mark !== '' || !/^[0-9]{1,9}$/.test(number.word)) return null
  if (':)'.includes(view.text.charAt(number.to) || ' ')) return null
  const span = placeOf(view, { from: view.tokens[at]!.from, to: number.to })
  return { kind: 'step', value: String(Number(number.word)), span }
}

/** A quoted name, or a word that no sentence would hold. */
function sessionAt(view: ReadView, at: number): Reference | null {
  const next = view.tokens[at + 1]
  if (next?.mark !== '' || next.sentence !== view.tokens[at]!.sentence) return null
  const around = view.quotations[next.quotation]
  const place =
    around && view.tokens[at]!.quotation < 0
      ? { from: around.from + 1, to: around.to - 1 }
      : nameFrom(view.text, next.from)
  const value = view.text.slice(place.from, Math.min(place.to, place.from + 2 * MAX_NAME))
  const named = around !== undefined || /[0-9_-]/.test(value)
  return named ? { kind: 'session', value, span: placeOf(view, place) } : null
}

function nameFrom(text: string, from: number): { from: number; to: number } {
  let to = from
  while (to < text.length && to - from < MAX_NAME && !' \t\n\r,;:!?"\'()'.includes(text.charAt(to))) to++
  return { from, to: text.charAt(to - 1) === '.' ? to - 1 : to }
}
