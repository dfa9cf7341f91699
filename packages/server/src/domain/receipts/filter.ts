/** What a list or a stream of receipts can be narrowed by. Time is a property of a row and never its order. */
import type { ReceiptRow } from './row.ts'

export interface ReceiptFilter {
  chain?: string
  kind?: string
  decision?: string
  since?: string
  until?: string
  agent?: string
  tool?: string
  gate?: string
  session?: string
  signed?: 'true' | 'false' | 'demo' | 'production' | 'unsigned'
  policy?: string
  q?: string
}

const TESTS: { [K in keyof ReceiptFilter]-?: (row: ReceiptRow, wanted: NonNullable<ReceiptFilter[K]>) => boolean } = {
  // Which chain is meant depends on who asks, so it is settled before any row is read.
  chain: () => true,
  kind: (row, wanted) => row.kind === wanted,
  decision: (row, wanted) => row.decision === wanted,
  since: (row, wanted) => row.ts_utc !== null && row.ts_utc >= wanted,
  until: (row, wanted) => row.ts_utc !== null && row.ts_utc < wanted,
  agent: (row, wanted) => row.agent === wanted,
  tool: (row, wanted) => row.tool === wanted,
  gate: (row, wanted) => row.gates_fired.includes(wanted),
  session: (row, wanted) => row.session === wanted,
  signed: (row, wanted) => isSigned(row, wanted),
  policy: (row, wanted) => row.policy_digest === wanted || row.rules_digest === wanted,
  q: (row, wanted) => row.digest.startsWith(wanted),
}

function isSigned({ signed, key_kind }: ReceiptRow, wanted: NonNullable<ReceiptFilter['signed']>): boolean {
  if (wanted === 'true') return signed
  if (wanted === 'false' || wanted === 'unsigned') return !signed
  return signed && key_kind === wanted
}

export function matcher(filter: ReceiptFilter): (row: ReceiptRow) => boolean {
  const names = (Object.keys(TESTS) as (keyof ReceiptFilter)[]).filter((name) => filter[name] !== undefined)
  return (row) =>
    names.every((name) => (TESTS[name] as (row: ReceiptRow, wanted: unknown) => boolean)(row, filter[name]))
}

/** Narrowed by nothing, or by the chain alone: then the ledger itself knows how many there are. */
export const narrowsByChainOnly = (filter: ReceiptFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => name === 'chain' || wanted === undefined)
