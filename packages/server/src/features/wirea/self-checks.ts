/** Known answers, computed now by the functions that the operations call. */

import { trustGap } from './divergence.ts'
import { FIXTURES } from './graph/fixtures.ts'
import { toGraph } from './graph/graph.ts'
import { laplacian } from './graph/laplacian.ts'
import { eigen } from './graph/spectrum.ts'
import { lambdaPanel } from './lambda-panel.ts'
import type { Health } from './replies.ts'
import { brierScore } from './scores/binary.ts'
import { ceiling } from './special-functions.ts'

type SelfCheck = Health['self_checks'][number]

const TOLERANCE = 1e-9

const KNOWN: readonly { name: string; expected: number; compute(): number }[] = [
  {
    name: 'lambda2 of a path of 9 is 2 - 2 cos(pi/9)',
    expected: 2 - 2 * Math.cos(Math.PI / 9),
    compute: () => eigen(laplacian(toGraph(FIXTURES['fixture-path9']))).values[1]!,
  },
  {
    name: 'KL(p, p) is 0',
    expected: 0,
    compute: () => trustGap([0.6, 0.25, 0.15], [0.6, 0.25, 0.15], null).kl_observed_vs_reference_nats!,
  },
  {
    name: 'the Brier score of the example is 0.175',
    expected: 0.175,
    compute: () => brierScore({ probs: [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1], outcomes: [1, 1, 0, 1, 0, 1, 0, 0] }),
  },
  {
    name: 'harmonic <= geometric <= arithmetic mean',
    expected: 1,
    compute: () => Number(lambdaPanel([0.97, 0.94, 0.92, 0.99, 0.88, 0.95], null, 'geometric', 2).ordering_holds),
  },
  { name: 'the conformal rank of 0.9 among 40 is 37', expected: 37, compute: () => ceiling(41 * 0.9) },
]

/** A check that throws has not passed, and got nothing. */
export const runSelfChecks = (): SelfCheck[] =>
  KNOWN.map(({ name, expected, compute }) => {
    const got = attempt(compute)
    return { name, expected, got, passed: got !== null && Math.abs(got - expected) <= TOLERANCE }
  })

function attempt(compute: () => number): number | null {
  try {
    const got = compute()
    return Number.isFinite(got) ? got : null
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}
