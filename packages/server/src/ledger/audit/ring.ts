/** The ring of keys as the walks see it: with the record that the log key signed, and never without it. */
import { EMPTY_RECORD, type LedgerRecord } from '@orch/core'
import type { AuditBreak, KeyRow, Row } from '../contract.ts'
import { NO_RECORD, type Ring, ringFault, steadyRing } from './own-record.ts'
import { type SignatureFinding, Signatures } from './signatures.ts'
import { NOWHERE } from './walk.ts'

export const ringBreak = (sentence: string): AuditBreak => ({ ...NOWHERE, reason: 'ring_mismatch', sentence })

export class AuditRing {
  private readonly keys: () => Promise<KeyRow[]>
  private readonly record: () => Promise<LedgerRecord | null>
  private judged: { ring: Ring; signatures: Signatures } | null = null

  /** `record` is what the ledger says of itself, null where the log key did not sign it. */
  constructor(keys: () => Promise<KeyRow[]>, record: () => Promise<LedgerRecord | null>) {
    this.keys = keys
    this.record = record
  }

  async fault(): Promise<AuditBreak | null> {
    const { record, keys } = await this.read()
    const sentence = record === null ? NO_RECORD : ringFault(keys, record)
    return sentence === null ? null : ringBreak(sentence)
  }

  /** From `verifiedFrom` on each signature is verified; before, only that there is one where there has to be. */
  async signatures(verifiedFrom: number): Promise<(row: Row) => SignatureFinding> {
    const ring = await this.read()
    // A ring that does not bear out its record is told by the comparison; here the newest one is enough.
    if (this.judged === null || this.judged.ring.record !== ring.record)
      this.judged = { ring, signatures: new Signatures(ring.record ?? EMPTY_RECORD, ring.keys) }
    const { signatures } = this.judged
    return (row) => signatures.of(row, row.nodeIndex >= verifiedFrom)
  }

  private read(): Promise<Ring> {
    return steadyRing(this.keys, this.record)
  }
}
