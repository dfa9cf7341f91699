/** Where a mixture of two components is stable: the lower convex hull of its molar Gibbs energy of mixing. */
const R = 8.31446261815324
const POINTS = 201

interface Stability {
  temperature_k: number
  points: number
  stable_fraction: number
  /** Compositions between which a mixture falls apart into those at the two ends. */
  miscibility_gaps: { from: number; to: number }[]
}

/** `excess` in J/mol. */
export function mixingStability(excess: (x: number) => number, temperature: number): Stability {
  const x = Array.from({ length: POINTS }, (_, i) => i / (POINTS - 1))
  const ideal = (at: number) => (at === 0 || at === 1 ? 0 : at * Math.log(at) + (1 - at) * Math.log(1 - at))
  const g = x.map((at) => R * temperature * ideal(at) + excess(at))
  const hull: number[] = []
  for (let i = 0; i < POINTS; i++) {
    while (hull.length > 1 && isAbove(x, g, hull.at(-2)!, hull.at(-1)!, i)) hull.pop()
    hull.push(i)
  }
  const gaps = hull.flatMap((i, at) => {
    const next = hull[at + 1]
    return next !== undefined && next - i > 1 ? [{ from: x[i]!, to: x[next]! }] : []
  })
  return { temperature_k: temperature, points: POINTS, stable_fraction: hull.length / POINTS, miscibility_gaps: gaps }
}

const isAbove = (x: readonly number[], g: readonly number[], a: number, b: number, c: number): boolean =>
  (g[b]! - g[a]!) * (x[c]! - x[a]!) > (g[c]! - g[a]!) * (x[b]! - x[a]!)
