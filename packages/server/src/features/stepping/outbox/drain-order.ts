/** Effects leave in the order in which they fell due, those of one moment in the order of their keys. */
import { assertFifo } from '@orch/core'

interface Queued {
  row: { rank: number; key: string }
}

const byPlace = (a: Queued, b: Queued): number =>
  a.row.rank - b.row.rank || (a.row.key < b.row.key ? -1 : Number(a.row.key > b.row.key))

export class DrainOrder {
  #last: Queued[] = []

  /** F7: the pages of one drain, put one after the other, are the queue from its beginning on. A store that gives them in
   *  another order is not drained any further. */
  take(page: readonly Queued[]): void {
    const drained = [...this.#last, ...page]
    const sent = drained.toSorted(byPlace)
    assertFifo(
      sent.map((_, place) => place),
      drained.map((effect) => sent.indexOf(effect)),
    )
    this.#last = drained.slice(-1)
  }
}
