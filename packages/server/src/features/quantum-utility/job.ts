/** What the compute pool runs. */
import { evaluate, isComputable, replay } from './evaluate.ts'
import type { Fault } from './faults.ts'
import { type ReplayVerdict, replayReceipt } from './receipt.ts'
import type { Computing, ReplayReceipt } from './schemas.ts'

export interface ComputeParams {
  operation: Computing
  input: object
}

export type Computation = { receipt: ReplayReceipt } | { faults: Fault[] }

export function compute({ operation, input }: ComputeParams): Computation {
  const evaluated = evaluate(operation, input)
  return 'output' in evaluated ? { receipt: replayReceipt(operation, input, evaluated.output) } : evaluated
}

export const replayOne = (receipt: ReplayReceipt): ReplayVerdict => replay(receipt)

const MAX_RUNS = 5
const ENOUGH_SECONDS = 0.5

/** The shortest of a few runs: what another program on the machine took is not the baseline's, and a longer time would
 *  speak for the claim. Null where the receipt holds nothing that can be run. */
export function timeBaseline(receipt: ReplayReceipt): number | null {
  if (receipt.operation !== 'qubo/baseline' || !isComputable(receipt)) return null
  let shortest = Number.POSITIVE_INFINITY
  let total = 0
  for (let run = 0; run < MAX_RUNS && total < ENOUGH_SECONDS; run++) {
    const before = performance.now()
    evaluate(receipt.operation, receipt.input)
    const seconds = (performance.now() - before) / 1000
    total += seconds
    shortest = Math.min(shortest, seconds)
  }
  // Microseconds: no clock here tells more.
  return Math.max(1e-6, Number(shortest.toFixed(6)))
}
