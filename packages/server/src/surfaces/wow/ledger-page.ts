/** The governance chain of the caller’s namespace, read and re-checked for the request that asks. */
import { type ClockNow, GENESIS_PREV, measured, readingAsync } from '@orch/core'
import { sees, type Viewer } from '../../domain/visibility.ts'
import { chainWindow, type WindowReader } from './chain-window.ts'
import { ledgerRow, sampleRow } from './row.ts'
import { SAMPLE_CHAIN } from './sample.ts'

const CHAIN = 'governance'
const ORDER = 'newest first, by seq'

/** Of somebody else’s receipts a caller sees neither the row nor that it counts; the links of all of them are checked. */
export async function ledgerPage(reader: WindowReader, viewer: Viewer, limit: number, now: ClockNow) {
  const read = () => readPage(reader, viewer, limit)
  const { label, value, read_at } = measured(await readingAsync(`the chain ${CHAIN} of this ledger`, now, read))
  return { ...value, order: ORDER, updated_at: read_at, label }
}

async function readPage(reader: WindowReader, viewer: Viewer, limit: number) {
  const named = (chain: string) => ({ ns: viewer.namespace, chain })
  const window = await chainWindow(reader, named(CHAIN), limit)
  const samples = await chainWindow(reader, named(SAMPLE_CHAIN), limit)
  const receipts = window.rows.filter((row) => sees(viewer, row)).map(ledgerRow)
  return {
    chain_depth: window.depth,
    final_hash: window.head,
    genesis_prev: GENESIS_PREV,
    window: window.check,
    window_verified: window.check.first_break_seq === null,
    decisions_in_window: counted(receipts.map(({ decision }) => decision)),
    verticals_in_window: counted(receipts.map(({ vertical }) => vertical)),
    receipts: receipts.reverse(),
    samples: samples.rows
      .filter((row) => sees(viewer, row))
      .map(sampleRow)
      .reverse(),
  }
}

/** How often each word stands there; what states none is not counted under another’s. */
function counted(words: readonly (string | null)[]): Record<string, number> {
  const groups = Map.groupBy(
    words.filter((word) => word !== null),
    (word) => word,
  )
  return Object.fromEntries([...groups].map(([word, found]) => [word, found.length]))
}
