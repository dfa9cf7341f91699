/** Verifies stored receipts by what this ledger signed about itself: whoever can write to the store can take a signature
 *  off, or put a key of his own into the ring, and neither counts. What was recorded without a signature could be rewritten
 *  by him, so it counts as far as the tree has it. */
import { importPublicKey, isUnsignedAt, type PublicKey, type RecordedKey, readRecord, sha256Hex } from '@orch/core'
import type { CheckReceipt, LedgerReader, Row } from '../ledger/contract.ts'
import type { Ledger } from '../ports.ts'
import { isInTree, treeHolding } from './ledger-tree.ts'
import { receiptPae } from './receipt-view.ts'
import { type VerifiedSignatures, verifiedSignatures } from './verified-signatures.ts'

const RECORD = 'ledger_record'
const NO_RECORD =
  'what the ledger says of its keys is missing or was not signed by this log (row ledger_record of table meta)'

export type CheckedLedger = Pick<Ledger, 'vkey' | 'reportBreak' | 'state'>

interface Trust {
  keys: Map<string, { key: PublicKey; used: RecordedKey }>
  isUnsigned(index: number): boolean
}

/** What was read is used until a receipt does not hold by it: only then it may be out of date. */
export function receiptChecks(
  ledger: CheckedLedger,
  reader: LedgerReader,
  verified = verifiedSignatures,
): CheckReceipt {
  let known: Promise<Trust> | null = null
  const current = () => {
    known ??= trustOf(ledger, reader)
    return known
  }
  return async (row) => {
    const digest = sha256Hex(row.body)
    const signature = async () => signatureOf(row, digest, await current().catch(forget), verified)
    let found = await signature()
    if (found === false) {
      known = null
      found = await signature()
    }
    return { digest, signature: found === null && !(await isRecorded(row)) ? false : found }
  }

  async function isRecorded(row: Row): Promise<boolean> {
    return isInTree(reader, await treeHolding(ledger.state(), reader, row.nodeIndex), row)
  }

  function forget(error: unknown): never {
    known = null
    throw error
  }
}

function signatureOf(
  row: Row,
  digest: string,
  { keys, isUnsigned }: Trust,
  verified: VerifiedSignatures,
): boolean | null {
  if (row.signature === null) return isUnsigned(row.nodeIndex) ? null : false
  const found = row.keyid === null ? undefined : keys.get(row.keyid)
  if (found === undefined || !isInUse(found.used, row.nodeIndex)) return false
  return verified.holds(found.key, digest, () => receiptPae(row), row.signature)
}

const isInUse = (used: RecordedKey, index: number): boolean =>
  used.from_index <= index && (used.to_index === null || index < used.to_index)

/** Every ledger has a signed note about itself from its first start on. One whose note is gone, or was not signed by this
 *  log, was edited: nothing in it is believed, and nothing is appended to it. */
async function trustOf(ledger: CheckedLedger, reader: LedgerReader): Promise<Trust> {
  const [ring, note] = await Promise.all([reader.keys(), reader.meta(RECORD)])
  const record = note === null ? null : await readRecord(note, [ledger.vkey])
  if (record === null) {
    ledger.reportBreak(NO_RECORD)
    return { keys: new Map(), isUnsigned: () => false }
  }
  const recorded = new Map(record.keys.map((key) => [key.keyid, key]))
  const keys: Trust['keys'] = new Map()
  for (const { spki } of ring) {
    const key = importPublicKey(new Uint8Array(spki))
    const used = key === null ? undefined : recorded.get(key.keyid)
    if (key !== null && used !== undefined) keys.set(key.keyid, { key, used })
  }
  return { keys, isUnsigned: (index) => isUnsignedAt(record, index) }
}
