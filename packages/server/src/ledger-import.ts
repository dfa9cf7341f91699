/** Reads a ledger export into an empty store. Whoever wrote the file controls every line of it: what does not hold is
 *  refused with its line before anything of it is placed. */

import type { FileHandle } from 'node:fs/promises'
import {
  ChainWalker,
  describeBreak,
  type ExportedKey,
  importPublicKey,
  isFooterLine,
  type LedgerExportHeader,
  readFooterLine,
  readHeaderLine,
  readReceiptLine,
} from '@orch/core'
import { Importer } from './ledger/import.ts'
import { rootHex } from './ledger/sequencer.ts'
import type { LedgerStore } from './ledger/store.ts'
import type { KeyRow } from './ledger-contract.ts'

/** The receipts do not hold, as against a store or a file that cannot be used. */
export class BrokenLedger extends Error {}

const brokenLine = (line: number, sentence: string) => new BrokenLedger(`line ${line}: ${sentence}`)

export async function importExport(
  store: LedgerStore,
  file: FileHandle,
  onProgress: (done: number, total: number) => void,
): Promise<{ size: number; root: string }> {
  const importer = new Importer(store, await store.head())
  const walker = new ChainWalker()
  let header: LedgerExportHeader | null = null
  let end: { line: number; text: string } | null = null
  let at = 0
  // Lines are lost unless somebody waits for them from the beginning on.
  for await (const text of file.readLines()) {
    at += 1
    if (end !== null) throw brokenLine(at, 'the export ended before this line')
    if (header === null) header = await begin(store, text)
    else if (isFooterLine(text)) end = { line: at, text }
    else {
      await importer.push(receiptAt(at, text, walker))
      onProgress(importer.size, header.size)
    }
  }
  if (header === null || end === null) throw brokenLine(at, 'the file is cut short: it has no closing line')
  const footer = readFooterLine(end.text)
  const { root } = walker.finish()
  const { size } = importer
  if (footer === null || footer.count !== size || footer.root !== root || header.root !== root)
    throw brokenLine(end.line, `the ${size} receipts before it do not add up to the root that the file states`)
  await importer.flush()
  return { size, root: rootHex(importer.current) }
}

async function begin(store: LedgerStore, text: string): Promise<LedgerExportHeader> {
  const header = readHeaderLine(text)
  if (header === null) throw brokenLine(1, 'the file does not begin with the header of a ledger export')
  for (const key of header.keys) await store.putKey(keyFrom(key))
  await store.putMeta('log_origin', header.origin)
  return header
}

/** Walked here with the verifier’s own words; the importer holds what it places to the same rules once more. */
function receiptAt(line: number, text: string, walker: ChainWalker) {
  const receipt = readReceiptLine(text)
  if (receipt === null) throw brokenLine(line, 'this is no receipt of a ledger export')
  const { node_index, body, lake } = receipt
  const fault = walker.push({ node_index, body, lake })
  if (fault !== null) throw brokenLine(line, describeBreak(fault))
  return receipt
}

export function keyFrom({ keyid, kind, pem }: ExportedKey): KeyRow {
  const key = importPublicKey(pem)
  if (key === null || key.keyid !== keyid)
    throw new BrokenLedger(`the key ${keyid} of the export is not what its id says`)
  return {
    keyid,
    spki: key.spki,
    kind: kind === 'production' ? 'production' : 'demo',
    fromIndex: 0,
    toIndex: null,
    from: '',
    to: null,
  }
}
