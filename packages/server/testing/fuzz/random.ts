// Every choice of the fuzz comes from here, so that a seed and a number say one request.
export interface Random {
  /** A whole number from 0 up to but without `end`. */
  below(end: number): number
  chance(share: number): boolean
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T
}

/** Mulberry32: small, quick, the same on every machine. Nothing secret is made with it. */
export function randomOf(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e3779b1) ^ (mixed >>> 15), 0x243f6a88)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: (share) => next() < share,
    pick(from) {
      if (from.length === 0) throw new RangeError('nothing to pick from')
      return from[below(from.length)] as (typeof from)[number]
    },
  }
}
