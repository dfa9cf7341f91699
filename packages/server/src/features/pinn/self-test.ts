/** Two known answers, computed when asked: the canonical layer, and a mixture without noise. */
import { solveBurgers } from './burgers/solve.ts'
import { makeExample } from './identify/example.ts'
import { identify } from './identify/identify.ts'
import { CANONICAL_END } from './schemas.ts'

export interface SelfTest {
  ok: boolean
  burgers_canonical_error: number | null
  /** Largest relative error of the three coefficients. */
  rk_error: number | null
  tolerance: number
}

const TOLERANCE = 1e-8

export function runSelfTest(): SelfTest {
  const { converged, max_abs_error } = solveBurgers({ nu: 0.05, a: CANONICAL_END, b: -CANONICAL_END, N: 32 })
  const burgers = converged ? max_abs_error : null
  const unknowns = ['L0', 'L1', 'L2']
  const example = makeExample({
    system: 'redlich_kister',
    noise: 0,
    seed: 1,
    case: 'identifiable',
    unknowns,
    fixed: {},
  })!
  const { found } = identify({ problem: example.problem, bounds: {}, seed: 1, starts: 1, profile: false })
  const errors = found?.discovered.map(({ name, value }) => Math.abs(value / example.truth[name]! - 1)) ?? []
  const mixture = errors.length === 0 ? null : Math.max(...errors)
  const ok = burgers !== null && burgers < TOLERANCE && mixture !== null && mixture < TOLERANCE
  return { ok, burgers_canonical_error: burgers, rk_error: mixture, tolerance: TOLERANCE }
}
