/** The locked formulas that guard the ledger, as code that runs where the promise is made. A violation is refused at the
 *  call site; it is never logged and passed over. */
import type { LockedFormula } from './doctrine.ts'

export class InvariantViolation extends Error {
  readonly formulaId: LockedFormula
  readonly detail: string

  constructor(formulaId: LockedFormula, detail: string) {
    super(`${formulaId}: ${detail}`)
    this.name = 'InvariantViolation'
    this.formulaId = formulaId
    this.detail = detail
  }
}

/** F4: every link goes to a strictly smaller index, so there is no cycle. A first receipt has no predecessor: -1. */
export function assertAcyclic(prevIndex: number, index: number): void {
  if (!(Number.isSafeInteger(prevIndex) && Number.isSafeInteger(index) && prevIndex < index))
    throw new InvariantViolation('F4', `a link from ${index} to ${prevIndex} does not go backwards`)
}

/** F22: what is emitted comes right after what was emitted before. */
export function assertEmitsNext(previous: number, next: number): void {
  if (!(Number.isSafeInteger(next) && next === previous + 1))
    throw new InvariantViolation('F22', `${next} does not follow ${previous}`)
}
