/** How the rows of a list change: each once, newest first, without a hole. */
import type { ReceiptRow } from '@orch/client'

const MAX_ROWS = 20_000

export interface Rows {
  rows: readonly ReceiptRow[]
  /** Newest first, not in the list yet. */
  fresh: readonly ReceiptRow[]
  cursor: string | null
  count: number | null
  size: number
}

type Change =
  | { type: 'clear' }
  | { type: 'first' | 'older'; page: Omit<Rows, 'fresh'> }
  | { type: 'came'; row: ReceiptRow; isHeld: boolean }
  | { type: 'take' }

const has = (rows: readonly ReceiptRow[], { node_index }: ReceiptRow): boolean =>
  rows.some((row) => row.node_index === node_index)

const newestFirst = (one: ReceiptRow, other: ReceiptRow): number => other.node_index - one.node_index

export function changeRows(state: Rows | null, change: Change): Rows | null {
  if (change.type === 'clear') return null
  if (change.type === 'first') return { ...change.page, fresh: [] }
  if (state === null) return null
  switch (change.type) {
    case 'older':
      return { ...change.page, fresh: state.fresh, rows: [...state.rows, ...change.page.rows], count: state.count }
    case 'came': {
      const { row, isHeld } = change
      const newest = state.fresh.slice(0, 64)
      if (has(newest, row) || has(state.rows.slice(0, 256), row)) return state
      const next = { ...state, size: Math.max(state.size, row.node_index + 1) }
      // Behind rows that wait every later one waits too: past them the list would have a hole.
      return isHeld || state.fresh.length > 0
        ? { ...next, fresh: [row, ...state.fresh] }
        : { ...next, rows: [row, ...state.rows].slice(0, MAX_ROWS) }
    }
    case 'take':
      return { ...state, fresh: [], rows: [...state.fresh, ...state.rows].toSorted(newestFirst).slice(0, MAX_ROWS) }
  }
}
