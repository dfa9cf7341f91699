/** The record the ledger keeps of itself: its keys and where its receipts are unsigned, in a note signed with the log key.
 *  Whoever can edit the store can edit this note too, but not sign it: what it says counts, what stands beside it in
 *  columns is compared with it. */
import {
  EMPTY_RECORD,
  importPublicKey,
  type LedgerRecord,
  type NoteSigner,
  type RecordedKey,
  readRecord,
  signRecord,
} from '@orch/core'
import type { AuditBreak, KeyRow, Row } from '../contract.ts'
import type { LedgerStore } from '../store/store.ts'
import { type SignatureFinding, Signatures } from './signatures.ts'
import { NOWHERE } from './walk.ts'

export const RECORD_META = 'ledger_record'

export const NO_RECORD =
  'what the ledger says of its keys and its unsigned receipts is missing or was not signed by this log (row ledger_record of table meta); restore the store from a copy'

/** Remembers the newest note it verified: the note changes seldom and is asked for often. */
export function recordReader(
  meta: (name: string) => Promise<string | null>,
  vkey: string,
): () => Promise<LedgerRecord | null> {
  let known: { note: string; record: LedgerRecord | null } | null = null
  return async () => {
    const note = await meta(RECORD_META)
    if (note === null) return null
    if (known?.note !== note) known = { note, record: await readRecord(note, [vkey]) }
    return known.record
  }
}

export type OwnRecord = ReturnType<typeof ownRecord>

export function ownRecord(
  store: Pick<LedgerStore, 'meta' | 'putMeta'>,
  { vkey, signer }: { vkey: string; signer: NoteSigner },
) {
  const read = recordReader((name) => store.meta(name), vkey)
  /** Of a ledger that begins here, or that came here without the key of its log. */
  const begin = async (record: LedgerRecord = EMPTY_RECORD): Promise<void> =>
    store.putMeta(RECORD_META, await signRecord(record, signer))
  /** Call under the lock of the head: another node may have changed it, and it commits with what it is about. */
  const change = async (next: (record: LedgerRecord) => LedgerRecord): Promise<void> => {
    const record = await read()
    if (record === null) throw new Error(NO_RECORD)
    await begin(next(record))
  }
  return { read, begin, change }
}

export const recordedKey = ({ keyid, kind, fromIndex, toIndex, from, to }: KeyRow): RecordedKey => ({
  keyid,
  kind,
  from_index: fromIndex,
  to_index: toIndex,
  from,
  to,
})

const FIELDS = ['kind', 'from_index', 'to_index', 'from', 'to'] as const

/** The first difference between the ring in the store and the one that was signed, as a sentence. */
export function ringFault(ring: readonly KeyRow[], { keys }: LedgerRecord): string | null {
  const known = new Map(keys.map((key) => [key.keyid, key]))
  for (const row of ring) {
    const [stored, signed] = [recordedKey(row), known.get(row.keyid)]
    if (signed === undefined) return `the store holds a key ${row.keyid} that this ledger never took into use`
    if (importPublicKey(new Uint8Array(row.spki))?.keyid !== row.keyid)
      return `the key stored as ${row.keyid} is not the one of this id`
    const field = FIELDS.find((name) => stored[name] !== signed[name])
    if (field !== undefined)
      return `the store says ${field} ${stored[field]} of the key ${row.keyid}, and this ledger recorded ${signed[field]}`
    known.delete(row.keyid)
  }
  const [missing] = known.keys()
  return missing === undefined ? null : `the key ${missing} of this ledger is missing from the store`
}

interface Ring {
  keys: KeyRow[]
  record: LedgerRecord | null
}

const MAX_TRIES = 5

/** Ring and record of one moment. They change together, so what was read between two equal records belongs to them. */
export async function steadyRing(
  keys: () => Promise<KeyRow[]>,
  read: () => Promise<LedgerRecord | null>,
): Promise<Ring> {
  let record = await read()
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = await keys()
    const after = await read()
    if (after === record) return { keys: found, record }
    record = after
  }
  throw new Error('the ring of keys changes faster than it can be read')
}

export const ringBreak = (sentence: string): AuditBreak => ({ ...NOWHERE, reason: 'ring_mismatch', sentence })

/** The ring of keys as the walks see it: with the record that the log key signed, and never without it. */
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
