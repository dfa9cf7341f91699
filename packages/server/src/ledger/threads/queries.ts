/** Questions about many receipts as the reading thread answers them. All of them read by chunks and take turns: between
 *  two chunks of whatever question, look-ups that came meanwhile are answered, so none waits for a scan to end. */
import { mayGoUnsigned } from '@orch/core'
import { runFormulas } from '../../domain/formulas.ts'
import { replayPage, tailPage } from '../../domain/receipts/events.ts'
import { governancePage } from '../../domain/receipts/governance-page.ts'
import { LocalSpend } from '../../domain/receipts/local-spend.ts'
import { readDecisions } from '../../domain/receipts/newest-decisions.ts'
import { lakePageOf, newestOf, pageOf } from '../../domain/receipts/page.ts'
import { PayloadDigests } from '../../domain/receipts/payload-digests.ts'
import { searchText } from '../../domain/receipts/text-search.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { seesNamespace } from '../../domain/visibility.ts'
import type { LedgerQueries, LedgerReader } from '../contract.ts'

/** How far back a receipt that is no sample is looked for. */
const MAX_SAMPLES = 250

/** Those that need the receipts alone; what the walk knows is answered beside them. */
export function ledgerQueries(
  direct: LedgerReader,
  turn: () => Promise<void>,
  now: () => string,
): Omit<LedgerQueries, 'sessionCharge'> {
  const reader: LedgerReader = {
    ...direct,
    range: (from, limit) => turn().then(() => direct.range(from, limit)),
    chainRange: (ns, chain, from, limit) => turn().then(() => direct.chainRange(ns, chain, from, limit)),
  }
  const spend = new LocalSpend(() => reader)
  const payloads = new PayloadDigests({ reader })
  return {
    receiptPage: (viewer, request) => pageOf(reader, viewer, request),
    lakePage: (viewer, request) => lakePageOf(reader, viewer, request),
    newestReceipts: (viewer, limit, size) => newestOf(reader, viewer, limit, size),
    newestSigned: () => newestSigned(reader),
    newestDecisions: (viewer) => readDecisions(reader, viewer),
    governancePage: (viewer, limit) => governancePage(reader, viewer, limit),
    localSpend: (viewer) => spend.count((ns) => seesNamespace(viewer, ns)),
    payloadHolders: (viewer, digests) => payloads.find(viewer, digests),
    searchText: (text, from, tree) => searchText(reader, text, from, tree),
    eventReplay: (wanted, from) => replayPage(reader, wanted, from),
    eventTail: (wanted, from) => tailPage(reader, wanted, from),
    runFormulas: () => turn().then(() => runFormulas(now)),
  }
}

/** Past simulated samples, which nobody signs; if there is nothing else that near, the newest of them. */
async function newestSigned(reader: LedgerReader) {
  const { size } = await reader.head()
  const rows = (await reader.range(Math.max(0, size - MAX_SAMPLES), MAX_SAMPLES)).reverse()
  const isSample = (row: (typeof rows)[number]): boolean => {
    const body = bodyOf(row)
    return body !== null && mayGoUnsigned(body)
  }
  return rows.find((row) => row.signature !== null || !isSample(row)) ?? rows[0] ?? null
}
