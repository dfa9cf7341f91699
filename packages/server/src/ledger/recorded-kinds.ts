/** What the keys of a ledger are by its own signed record. The store has columns for it, which whoever can edit the store
 *  can edit; nothing that leaves this process is taken from there, and a key that the record does not know is not served. */
import { importPublicKey } from '@orch/core'
import { NO_RECORD, recordReader, ringFault, steadyRing } from './audit/own-record.ts'
import type { KeyKind, KeyRow, LedgerReader, Row } from './contract.ts'

class RecordedKinds {
  private readonly read: ReturnType<typeof recordReader>
  private kinds = new Map<string, KeyKind>()

  constructor(reader: Pick<LedgerReader, 'meta'>, vkey: string) {
    this.read = recordReader((name) => reader.meta(name), vkey)
  }

  async ofRows(rows: readonly Row[]): Promise<Row[]> {
    await this.learn(rows.flatMap(({ keyid }) => keyid ?? []))
    return rows.map((row) => (row.keyid === null ? row : { ...row, keyKind: this.kindOf(row.keyid) }))
  }

  async ofRow(row: Row | null): Promise<Row | null> {
    return row === null ? null : (await this.ofRows([row]))[0]!
  }

  /** The ring as far as the record bears it out; `onFault` hears of the rest. */
  async ofRing(ring: () => Promise<KeyRow[]>, onFault: (sentence: string) => void): Promise<KeyRow[]> {
    const { keys, record } = await steadyRing(ring, this.read)
    const fault = record === null ? NO_RECORD : ringFault(keys, record)
    if (fault !== null) onFault(fault)
    const recorded = new Map(record?.keys.map((key) => [key.keyid, key]))
    return keys.flatMap(({ keyid, spki }) => {
      const known = recorded.get(keyid)
      if (known === undefined || importPublicKey(new Uint8Array(spki))?.keyid !== keyid) return []
      const { kind, from_index: fromIndex, to_index: toIndex, from, to } = known
      return [{ keyid, spki, kind, fromIndex, toIndex, from, to }]
    })
  }

  /** A key that the record does not know is worth no more than a demo key. */
  private kindOf(keyid: string): KeyKind {
    return this.kinds.get(keyid) ?? 'demo'
  }

  private async learn(keyids: readonly string[]): Promise<void> {
    if (keyids.every((keyid) => this.kinds.has(keyid))) return
    const record = await this.read()
    if (record !== null) this.kinds = new Map(record.keys.map(({ keyid, kind }) => [keyid, kind]))
  }
}

/** The reader with the keys as the ledger recorded them. */
export function withRecordedKinds(
  reader: LedgerReader,
  vkey: string,
  onFault: (sentence: string) => void,
): LedgerReader {
  const kinds = new RecordedKinds(reader, vkey)
  return {
    ...reader,
    byIndex: async (index) => kinds.ofRow(await reader.byIndex(index)),
    byDigest: async (digest) => kinds.ofRow(await reader.byDigest(digest)),
    bySeq: async (ns, chain, seq) => kinds.ofRow(await reader.bySeq(ns, chain, seq)),
    range: async (from, limit) => kinds.ofRows(await reader.range(from, limit)),
    chainRange: async (ns, chain, fromSeq, limit) => kinds.ofRows(await reader.chainRange(ns, chain, fromSeq, limit)),
    keys: () => kinds.ofRing(() => reader.keys(), onFault),
  }
}
