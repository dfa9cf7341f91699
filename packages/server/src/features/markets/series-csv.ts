/** The two-column download of a FRED series. Strict: whoever answers controls every byte, and a table that is not exactly
 *  this is refused rather than guessed at. */
import { isDay } from './company-facts.ts'

interface SeriesPoint {
  date: string
  value: string | null
}

type CsvFault = 'INVALID_SOURCE_SCHEMA' | 'INVALID_SOURCE_TIMESTAMP' | 'INVALID_SOURCE_NUMBER' | 'IDENTITY_MISMATCH'

const MAX_ROWS = 100_000
const DATE_COLUMNS = new Set(['observation_date', 'DATE'])
const DECIMAL = /^-?\d{1,31}(?:\.\d{1,30})?$/

/** Points from the oldest to the newest. A point and nothing are both how the source writes a missing value. */
export function parseSeriesCsv(
  text: string,
  seriesId: string,
): { ok: true; points: SeriesPoint[] } | { ok: false; fault: CsvFault } {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const [head = '', ...rows] = lines
  const [dateColumn = '', valueColumn, ...more] = head.split(',')
  if (!DATE_COLUMNS.has(dateColumn) || valueColumn === undefined || more.length > 0 || rows.length > MAX_ROWS)
    return { ok: false, fault: 'INVALID_SOURCE_SCHEMA' }
  if (valueColumn !== seriesId) return { ok: false, fault: 'IDENTITY_MISMATCH' }
  const points: SeriesPoint[] = []
  for (const line of rows) {
    const [date = '', value, ...rest] = line.split(',')
    if (value === undefined || rest.length > 0) return { ok: false, fault: 'INVALID_SOURCE_SCHEMA' }
    if (!isDay(date) || date <= (points.at(-1)?.date ?? '')) return { ok: false, fault: 'INVALID_SOURCE_TIMESTAMP' }
    const isMissing = value === '.' || value === ''
    if (!isMissing && !DECIMAL.test(value)) return { ok: false, fault: 'INVALID_SOURCE_NUMBER' }
    points.push({ date, value: isMissing ? null : value })
  }
  return { ok: true, points }
}
