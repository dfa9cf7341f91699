/** What a session remembers of its recorded steps: decisions, digests and keyed hashes, never text. */
import type { Verdict } from '../../../domain/decision/verdict.ts'
import type { Mode } from './mode.ts'

export interface RememberedStep {
  step: number
  /** As it stands now: a review that a person approved counts as allowed. */
  verdict: Verdict
  receipt_digest: string
  state_hash: string
  request_digest: string
  /** Keyed hashes of shingles. */
  shingles: readonly string[]
  /** Keyed hashes of the words of a short text; of a longer one none. */
  words: readonly string[]
  /** Keyed hashes of the actions it asked for and of those it forbade. */
  asked: readonly string[]
  forbidden: readonly string[]
}

export interface HistoryWindow {
  steps: number
  /** References may also be resolved among all receipts of the owner. */
  owner_receipts: boolean
}

const WINDOWS: Record<Mode, HistoryWindow> = {
  kda_local: { steps: 8, owner_receipts: false },
  laguna_hybrid: { steps: 64, owner_receipts: false },
  mla_global: { steps: 1000, owner_receipts: true },
}

export const windowOf = (mode: Mode): HistoryWindow => WINDOWS[mode]

/** `history` is in step order, oldest first. */
export const seenFrom = <T>(history: readonly T[], mode: Mode): readonly T[] => history.slice(-WINDOWS[mode].steps)
