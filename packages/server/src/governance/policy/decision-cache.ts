/**
 * Verdicts by the exact text the engine would be given. The engine reads nothing else: no clock, no store, no chance; so
 * under one policy set the same text has the same verdict for ever. A cache belongs to one set and goes with it.
 */
export class DecisionCache<Verdict extends object> {
  private readonly verdicts = new Map<string, Verdict>()
  private readonly maxEntries: number

  constructor(maxEntries: number) {
    this.maxEntries = maxEntries
  }

  get(text: string): Verdict | undefined {
    const found = this.verdicts.get(text)
    if (found === undefined) return undefined
    this.verdicts.delete(text)
    this.verdicts.set(text, found)
    return found
  }

  /** Callers choose part of the text: neither its length nor the number of texts may grow without bound. */
  set(text: string, verdict: Verdict): void {
    if (this.maxEntries === 0 || text.length > MAX_TEXT) return
    if (this.verdicts.size >= this.maxEntries) this.verdicts.delete(this.verdicts.keys().next().value as string)
    this.verdicts.set(text, verdict)
  }

  get size(): number {
    return this.verdicts.size
  }
}

const MAX_TEXT = 2048
