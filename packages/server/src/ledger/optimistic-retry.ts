/** Deciding on a document that others want to change at the same moment. The one place for the rule: a decision is made on
 *  what is stored now and written before that changes. Requests of this node that compete for a document take turns at
 *  it, so that each meets the state the last one left; what another node does in between is met by deciding again. */

import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../errors.ts'
import { KeyedMutex } from '../platform/keyed-mutex.ts'
import type { Clock, PendingWrites } from '../ports.ts'

/** For the tries of one turn, and for a line in which nobody gets through. A line that moves is waited for: of many at
 *  once all are recorded, however slow the disk. */
export const RETRY_BUDGET_MS = 5_000
/** Between two tries: none at first, then twice as long each time. Never long, for whoever won on another node is back at
 *  once, and the loser must be there too. */
const MAX_PAUSE_MS = 16

/** `settle` MUST reject with `state_conflict`, and leave nothing, where what was decided on has changed. Gives the
 *  decision that stands and what became of it. */
export type RetryOnConflict = <D extends PendingWrites, R>(
  decide: () => D | Promise<D>,
  settle: (decided: D) => Promise<R>,
) => Promise<[decided: D, result: R]>

/** Gives the way to stop. */
export type Every = (ms: number, work: () => void) => () => void

const everySystem: Every = (ms, work) => {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}

export function optimisticRetry(
  clock: Pick<Clock, 'monotonic'>,
  pause: (ms: number) => Promise<unknown> = wait,
  every = everySystem,
): RetryOnConflict {
  const turns = new KeyedMutex()

  /** Only what `settle` says of a conflict counts: a decision may refuse with the same word, and is believed. */
  const untilSettled = async <D extends PendingWrites, R>(
    decide: () => D | Promise<D>,
    settle: (decided: D) => Promise<R>,
  ): Promise<[D, R]> => {
    const end = clock.monotonic() + RETRY_BUDGET_MS
    for (let next = 0; ; next = Math.min(MAX_PAUSE_MS, next * 2 || 1)) {
      const decided = await decide()
      const settled = await settle(decided).then(asResult, nullOnConflict)
      if (settled !== null) return [decided, settled.result]
      if (clock.monotonic() >= end) throw tooBusy(decided)
      if (next > 0) await pause(next)
    }
  }

  return async (decide, settle) => {
    const first = await decide()
    const name = contestedBy(first)
    if (name === null) return [first, await settle(first)]
    if (!turns.isLocked(name)) {
      const settled = await settle(first).then(asResult, nullOnConflict)
      if (settled !== null) return [first, settled.result]
    }
    return inTurn(
      turns,
      name,
      () => untilSettled(decide, settle),
      () => tooBusy(first),
      every,
    )
  }
}

const contestedBy = ({ documents }: PendingWrites): string | null =>
  documents?.[0] === undefined ? null : `${documents[0].space}:${documents[0].key}`

const asResult = <R>(result: R): { result: R } => ({ result })

function nullOnConflict(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'state_conflict') return null
  throw error
}

const tooBusy = ({ busy }: PendingWrites): ServiceError =>
  busy === undefined
    ? new ServiceError('state_conflict', 'the record kept changing meanwhile; read it again and retry')
    : new ServiceError(busy, 'others kept changing the same record; nothing was recorded, retry in a second')

/** Leaves a line that stands still: whoever is at the front waits for a store that does not answer. */
function inTurn<T>(
  turns: KeyedMutex,
  name: string,
  work: () => Promise<T>,
  refusal: () => Error,
  every: Every,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let seen = turns.completed(name)
    let left = false
    const stop = every(RETRY_BUDGET_MS, () => {
      left = turns.completed(name) === seen
      seen = turns.completed(name)
      if (left) reject(refusal())
      if (left) stop()
    })
    const turn = async () => {
      stop()
      if (!left) await work().then(resolve, reject)
    }
    turns.run(name, turn).catch(reject)
  })
}
