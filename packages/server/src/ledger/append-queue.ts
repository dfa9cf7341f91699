/** Appends on their way to the ledger's thread and back. */
import type { Outcome } from './outcome.ts'
import { STOPPED } from './refusals.ts'
import type { Entry } from './types.ts'

interface NumberedEntry {
  id: number
  entry: Entry
}

export class AppendQueue {
  private readonly post: (entries: NumberedEntry[]) => void
  private readonly waitingFor = new Map<number, (outcome: Outcome) => void>()
  private outgoing: NumberedEntry[] = []
  private nextId = 1

  constructor(post: (entries: NumberedEntry[]) => void) {
    this.post = post
  }

  /** How many wait for their outcome. */
  get size(): number {
    return this.waitingFor.size
  }

  send(entry: Entry): Promise<Outcome> {
    return new Promise((resolve) => {
      const id = this.nextId++
      this.waitingFor.set(id, resolve)
      // Everything that arrives in one turn of the loop travels in one message.
      if (this.outgoing.push({ id, entry }) === 1) setImmediate(() => this.flush())
    })
  }

  private flush(): void {
    this.post(this.outgoing)
    this.outgoing = []
  }

  settle(outcomes: readonly (readonly [id: number, outcome: Outcome])[]): void {
    for (const [id, outcome] of outcomes) {
      const done = this.waitingFor.get(id)
      this.waitingFor.delete(id)
      done?.(outcome)
    }
  }

  /** The thread has ended: nothing more is acknowledged. */
  stop(): void {
    for (const done of this.waitingFor.values()) done(STOPPED)
    this.waitingFor.clear()
  }
}
