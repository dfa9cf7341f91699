/** Counters: what many append to at once under one limit, such as a quota. Nobody takes turns at one: the ledger's own
 *  transaction orders all who move it, on every node, and a batch moves it once for all of them. */

import type { CounterMove, CounterRow, DocumentId } from './contract.ts'
import { assertPlace, idOf } from './documents.ts'

export const MAX_COUNTER_MOVES = 64

/** Throws for what no caller of ours may send. */
export function assertCounters(moves: readonly CounterMove[]): void {
  if (moves.length > MAX_COUNTER_MOVES) throw new RangeError(`at most ${MAX_COUNTER_MOVES} counters go together`)
  for (const { space, key, owner, add, limit, retryAfter = 1 } of moves) {
    assertPlace({ space, key, owner })
    if (!Number.isSafeInteger(add)) throw new RangeError('a counter moves by a safe integer')
    if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0)) throw new RangeError('a limit is 0 or more')
    if (!(Number.isSafeInteger(retryAfter) && retryAfter > 0)) throw new RangeError('whole seconds, one at least')
  }
  if (new Set(moves.map(idOf)).size !== moves.length) throw new TypeError('a counter is moved once at a time')
}

/** A counter as it is to be stored; `from` is the value it replaces, null where it was never moved. */
export type CounterChange = CounterRow & { from: number | null }

/** Takes moves in order, each against the store and what was taken before it. */
export class CounterCheck {
  private readonly stored: ReadonlyMap<string, number | null>
  private readonly changes = new Map<string, CounterChange>()

  constructor(ids: readonly DocumentId[], values: readonly (number | null)[]) {
    this.stored = new Map(ids.map((id, at) => [idOf(id), values[at] ?? null]))
  }

  /** Null where there is room for all of them; else the first without, and who has taken it: the store, which is
   *  durable, or an earlier move of the same batch, which is not yet. */
  full(moves: readonly CounterMove[]): { move: CounterMove; by: 'store' | 'batch' } | null {
    const move = moves.find((asked) => !fits(this.valueOf(asked), asked))
    return move === undefined ? null : { move, by: this.changes.has(idOf(move)) ? 'batch' : 'store' }
  }

  take(moves: readonly CounterMove[]): void {
    for (const { space, key, owner, add } of moves) {
      const before = this.changes.get(idOf({ space, key }))
      const from = before === undefined ? (this.stored.get(idOf({ space, key })) ?? null) : before.from
      const value = this.valueOf({ space, key }) + add
      this.changes.set(idOf({ space, key }), { space, key, owner: before?.owner ?? owner, value, from })
    }
  }

  private valueOf(id: DocumentId): number {
    return this.changes.get(idOf(id))?.value ?? this.stored.get(idOf(id)) ?? 0
  }

  /** One per counter that is not where it was. */
  get result(): CounterChange[] {
    return [...this.changes.values()].filter(({ value, from }) => value !== (from ?? 0))
  }
}

function fits(value: number, { add, limit }: CounterMove): boolean {
  const next = value + add
  return add < 0 ? next >= 0 : next <= (limit ?? Number.MAX_SAFE_INTEGER)
}
