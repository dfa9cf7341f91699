/** The whole ledger as lines, in log order and in constant memory. */

import { footerLine, headerLine, hexEncode, parseVkey, pemEncode, receiptLine, replays } from '@orch/core'
import { ReceiptAltered } from '../errors.ts'
import { RECORD_META } from './audit/own-record.ts'
import type { LedgerReader, Row } from './contract.ts'
import { rootAt } from './tail.ts'

const CHUNK = 500

/** Up to the size the ledger has when the export begins; what is appended meanwhile belongs to the next one. */
export async function* exportLines(reader: LedgerReader): AsyncGenerator<string> {
  const checkpoint = await reader.checkpoint()
  // A checkpoint of exactly this size lets a reader tie the whole export to one signature.
  const size = checkpoint?.size ?? (await reader.head()).size
  const root = await rootHexAt(reader, size)
  yield await exportHeader(reader, size, root, checkpoint?.note ?? null)
  for await (const row of rowsBetween(reader, 0, size)) yield receiptLine(exported(row))
  yield footerLine({ count: size, root })
}

/** Which ledger this is, how large, and the keys its signatures name. */
export async function exportHeader(
  reader: LedgerReader,
  size: number,
  root: string,
  checkpoint: string | null,
): Promise<string> {
  const keys = (await reader.keys()).map(({ keyid, kind, spki }) => ({
    keyid,
    kind,
    pem: pemEncode(spki, 'PUBLIC KEY'),
  }))
  const vkey = await reader.meta('log_vkey')
  // An imported ledger keeps the name of its log; it has no key for it until a service takes it over.
  const origin = vkey === null ? await reader.meta('log_origin') : parseVkey(vkey)!.name
  if (origin === null) throw new Error('there is no ledger here')
  const record = await reader.meta(RECORD_META)
  return headerLine({ origin, size, root, checkpoint, keys, ...(record === null ? {} : { record }) })
}

export const rootHexAt = async (reader: LedgerReader, size: number): Promise<string> =>
  hexEncode(await rootAt(reader, size))

export const exported = (row: Row) => ({
  node_index: row.nodeIndex,
  body: row.body,
  signature: row.signature,
  keyid: row.signature === null ? null : row.keyid,
  lake: row.lake,
})

export async function* rowsBetween(reader: LedgerReader, from: number, to: number): AsyncGenerator<Row> {
  for (let at = from; at < to; ) {
    const rows = await reader.range(at, Math.min(CHUNK, to - at))
    if (rows.length === 0) throw new Error(`receipt ${at} is missing`)
    yield* rows
    at += rows.length
  }
}

/** A reader that stops at bytes which are not those of their digest: an export cut short there has no footer, so nobody
 *  takes it for the whole ledger. */
export const replayedRows = (reader: LedgerReader): LedgerReader => ({
  ...reader,
  async range(from, limit) {
    const rows = await reader.range(from, limit)
    const altered = rows.find((row) => !replays(row.body, row.digest))
    if (altered !== undefined) throw new ReceiptAltered(altered.nodeIndex)
    return rows
  },
})
