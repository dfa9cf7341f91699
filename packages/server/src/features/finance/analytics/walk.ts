/** The simulated prices of a symbol: a random walk whose seed is the symbol, equal on every machine. */
import { hexEncode, sha256, utf8Encode } from '@orch/core'

export const WALK_SIMULATOR = 'orch-walk/1'
export const WALK_POINTS = 260

const DRIFT = 0.0004
const SPREAD = 0.015
const WORD = 0xffff_ffff_ffff_ffffn

export const walkSeed = (symbol: string): bigint => BigInt(`0x${hexEncode(sha256(utf8Encode(symbol)).slice(0, 8))}`)

/** Prices with four decimals, the oldest first. */
export function walkPrices(symbol: string, points = WALK_POINTS): string[] {
  const next = splitMix64(walkSeed(symbol))
  const prices = ['100.0000']
  while (prices.length < points) {
    const last = Number(prices.at(-1))
    prices.push((last * (1 + DRIFT + SPREAD * normal(next))).toFixed(4))
  }
  return prices
}

/** Uniform in (0, 1]: the logarithm of 0 is never asked for. */
function splitMix64(seed: bigint): () => number {
  let state = seed
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & WORD
    let word = state
    word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD
    word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & WORD
    return (Number((word ^ (word >> 31n)) >> 11n) + 1) / 2 ** 53
  }
}

/** Box and Muller; of a pair only the cosine is used. */
function normal(next: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(next()))
  return radius * Math.cos(2 * Math.PI * next())
}
