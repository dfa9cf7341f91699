/** Draws of the binomial law. */
import type { Sfc32 } from '../../../domain/sfc32.ts'

const MAX_WALKED = 100

/** Few are counted one by one over geometric gaps, many by the normal law, kept within what is possible. */
export function binomial(n: number, p: number, random: Sfc32): number {
  if (p > 0.5) return n - binomial(n, 1 - p, random)
  if (p <= 0) return 0
  if (n * p > MAX_WALKED)
    return Math.min(n, Math.max(0, Math.round(n * p + Math.sqrt(n * p * (1 - p)) * random.normal())))
  const scale = Math.log1p(-p)
  let [count, at] = [0, 0]
  for (;;) {
    at += Math.floor(Math.log(1 - random.uniform()) / scale) + 1
    if (at > n) return count
    count += 1
  }
}
