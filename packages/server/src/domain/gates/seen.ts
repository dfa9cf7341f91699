import type { Span } from '../text/mapped-text.ts'

/**
 * Places already reported. A later view shows again what an earlier one has shown; what it shows elsewhere is new.
 * Kept as parted intervals in order, so that a text full of hits costs a search for each and not a comparison of all.
 */
export class SeenSpans {
  private readonly intervals = new Map<string, Span[]>()

  covers(key: string, { start, end }: Span): boolean {
    const known = this.intervals.get(key)
    if (!known) return false
    let [low, high] = [0, known.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((known[middle] as Span).end <= start) low = middle + 1
      else high = middle
    }
    const next = known[low]
    return next !== undefined && next.start < end
  }

  add(key: string, spans: readonly Span[]): void {
    const all = [...(this.intervals.get(key) ?? []), ...spans].sort((a, b) => a.start - b.start)
    const merged: Span[] = []
    for (const { start, end } of all) {
      const last = merged.at(-1)
      if (last && start < last.end) last.end = Math.max(last.end, end)
      else merged.push({ start, end })
    }
    this.intervals.set(key, merged)
  }
}
