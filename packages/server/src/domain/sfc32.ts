/** The seeded generator of everything that is simulated: equal names and parameters give equal draws on every machine. */
import { sfc32 as words } from '@orch/core'

export interface Sfc32 {
  /** Uniform in [0, 1), from 53 bits. */
  uniform(): number
  /** Standard normal by Box and Muller; both values of a pair are used. */
  normal(): number
  /** Uniform among 0 to n - 1. */
  integer(n: number): number
}

/** The stream of one algorithm: its state is a digest of the name and the parameters, so no two streams are related. */
export function sfc32(algorithmId: string, parameters: unknown): Sfc32 {
  const { uniform } = words(algorithmId, parameters)
  let second: number | null = null
  const normal = (): number => {
    if (second !== null) {
      const spare = second
      second = null
      return spare
    }
    // 1 - u is never zero, of which there is no logarithm.
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
    const angle = 2 * Math.PI * uniform()
    second = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
  return { uniform, normal, integer: (n) => Math.floor(uniform() * n) }
}
