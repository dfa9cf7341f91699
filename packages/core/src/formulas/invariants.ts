/** The locked formulas as code that runs where the promise is made. A violation is refused at the call site; it is never
 *  logged and passed over. */
import { canonicalBytes } from '../canonical.ts'
import { sha256Hex } from '../digest.ts'
import type { LockedFormula } from '../doctrine.ts'
import { DATA_SHARDS, TOTAL_SHARDS } from '../erasure.ts'

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

/** F1: the digest under which a value is kept is the digest it has. Says nothing of the truth of the value. */
export const replayDigest = (value: unknown): string => sha256Hex(canonicalBytes(value))

/** F1 over bytes as they are stored: they replay to the digest they are kept under, and to no other. */
export const replays = (stored: Uint8Array, digest: string): boolean => sha256Hex(stored) === digest

/** F4: every link goes to a strictly smaller index, so there is no cycle. A first receipt has no predecessor: -1. */
export function assertAcyclic(prevIndex: number, index: number): void {
  if (!(Number.isSafeInteger(prevIndex) && Number.isSafeInteger(index) && prevIndex < index))
    throw new InvariantViolation('F4', `a link from ${index} to ${prevIndex} does not go backwards`)
}

/** F7: what was drained is the beginning of what was sent, by sequence number. Says nothing of delivery. */
export function assertFifo(sent: readonly number[], drained: readonly number[]): void {
  const at = drained.findIndex((sequence, place) => sequence !== sent[place])
  if (at >= 0)
    throw new InvariantViolation('F7', `${drained[at]} was drained at place ${at}, where ${sent[at]} was sent`)
}

export type Posting = { readonly account: string; readonly micros: bigint }

/** F11: a transaction takes from one account what it gives to another, in whole micro-units. Returns new balances. */
export function postTransaction(
  balances: ReadonlyMap<string, bigint>,
  postings: readonly Posting[],
): Map<string, bigint> {
  const total = postings.reduce((sum, { micros }) => sum + micros, 0n)
  if (total !== 0n) throw new InvariantViolation('F11', `the postings add up to ${total} and not to zero`)
  const after = new Map(balances)
  for (const { account, micros } of postings) after.set(account, (after.get(account) ?? 0n) + micros)
  return after
}

/** F12: linear over whole numbers, however large; binary doubles would round and lose it. */
export function weightedSum(weights: readonly bigint[], scores: readonly bigint[]): bigint {
  if (weights.length !== scores.length)
    throw new InvariantViolation('F12', `${weights.length} weights for ${scores.length} scores`)
  return weights.reduce((sum, weight, i) => sum + weight * scores[i]!, 0n)
}

/** F18: what is left of ten shards after `erased` are lost must be six. Arithmetic only: the code itself is tested. */
export function assertRestorable(erased: number): void {
  if (!(Number.isSafeInteger(erased) && erased >= 0 && TOTAL_SHARDS - erased >= DATA_SHARDS))
    throw new InvariantViolation('F18', `${erased} of ${TOTAL_SHARDS} shards lost leaves fewer than ${DATA_SHARDS}`)
}

export type Budget = { readonly spent: bigint; readonly cap: bigint }

/** F19 as a question: whether what was spent and the amount stay within the cap. */
export const affords = ({ spent, cap }: Budget, amount: bigint): boolean => amount >= 0n && spent + amount <= cap

/** F19: what is spent never falls and never passes the cap. Bounds the count, not the world. */
export function spend(budget: Budget, amount: bigint): Budget {
  const { spent, cap } = budget
  if (amount < 0n) throw new InvariantViolation('F19', `spending ${amount} would lower what was spent`)
  if (!affords(budget, amount)) throw new InvariantViolation('F19', `${spent} and ${amount} exceed the cap of ${cap}`)
  return { spent: spent + amount, cap }
}

/** F22: what is emitted comes right after what was emitted before. */
export function assertEmitsNext(previous: number, next: number): void {
  if (!(Number.isSafeInteger(next) && next === previous + 1))
    throw new InvariantViolation('F22', `${next} does not follow ${previous}`)
}
