/** Reads a ledger export into an empty store. Whoever wrote the file controls every line of it: what does not hold is
 *  refused with its line before anything of it is placed. */

import type { FileHandle } from 'node:fs/promises'
import {
  ChainWalker,
  describeBreak,
  type ExportedKey,
  hexEncode,
  importPublicKey,
  isFooterLine,
  type LedgerExportHeader,
  type LedgerExportReceipt,
  type PublicKey,
  parseCheckpoint,
  parseNote,
  readFooterLine,
  readHeaderLine,
  readReceiptLine,
  verifyNote,
} from '@orch/core'
import { rootHex } from '../batch.ts'
import type { KeyRow } from '../contract.ts'
import { Importer } from '../import.ts'
import { declaredBy } from '../store/snapshots.ts'
import type { LedgerStore } from '../store/store.ts'
import { ImportedBudgets } from './imported-budgets.ts'

/** The receipts do not hold, as against a store or a file that cannot be used. */
export class BrokenLedger extends Error {}

const brokenLine = (line: number, sentence: string) => new BrokenLedger(`line ${line}: ${sentence}`)

export interface Imported {
  size: number
  root: string
  signed: number
  unsigned: number
  /** Whether a given key of the log signed the checkpoint and the record of the file; null where none was given. */
  log_verified: boolean | null
}

export async function importExport(
  store: LedgerStore,
  file: FileHandle,
  logKeys: readonly string[],
  onProgress: (done: number, total: number) => void,
): Promise<Imported> {
  let open: Awaited<ReturnType<typeof openImport>> | null = null
  let end: { line: number; text: string } | null = null
  let at = 0
  // Lines are lost unless somebody waits for them from the beginning on.
  for await (const text of file.readLines()) {
    at += 1
    if (end !== null) throw brokenLine(at, 'the export ended before this line')
    if (open === null) open = await openImport(store, text, logKeys)
    else if (isFooterLine(text)) end = { line: at, text }
    else onProgress(await open.take(at, text), open.header.size)
  }
  if (open === null || end === null) throw brokenLine(at, 'the file is cut short: it has no closing line')
  return open.finish(end)
}

/** One file on its way into a store. */
async function openImport(store: LedgerStore, headerText: string, logKeys: readonly string[]) {
  const header = readHeaderLine(headerText)
  if (header === null) throw brokenLine(1, 'the file does not begin with the header of a ledger export')
  const log_verified = await verifiedBy(header, logKeys)
  const keys = header.keys.map(keyFrom)
  const terms = { keys: publicKeys(keys), declared: declaredBy(header.record) }
  const importer = await Importer.begin(store, terms)
  for (const key of keys) await store.putKey(key)
  await store.putMeta('log_origin', header.origin)
  const walker = new ChainWalker()
  const budgets = new ImportedBudgets()
  const noted = notedCheckpoint(header)
  let signed = 0
  return {
    header,
    /** Gives how many receipts were taken so far. */
    async take(line: number, text: string): Promise<number> {
      const receipt = receiptAt(line, text, walker)
      await importer.push(receipt).catch((error: Error) => {
        throw brokenLine(line, error.message)
      })
      budgets.note(receipt)
      if (receipt.signature !== null) signed += 1
      if (noted?.size === receipt.node_index + 1 && hexEncode(noted.root) !== walker.finish().root)
        throw brokenLine(1, `the first ${noted.size} receipts do not have the root that its checkpoint states`)
      return importer.size
    },
    async finish(end: { line: number; text: string }): Promise<Imported> {
      const footer = readFooterLine(end.text)
      const { root } = walker.finish()
      const { size } = importer
      if (footer === null || footer.count !== size || footer.root !== root || header.root !== root)
        throw brokenLine(end.line, `the ${size} receipts before it do not add up to the root that the file states`)
      if ((noted?.size ?? 0) > size)
        throw brokenLine(1, 'the checkpoint of the file covers more receipts than the file has')
      await importer.flush()
      await budgets.write(store)
      await importer.finish()
      return { size, root: rootHex(importer.current), signed, unsigned: size - signed, log_verified }
    },
  }
}

const notedCheckpoint = ({ checkpoint }: LedgerExportHeader) => {
  const note = checkpoint === null ? null : parseNote(checkpoint)
  return note === null ? null : parseCheckpoint(note.text)
}

/** By the keys of logs that the reader pinned: whatever the file brings along proves nothing about itself. */
async function verifiedBy(header: LedgerExportHeader, logKeys: readonly string[]): Promise<boolean | null> {
  const notes = [header.checkpoint, header.record].filter((note) => typeof note === 'string')
  const ofThisLog = logKeys.filter((vkey) => vkey.startsWith(`${header.origin}+`))
  if (ofThisLog.length === 0 || notes.length === 0) return null
  for (const note of notes)
    if ((await verifyNote(note, ofThisLog)) === null)
      throw brokenLine(1, 'its checkpoint or its record was not signed by the pinned key of its log')
  return true
}

export const publicKeys = (rows: readonly KeyRow[]): Map<string, PublicKey> =>
  new Map(rows.flatMap(({ keyid, spki }) => [[keyid, importPublicKey(new Uint8Array(spki))!] as const]))

/** Walked here with the verifier's own words; the importer holds what it places to the same rules once more. */
function receiptAt(line: number, text: string, walker: ChainWalker): LedgerExportReceipt {
  const receipt = readReceiptLine(text)
  if (receipt === null) throw brokenLine(line, 'this is no receipt of a ledger export')
  const { node_index, body, lake } = receipt
  const fault = walker.push({ node_index, body, lake })
  if (fault !== null) throw brokenLine(line, describeBreak(fault))
  return receipt
}

/** What the file calls the key is not taken over: a key that did not come into use here is a demo key until the operator
 *  of this ledger says otherwise. */
export function keyFrom({ keyid, pem }: ExportedKey): KeyRow {
  const key = importPublicKey(pem)
  if (key === null || key.keyid !== keyid)
    throw new BrokenLedger(`the key ${keyid} of the export is not what its id says`)
  return {
    keyid,
    spki: key.spki,
    kind: 'demo',
    fromIndex: 0,
    toIndex: null,
    from: '',
    to: null,
  }
}
