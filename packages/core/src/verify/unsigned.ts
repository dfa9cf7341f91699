// Receipts of an export that carry no signature. Taking a signature off costs an attacker nothing, so a receipt without
// one is legal only where the ledger itself said so, under the key of its log, or where nothing was signed before it.
import { parseNote } from '../checkpoint.ts'
import { EMPTY_RECORD, isUnsignedAt, type LedgerRecord, parseRecord, readRecord } from './ledger-record.ts'

type Placed = { node_index: number }

/** Constant memory: of each reading of the file only the first offender is kept. */
export class UnsignedReceipts<P extends Placed> {
  /** Whether a signed receipt came before. */
  signed = false
  private stated: LedgerRecord = EMPTY_RECORD
  /** The first after a signed one, and the first that the record as stated does not declare. */
  private afterSigned: P | null = null
  private undeclared: P | null = null

  /** What the record states is read ahead of its verification and counts only if that holds. */
  begin(record: string | undefined): void {
    const note = record === undefined ? null : parseNote(record)
    this.stated = (note && parseRecord(note.text)) ?? EMPTY_RECORD
  }

  take(receipt: P): void {
    if (this.signed) this.afterSigned ??= receipt
    if (!isUnsignedAt(this.stated, receipt.node_index)) this.undeclared ??= receipt
  }

  /** The first receipt whose signature is missing; null where none is, or where nobody can tell for want of a log key. */
  async missing(record: string | undefined, logKeys: readonly string[]): Promise<P | null> {
    if (record === undefined) return this.afterSigned
    if ((await readRecord(record, logKeys)) !== null) return this.undeclared
    return logKeys.length === 0 ? null : this.afterSigned
  }
}
