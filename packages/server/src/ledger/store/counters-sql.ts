/** The questions about counters, as both databases read them. */
import type { CounterRow, LedgerReader } from '../contract.ts'
import type { Dialect, Question } from './documents-sql.ts'
import { bytesOf, hexOf } from './stored-rows.ts'

type CounterReads = Pick<LedgerReader, 'counter' | 'countersAfter'>

/** `there`: whether the ledger has counters at all. One that was last written before there were any is still read. */
export function counterReads(
  { table, mark }: Dialect,
  all: (question: Question) => Promise<unknown[]>,
  there: () => Promise<boolean>,
): CounterReads {
  let known = false
  const ask = async (question: Question): Promise<unknown[]> => {
    known ||= await there()
    return known ? all(question) : []
  }
  return {
    async counter(space, key) {
      const text = `SELECT value FROM ${table} WHERE space = ${mark(1)} AND key = ${mark(2)}`
      const [row] = await ask({ name: 'counter', text, values: [space, bytesOf(key)] })
      return (row as { value: number } | undefined)?.value ?? 0
    },
    async countersAfter(after, limit) {
      const text = `SELECT space, key, owner, value FROM ${table} WHERE (space, key) > (${mark(1)}, ${mark(2)})
        ORDER BY space, key LIMIT ${mark(3)}`
      const values = [after?.space ?? '', bytesOf(after?.key ?? ''), limit]
      return (await ask({ name: 'counters after', text, values })).map(counterOf)
    },
  }
}

function counterOf(raw: unknown): CounterRow {
  const { space, key, owner, value } = raw as Omit<CounterRow, 'key'> & { key: Uint8Array }
  return { space, key: hexOf(key), owner, value }
}
