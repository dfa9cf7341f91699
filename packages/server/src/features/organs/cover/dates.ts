/** Calendar dates as whole days. */
const DAY_MS = 86_400_000

/** Days since 1970-01-01; null where the calendar has no such day. */
export function dayOf(date: string): number | null {
  const at = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(at) || dateOf(at / DAY_MS) !== date ? null : at / DAY_MS
}

export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The same day of the next year; of a 29 February the 1 March. */
export function yearAfter(date: string): string {
  const next = `${String(Number(date.slice(0, 4)) + 1).padStart(4, '0')}${date.slice(4)}`
  return dayOf(next) === null ? `${next.slice(0, 4)}-03-01` : next
}
