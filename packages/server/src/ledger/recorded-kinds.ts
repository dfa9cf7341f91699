/** What the keys of a ledger are by its own signed record. The store has columns for it, which whoever can edit the store
 *  can edit; nothing that leaves this process is taken from there, and a key that the record does not know is not served. */
import { importPublicKey } from '@orch/core'
import { changingRows } from './audit/known-breaks.ts'
import { NO_RECORD, recordReader, ringFault, steadyRing } from './audit/own-record.ts'
import type { KeyKind, KeyRow, LedgerReader, Row } from './contract.ts'

/** The reader with the keys as the ledger recorded them; `onFault` hears of keys that the record does not bear out. */
export function withRecordedKinds(
  reader: LedgerReader,
  vkey: string,
  onFault: (sentence: string) => void,
): LedgerReader {
  const read = recordReader((name) => reader.meta(name), vkey)
  let kinds = new Map<string, KeyKind>()
  const learn = async (rows: readonly Row[]): Promise<void> => {
    if (rows.every(({ keyid }) => keyid === null || kinds.has(keyid))) return
    const record = await read()
    if (record !== null) kinds = new Map(record.keys.map(({ keyid, kind }) => [keyid, kind]))
  }
  const withKinds = changingRows(reader, async (rows) => {
    await learn(rows)
    // A key that the record does not know is worth no more than a demo key.
    return rows.map((row) => (row.keyid === null ? row : { ...row, keyKind: kinds.get(row.keyid) ?? 'demo' }))
  })
  const keys = async (): Promise<KeyRow[]> => {
    const { keys: ring, record } = await steadyRing(() => reader.keys(), read)
    const fault = record === null ? NO_RECORD : ringFault(ring, record)
    if (fault !== null) onFault(fault)
    const recorded = new Map(record?.keys.map((key) => [key.keyid, key]))
    return ring.flatMap(({ keyid, spki }) => {
      const known = recorded.get(keyid)
      if (known === undefined || importPublicKey(new Uint8Array(spki))?.keyid !== keyid) return []
      const { kind, from_index: fromIndex, to_index: toIndex, from, to } = known
      return [{ keyid, spki, kind, fromIndex, toIndex, from, to }]
    })
  }
  return { ...withKinds, keys }
}
