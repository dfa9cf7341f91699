/** One query over the sample sources, or words to find in their join. */
import { fitting, NeedsInput, type Structured } from '../organ.ts'
import samples from './samples.json' with { type: 'json' }
import { MAX_SQL } from './shapes.ts'
import { refusalOf, tokensOf } from './tokens.ts'

const SOURCES = Object.entries(samples).map(([name, rows]) => ({ name, rows }))
export const EXAMPLE_SQL =
  'SELECT c.city, count(*) AS orders, sum(o.amount) AS total FROM orders o JOIN customers c USING (customer_id) GROUP BY c.city ORDER BY total DESC'
const JOINED =
  'SELECT o.order_id, o.item, o.amount, o.status, c.name, c.city, c.email FROM orders o JOIN customers c ON c.customer_id = o.customer_id'
const TEXT = ['o.order_id', 'o.item', 'o.amount', 'o.status', 'c.name', 'c.city', "coalesce(c.email, '')"].join(
  " || ' ' || ",
)
const MAX_WORDS = 8

const over = (sql: string): Structured => ({ op: 'build', sources: SOURCES, sql })

/** Letters and digits alone, so that a word is never a pattern or the end of a text. */
export function mosaicPrompt(prompt: string): Structured | NeedsInput {
  const text = prompt.trim()
  if (/^(?:select|with|values)\b/i.test(text)) {
    const refusal = text.includes('\0') ? 'a character ends it' : refusalOf(tokensOf(text))
    if (refusal !== null && text.length <= MAX_SQL) return unread(text, refusal)
    return fitting(text, { field: 'sql', max: MAX_SQL, example: EXAMPLE_SQL }, over)
  }
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .slice(0, MAX_WORDS)
    .map((word) => word.slice(0, 64).toWellFormed())
  const conditions = words.map((word) => `${TEXT} LIKE '%${word}%'`)
  return over(`${JOINED} WHERE ${conditions.length > 0 ? conditions.join(' AND ') : '0'}`)
}

/** Text that began like a query and is none. */
export const unread = (sql: string, message: string): NeedsInput =>
  new NeedsInput({ sql }, [
    { field: 'sql', type: `one SELECT over orders and customers: ${message}`, example: EXAMPLE_SQL },
  ])
