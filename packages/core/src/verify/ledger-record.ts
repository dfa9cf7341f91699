// What a ledger says of itself beside its receipts, signed with the key of its log: which keys sign for it and what they
// are, and where its receipts were recorded without a signature. Whoever can edit the store controls every column beside
// the receipts; this note is what those columns are compared with. It only ever grows, so an older one that is put back
// allows less and never more.
import { type NoteSigner, parseNote, signNote, verifyNote } from '../checkpoint.ts'
import { isPosition } from './shape.ts'

export const LEDGER_RECORD_SCHEMA = 'orch.ledger-record/v1'

export type RecordedKey = {
  keyid: string
  kind: 'demo' | 'production'
  from_index: number
  to_index: number | null
  /** Empty for a key that came with an import, which does not say since when it was in use. */
  from: string
  to: string | null
}
/** From the first index to one before the last. */
export type UnsignedSpan = { from: number; to: number }
export type LedgerRecord = { keys: readonly RecordedKey[]; unsigned: readonly UnsignedSpan[] }

export const EMPTY_RECORD: LedgerRecord = Object.freeze({ keys: Object.freeze([]), unsigned: Object.freeze([]) })

const orDash = (value: string | number | null): string => (value === null || value === '' ? '-' : String(value))

/** The second line is the name of the log, where a checkpoint has its size: neither can be taken for the other. */
export function signRecord({ keys, unsigned }: LedgerRecord, signer: NoteSigner): Promise<string> {
  const lines = [
    ...keys.map(({ keyid, kind, from_index, to_index, from, to }) =>
      ['key', keyid, kind, from_index, orDash(to_index), orDash(from), orDash(to)].join(' '),
    ),
    ...unsigned.map(({ from, to }) => `unsigned ${from} ${to}`),
  ]
  return signNote(`${[LEDGER_RECORD_SCHEMA, `log ${signer.name}`, ...lines].join('\n')}\n`, signer)
}

/** Null unless one of the keys signed it; what an unsigned or foreign one says is not to be read. */
export async function readRecord(note: unknown, vkeys: readonly string[]): Promise<LedgerRecord | null> {
  const text = typeof note === 'string' ? await verifyNote(note, vkeys) : null
  return text === null ? null : parseRecord(text)
}

/** Of the text of a note, whoever signed it. */
export function parseRecord(text: string): LedgerRecord | null {
  const [schema, log, ...lines] = text.slice(0, -1).split('\n')
  if (schema !== LEDGER_RECORD_SCHEMA || !log?.startsWith('log ')) return null
  const keys = lines.filter((line) => line.startsWith('key ')).map(readKey)
  const unsigned = lines.filter((line) => line.startsWith('unsigned ')).map(readSpan)
  if (keys.length + unsigned.length !== lines.length || keys.includes(null) || unsigned.includes(null)) return null
  return { keys: keys as RecordedKey[], unsigned: unsigned as UnsignedSpan[] }
}

const KEY_LINE =
  /^key ([0-9a-f]{64}) (demo|production) (\d{1,16}) (-|\d{1,16}) (-|[0-9TZ:.-]{20,30}) (-|[0-9TZ:.-]{20,30})$/

function readKey(line: string): RecordedKey | null {
  const match = KEY_LINE.exec(line)
  if (!match) return null
  const [, keyid, kind, from_index, to_index, from, to] = match as unknown as [
    string,
    string,
    RecordedKey['kind'],
    ...string[],
  ]
  return {
    keyid,
    kind,
    from_index: Number(from_index),
    to_index: to_index === '-' ? null : Number(to_index),
    from: from === '-' ? '' : (from as string),
    to: to === '-' ? null : (to as string),
  }
}

function readSpan(line: string): UnsignedSpan | null {
  const match = /^unsigned (\d{1,16}) (\d{1,16})$/.exec(line)
  const [from, to] = [Number(match?.[1]), Number(match?.[2])]
  return isPosition(from) && isPosition(to) && from < to ? { from, to } : null
}

/** Adds a span that begins where nothing is said yet; one that continues the last becomes part of it. */
export function withUnsigned(record: LedgerRecord, span: UnsignedSpan): LedgerRecord {
  const last = record.unsigned.at(-1)
  if (last === undefined || last.to < span.from) return { ...record, unsigned: [...record.unsigned, span] }
  const joined = { from: Math.min(last.from, span.from), to: Math.max(last.to, span.to) }
  return { ...record, unsigned: [...record.unsigned.slice(0, -1), joined] }
}

/** Adds a key, or puts what changed of it in its place. */
export const withKey = (record: LedgerRecord, key: RecordedKey): LedgerRecord => ({
  ...record,
  keys: record.keys.some(({ keyid }) => keyid === key.keyid)
    ? record.keys.map((one) => (one.keyid === key.keyid ? key : one))
    : [...record.keys, key],
})

export const isUnsignedAt = ({ unsigned }: LedgerRecord, index: number): boolean =>
  unsigned.some(({ from, to }) => from <= index && index < to)

type Placed = { node_index: number }

/** Receipts of an export that carry no signature. Taking a signature off costs an attacker nothing, so a receipt without
 *  one is legal only where the ledger itself said so, under the key of its log, or where nothing was signed before it.
 *  Constant memory: of each reading of the file only the first offender is remembered. */
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
