/** Which runs of three units stand in a text: a literal with one that does not is nowhere in it. Exists for speed alone: the
 *  detectors look for some hundred literals in every view, most texts hold none of them, and a search reads the whole text.
 *  32 KiB of commands among escapes take 5 % less processor time with it, medians of 25 readings in two alternating runs on two x86-64
 *  cores, and 32 KiB of any printable ASCII 50 ms instead of 56 on two ARM cores (`npm run bench:guards`, beside one in which
 *  `places` always searches).
 *  Only the last few long texts are remembered, as bits by hash, so an answer may be a wrong yes and never a wrong no. */
const BITS = 18
const REMEMBERED = 4
/** A shorter text is searched as fast as it is read for this. */
const MIN_TEXT = 512
const SIZE = 3

/** Of a text in lower case, which stands for the same text in any case. */
interface Trigrams {
  text: string
  lower: string
  bits: Uint8Array
}

const remembered: Trigrams[] = []
let oldest = 0
/** By literal: where the bits of its runs lie. There are as many literals as the rules and detectors have. */
const literals = new Map<string, Int32Array>()

export function mayHold(text: string, literal: string): boolean {
  if (text.length < MIN_TEXT || literal.length < SIZE) return true
  const { bits } = trigramsOf(text)
  const places = literals.get(literal) ?? placesOf(literal)
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number
    if (((bits[place >> 3] as number) & (1 << (place & 7))) === 0) return false
  }
  return true
}

/** Each unit moves those before it on by a third of the bits, so that the fourth to last is out of it. */
const placeAfter = (place: number, unit: number): number =>
  ((place << (BITS / SIZE)) ^ Math.imul(unit, 0x9e5)) & ((1 << BITS) - 1)

function trigramsOf(text: string): Trigrams {
  for (const one of remembered) if (one.text === text || one.lower === text) return one
  const lower = text.toLowerCase()
  const own = remembered.find((one) => one.lower === lower) ?? read(lower)
  own.text = text
  return own
}

function read(text: string): Trigrams {
  const own = remembered[oldest] ?? { text, lower: text, bits: new Uint8Array(1 << (BITS - 3)) }
  remembered[oldest] = own
  oldest = (oldest + 1) % REMEMBERED
  const { bits } = own
  own.lower = text
  bits.fill(0)
  // The first two places are of fewer units than three, and no literal asks for them.
  for (let [at, place] = [0, 0]; at < text.length; at++) {
    place = placeAfter(place, text.charCodeAt(at))
    bits[place >> 3] = (bits[place >> 3] as number) | (1 << (place & 7))
  }
  return own
}

function placesOf(literal: string): Int32Array {
  const lower = literal.toLowerCase()
  const all = new Int32Array(lower.length)
  for (let [at, place] = [0, 0]; at < lower.length; at++) {
    place = placeAfter(place, lower.charCodeAt(at))
    all[at] = place
  }
  const places = all.subarray(SIZE - 1)
  literals.set(literal, places)
  return places
}
