// Values as people type them, turned into what the service reads. What cannot be read is refused here with an example,
// and never guessed.
import { usage } from './exit.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const AGO = /^(\d{1,6})\s*([smhdw])(?: ago)?$/
const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/

/** An instant in UTC with milliseconds. A day is its first moment in UTC, and a length of time is counted back from now. */
export function parseInstant(flag: string, text: string, now: number): string {
  const at = instantOf(text.trim(), now)
  if (at !== null && Number.isFinite(at) && Math.abs(at) < MAX_TIME) return new Date(at).toISOString()
  throw usage(
    `${flag}: ${JSON.stringify(text)} is not a time; write for example 2h, yesterday, 2026-11-15 or 2026-11-15T08:30:00Z`,
  )
}

/** The end of the year 9999: later ones have five digits. */
const MAX_TIME = 253_402_300_800_000

function instantOf(text: string, now: number): number | null {
  const word = text.toLowerCase()
  const today = now - (now % UNITS.d!)
  if (word === 'now') return now
  if (word === 'today') return today
  if (word === 'yesterday') return today - UNITS.d!
  const ago = AGO.exec(word)
  if (ago) return now - Number(ago[1]) * UNITS[ago[2]!]!
  if (DATE.test(text)) return Date.parse(`${text}T00:00:00Z`)
  const [, date, time, zone = 'Z'] = DATE_TIME.exec(text) ?? []
  return date === undefined ? null : Date.parse(`${date}T${time}${zone}`)
}

/** One of the allowed words, in whatever case, or one that people use for it. */
export function parseWord(
  flag: string,
  text: string,
  allowed: readonly string[],
  others: Readonly<Record<string, string>> = {},
): string {
  const word = text.trim().toLowerCase()
  const found = allowed.find((one) => one.toLowerCase() === word) ?? (Object.hasOwn(others, word) ? others[word] : null)
  if (found) return found
  throw usage(`${flag}: ${JSON.stringify(text)} is not one of ${allowed.join(', ')}`)
}

/** A whole number that a flag gives. */
export function parseCount(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw usage(`${flag}: ${JSON.stringify(text)} is not a whole number from ${least} to ${most}`)
}
