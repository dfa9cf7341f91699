/** One computation by its name: pure, the same for a request and for the replay of its receipt. */
import { cutText } from '@orch/core'
import type { TSchema } from 'typebox'
import { faultText, read } from '../../platform/shape.ts'
import { judgeClaim } from './claim/rules.ts'
import { scoreCandidates, scoreFaults } from './counterfactual/score.ts'
import { type Fault, MAX_FAULTS } from './faults.ts'
import { type Baseline, solveBaseline } from './qubo/baseline.ts'
import { problemFaults } from './qubo/problem.ts'
import { judgeReceipt, type Outcome, type ReplayVerdict } from './receipt.ts'
import {
  type ClaimInput as Claim,
  ClaimInput,
  type Computing,
  type ShotPlanBody as Plan,
  type QuboBody as Qubo,
  QuboBody,
  type ReplayReceipt,
  type ScoreInput as Score,
  ScoreInput,
  ShotPlanBody,
} from './schemas.ts'
import { planShots } from './shots/plan.ts'
import { termFaults } from './shots/terms.ts'

type Evaluated = { output: object } | { faults: Fault[] }

interface Computation {
  schema: TSchema
  faults(input: never): Fault[]
  compute(input: never): Evaluated
}

const COMPUTATIONS: Record<Computing, Computation> = {
  'qubo/baseline': {
    schema: QuboBody,
    faults: ({ problem }: Qubo) => problemFaults(problem),
    compute: (input: Required<Qubo>) => ({ output: solveBaseline(input) }),
  },
  'hamiltonian/shot-plan': {
    schema: ShotPlanBody,
    faults: (input: Plan) => termFaults(input),
    compute(input: Plan & { grouping: NonNullable<Plan['grouping']> }) {
      const planned = planShots(input)
      return 'plan' in planned ? { output: planned.plan } : planned
    },
  },
  'counterfactual/score': {
    schema: ScoreInput,
    faults: (input: Score) => scoreFaults(input),
    compute: (input: Score) => ({ output: scoreCandidates(input) }),
  },
  'claim/rupture-gate': {
    schema: ClaimInput,
    faults: () => [],
    compute: (input: Claim) => ({ output: judgeClaim(input, replayedBaseline(input.classical_baseline_receipt)) }),
  },
}

/** `input` has the shape of the operation and every default. */
export function evaluate(operation: Computing, input: object): Evaluated {
  const { faults, compute } = COMPUTATIONS[operation]
  const found = faults(input as never).slice(0, MAX_FAULTS)
  return found.length > 0 ? { faults: found } : compute(input as never)
}

/** The input of a receipt is somebody else's: its shape is checked as a request's is, and every default must be stated. */
export function replay(receipt: ReplayReceipt): ReplayVerdict {
  return judgeReceipt(receipt, outcomeOf(receipt))
}

function outcomeOf({ operation, input }: ReplayReceipt): Outcome {
  const error = shapeError(operation, input)
  if (error !== null) return { error }
  const evaluated = evaluate(operation, input)
  return 'output' in evaluated ? evaluated : { error: clipped(faultsText(evaluated.faults)) }
}

/** Whether the receipt holds an input that its operation takes. */
export const isComputable = ({ operation, input }: ReplayReceipt): boolean =>
  shapeError(operation, input) === null && COMPUTATIONS[operation].faults(input as never).length === 0

function shapeError(operation: Computing, input: Record<string, unknown>): string | null {
  const shaped = read(COMPUTATIONS[operation].schema, input, 'input')
  if (!shaped.ok) return clipped(faultText(shaped.faults))
  const missing = STATED[operation]?.find((name) => !Object.hasOwn(input, name))
  return missing === undefined ? null : `input: ${missing} is missing`
}

const faultsText = (faults: readonly Fault[]): string =>
  faults.map(({ place, msg }) => `input: ${place.join('.')} ${msg}`).join('; ')

const MAX_ERROR_TEXT = 500
const clipped = (text: string): string => cutText(text, MAX_ERROR_TEXT)

/** What a request may leave out, a receipt states. */
const STATED: Partial<Record<Computing, readonly string[]>> = {
  'qubo/baseline': ['work_budget', 'seed'],
  'hamiltonian/shot-plan': ['grouping'],
}

/** Only a baseline is looked into: a claim within a claim is no baseline. */
function replayedBaseline(receipt: ReplayReceipt) {
  if (receipt.operation !== 'qubo/baseline') {
    const verdict = judgeReceipt(receipt, { error: 'the receipt is not one of qubo/baseline' })
    return { verdict, baseline: null }
  }
  const outcome = outcomeOf(receipt)
  const verdict = judgeReceipt(receipt, outcome)
  return { verdict, baseline: verdict.valid && 'output' in outcome ? (outcome.output as Baseline) : null }
}
