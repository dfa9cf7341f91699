/** The outbox: effects on their way out of the store. There is no leader and no lock that outlives a process. */

import type { Clock } from '../../../ports.ts'
import type { DrainReport } from '../effect-schemas.ts'
import { leaseExpired } from '../rules/effect-transitions.ts'
import { type Attempted, type AttemptParts, attempt, change } from './attempt.ts'
import { DrainOrder } from './drain-order.ts'
import { effectPages } from './effect-documents.ts'
import { effectCounts } from './stats.ts'

export interface OutboxParts extends AttemptParts {
  /** For durations; what is stored goes by the other one. */
  clock: Clock
  /** Told of every attempt that came to an end. */
  attempted(attempted: Attempted): void
  /** Aborted when the process is to end: what is under way is finished, nothing more is taken. */
  ending?: AbortSignal
}

/** Taken together, so that claims and marks of all of them cost one sync of the disk each, and delivered at once: far
 *  less than a lease passes between a claim and its mark. */
const TOGETHER = 16
/** No further effects are taken after this: the answer to a drain must not come later than its caller waits. */
const RETRY_BUDGET_MS = 20_000
const PAGE = 100

type Tally = Pick<DrainReport, 'attempted' | 'exported' | 'failed' | 'fenced_out' | 'dead_lettered' | 'errors'>

export async function drain(parts: OutboxParts, namespace: string, limit: number): Promise<DrainReport> {
  const { ledger, clock, storeNow } = parts
  const end = clock.monotonic() + RETRY_BUDGET_MS
  const dead_lettered = await endLeases(parts, namespace)
  const tally: Tally = { attempted: 0, exported: 0, failed: 0, fenced_out: 0, dead_lettered, errors: [] }
  // What becomes due while this runs is left to the next run: a failing sink must not keep this one going.
  const next = effectPages(ledger.reader, namespace, { state: 'PENDING', upTo: await storeNow() })
  const order = new DrainOrder()
  const mayGoOn = () => tally.fenced_out === 0 && clock.monotonic() < end && parts.ending?.aborted !== true
  while (tally.attempted < limit && mayGoOn()) {
    const page = await next(Math.min(TOGETHER, limit - tally.attempted))
    if (page === null) break
    order.take(page)
    const results = await allOf(page.map((document) => attempt(parts, document)))
    for (const result of results.filter(({ outcome }) => outcome !== 'LOST')) {
      count(tally, result)
      parts.attempted(result)
    }
  }
  return { limit, ...tally, ...(await effectCounts(ledger.reader, namespace, await storeNow())) }
}

function count(tally: Tally, result: Attempted): void {
  tally.attempted += 1
  if (result.outcome === 'EXPORTED') tally.exported += 1
  if (result.outcome === 'FENCED_OUT') tally.fenced_out += 1
  if (result.outcome === 'DEAD_LETTER') tally.dead_lettered += 1
  if (!('error' in result)) return
  tally.failed += 1
  const { effect_id, kind } = result.document.effect
  tally.errors.push({ effect_id, kind, class: result.error.class, code: result.error.code })
}

/** Claims whose workers were not heard of again: none outlives a drain. Gives the number of those that were at their last
 *  attempt. */
async function endLeases({ ledger, storeNow }: OutboxParts, namespace: string): Promise<number> {
  const now = await storeNow()
  const next = effectPages(ledger.reader, namespace, { state: 'CLAIMED', upTo: now })
  let dead = 0
  for (let page = await next(PAGE); page !== null; page = await next(PAGE)) {
    const ended = await allOf(
      page.map(async (document) => {
        const expired = leaseExpired(document.effect, now)
        return expired && change(ledger, document, expired)
      }),
    )
    dead += ended.filter((document) => document?.effect.state === 'DEAD_LETTER').length
  }
  return dead
}

/** Waits for all of them before it fails for one: nothing may go on behind the back of whoever was told of a failure. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(promises)
  const failure = settled.find((one) => one.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  return settled.map((one) => (one as PromiseFulfilledResult<T>).value)
}
