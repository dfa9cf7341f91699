/** The toy model: 1,024 tokens, and for each pair of tokens a weight from the seed. It has read nothing. */
import type { Random } from '../random.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'
const byteToken = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

/** As the grammar engine reads them; the first ends the text. */
export const VOCABULARY: readonly string[] = [
  '</s>',
  ...range(32, 127).map((code) => String.fromCharCode(code)),
  ...[9, 10, 13, ...range(128, 256)].map(byteToken),
  ...[...letters].flatMap((one) => [...letters].map((other) => one + other)),
  ...range(0, 100).map((number) => String(number).padStart(2, '0')),
  ...[...letters.slice(0, 21)].map((letter) => ` ${letter}`),
]
export const STOP = 0

const bytesOf = (token: string): Buffer =>
  token.startsWith('<0x') ? Buffer.from([Number.parseInt(token.slice(1, -1), 16)]) : Buffer.from(token)

export const decode = (tokens: readonly number[]): string =>
  Buffer.concat(tokens.map((token) => bytesOf(VOCABULARY[token]!))).toString('utf8')

/** What brings a text to its end, the most final first. The comma ends a number. */
const CLOSING = ['</s>', '}', ']', '"', ','].map((token) => VOCABULARY.indexOf(token))
const COMMA = VOCABULARY.indexOf(',')

const BASE = VOCABULARY.map((token, at) =>
  CLOSING.includes(at) && at !== COMMA ? 60 : /^<0x|^[\\^`~|@#$%&]$/.test(token) ? 0.05 : 1,
)
const ENDS_NUMBER = VOCABULARY.map((token) => /[0-9]$/.test(token))
const IS_EXPONENT = VOCABULARY.map((token) => /^[eE]/.test(token))

/** A hash to [0, 1). */
function noise(seed: number, previous: number, next: number): number {
  let x = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(previous * 1024 + next + 1, 0xc2b2ae35)
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b)
  return ((x ^ (x >>> 16)) >>> 0) / 4_294_967_296
}

/** Weights of all tokens after each token. A number soon ends: with an exponent it would leave what a number can hold. */
export function bigrams(seed: number): (previous: number) => Float64Array {
  const known = new Map<number, Float64Array>()
  return (previous) => {
    const weights =
      known.get(previous) ?? Float64Array.from(BASE, (base, next) => base * (0.1 + noise(seed, previous, next)))
    if (known.has(previous)) return weights
    if (ENDS_NUMBER[previous]) {
      weights[COMMA]! *= 60
      for (const [next, isExponent] of IS_EXPONENT.entries()) if (isExponent) weights[next]! *= 0.001
    }
    known.set(previous, weights)
    return weights
  }
}

/** One of the allowed tokens, by weight. */
export function draw(weights: Float64Array, random: Random, isAllowed: (token: number) => boolean): number {
  let total = 0
  for (let token = 0; token < weights.length; token += 1) if (isAllowed(token)) total += weights[token]!
  let left = random.uniform() * total
  let last = STOP
  for (let token = 0; token < weights.length && left >= 0; token += 1) {
    if (!isAllowed(token)) continue
    left -= weights[token]!
    last = token
  }
  return last
}

const [QUOTE, LETTER] = ['"', 'q'].map((token) => VOCABULARY.indexOf(token)) as [number, number]

/** With half of its room gone the model makes for the end, where the grammar lets it. Where any letter may come, a brace
 *  is text and ends nothing. */
export const closingToken = (isAllowed: (token: number) => boolean): number | undefined =>
  isAllowed(LETTER) ? [STOP, QUOTE].find(isAllowed) : CLOSING.find(isAllowed)
