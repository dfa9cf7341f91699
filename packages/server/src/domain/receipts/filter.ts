/** What a list or a stream of receipts can be narrowed by. Time is a property of a row and never its order. */
import { explainAll, sha256Hex } from '@orch/core'
import type { ReceiptRow } from './row.ts'

export interface ReceiptFilter {
  chain?: string
  /** One kind, or any of several. */
  kind?: string | readonly string[]
  decision?: string
  since?: string
  until?: string
  owner?: string
  agent?: string
  tool?: string
  gate?: string
  session?: string
  signed?: 'true' | 'false' | 'demo' | 'production' | 'unsigned'
  policy?: string
  q?: string
}

type Test = (row: ReceiptRow) => boolean

/** Made once per filter, asked of every row. */
const TESTS: { [K in keyof ReceiptFilter]-?: (wanted: NonNullable<ReceiptFilter[K]>) => Test } = {
  // Which chain is meant depends on who asks, so it is settled before any row is read.
  chain: () => () => true,
  kind(wanted) {
    const kinds: readonly string[] = typeof wanted === 'string' ? [wanted] : wanted
    return (row) => row.kind !== null && kinds.includes(row.kind)
  },
  decision: (wanted) => (row) => row.decision === wanted,
  since: (wanted) => (row) => row.ts_utc !== null && row.ts_utc >= wanted,
  until: (wanted) => (row) => row.ts_utc !== null && row.ts_utc < wanted,
  owner: (wanted) => (row) => row.owner === wanted,
  agent(wanted) {
    const name = wanted.toLowerCase()
    return (row) => row.agent?.toLowerCase() === name
  },
  // Receipts hold the digest of a session's name, and of a tool's that is not registered: whoever has only the receipt
  // asks by the digest.
  tool(wanted) {
    const digest = sha256Hex(wanted)
    return (row) => row.tool === wanted || row.tool_sha256 === digest || row.tool_sha256 === wanted
  },
  gate: (wanted) => (row) => row.gates_fired.includes(wanted),
  session(wanted) {
    const digest = sha256Hex(wanted)
    return (row) => row.session_sha256 === digest || row.session_sha256 === wanted
  },
  signed: (wanted) => (row) => isSigned(row, wanted),
  policy: (wanted) => (row) => row.policy_digest === wanted || row.rules_digest === wanted,
  q(wanted) {
    const words = wanted
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    return (row) => row.digest.startsWith(wanted.trim()) || holdsWords(row, words)
  },
}

/** Every word stands somewhere in what a reader of the row sees: its names and the titles of its reasons and rules. */
function holdsWords(row: ReceiptRow, words: readonly string[]): boolean {
  const codes = [...row.reasons, ...row.rules]
  const titles = explainAll(codes).map(({ title }) => title)
  const shown = [row.agent, row.tool, row.owner, row.kind, row.chain, ...codes, ...titles].join(' ').toLowerCase()
  return words.length > 0 && words.every((word) => shown.includes(word))
}

function isSigned({ signed, key_kind }: ReceiptRow, wanted: NonNullable<ReceiptFilter['signed']>): boolean {
  if (wanted === 'true') return signed
  if (wanted === 'false' || wanted === 'unsigned') return !signed
  return signed && key_kind === wanted
}

export function matcher(filter: ReceiptFilter): Test {
  const names = (Object.keys(TESTS) as (keyof ReceiptFilter)[]).filter((name) => filter[name] !== undefined)
  const tests = names.map((name) => (TESTS[name] as (wanted: unknown) => Test)(filter[name]))
  return (row) => tests.every((test) => test(row))
}

/** Narrowed by nothing, or by the chain alone: then the ledger itself knows how many there are. */
export const narrowsByChainOnly = (filter: ReceiptFilter): boolean =>
  Object.entries(filter).every(([name, wanted]) => name === 'chain' || wanted === undefined)
