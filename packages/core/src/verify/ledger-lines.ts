// The ledger export: a header, one line per receipt in log order, a footer, each line canonical JSON. Every export has
// exactly one spelling, so a line is compared with what it should be and not interpreted.
import { canonicalizePortable } from '../canonical.ts'
import { base64Decode, base64Encode } from '../encoding.ts'
import { strictJsonOrNull } from '../json.ts'
import { canonicalOrNull, type Fields, fieldFault, isHex64, isPosition, isRecord } from './shape.ts'

export const LEDGER_EXPORT_SCHEMA = 'orch.ledger-export/v1'
export const LEDGER_EXPORT_END_SCHEMA = 'orch.ledger-export-end/v1'

/** Keys travel along so that a reader can compare fingerprints. The verifier never uses them. */
export type ExportedKey = { keyid: string; kind: string; pem: string }
export type LedgerExportHeader = {
  schema: typeof LEDGER_EXPORT_SCHEMA
  origin: string
  size: number
  root: string
  /** A signed note, best of exactly this size; null when the log has no key. */
  checkpoint: string | null
  keys: ExportedKey[]
  /** What the ledger says of its keys and of its unsigned receipts, a note signed by its log; left out where it says
   *  nothing. */
  record?: string
}
export type LedgerExportFooter = { schema: typeof LEDGER_EXPORT_END_SCHEMA; count: number; root: string }
export type LedgerExportReceipt = {
  node_index: number
  body: Uint8Array
  /** Strict DER, or null for an unsigned receipt; the key id goes with it. */
  signature: Uint8Array | null
  keyid: string | null
  lake: string
}

/** A body has at most 65,535 bytes. */
const MAX_RECEIPT_LINE = 90_000
const MAX_EDGE_LINE = 1_000_000

export const headerLine = (header: Omit<LedgerExportHeader, 'schema'>): string =>
  canonicalizePortable({ ...header, schema: LEDGER_EXPORT_SCHEMA })

export const footerLine = (footer: Omit<LedgerExportFooter, 'schema'>): string =>
  canonicalizePortable({ ...footer, schema: LEDGER_EXPORT_END_SCHEMA })

export function receiptLine({ node_index, body, signature, keyid, lake }: LedgerExportReceipt): string {
  const key = keyid === null ? 'null' : `"${keyid}"`
  const sig = signature === null ? 'null' : `"${base64Encode(signature)}"`
  return `{"i":${node_index},"k":${key},"l":"${lake}","p":"${base64Encode(body)}","s":${sig}}`
}

/** Everything before the payload. The two base64 texts are judged by the strict decoder and not by a pattern as well. */
const LINE_START = /^\{"i":(0|[1-9][0-9]{0,15}),"k":(?:null|"([0-9a-f]{64})"),"l":"([0-9a-f]{64})","p":"/
const AFTER_PAYLOAD = '","s":'
const MAX_SIGNATURE = 128

/** Null for any other line; a key without a signature, or the reverse, is no receipt line. */
export function readReceiptLine(line: string): LedgerExportReceipt | null {
  const match = line.length <= MAX_RECEIPT_LINE ? LINE_START.exec(line) : null
  if (!match) return null
  const [start, index, keyid = null, lake] = match as unknown as [string, string, string | undefined, string]
  const node_index = Number(index)
  const end = line.indexOf(AFTER_PAYLOAD, start.length)
  if (end <= start.length || !Number.isSafeInteger(node_index)) return null
  const body = base64Decode(line.slice(start.length, end))
  const signature = readSignature(line.slice(end + AFTER_PAYLOAD.length))
  if (!body || signature === undefined || (signature === null) !== (keyid === null)) return null
  return { node_index, body, signature, keyid, lake }
}

/** `null}` or `"base64"}`; undefined for anything else. */
function readSignature(rest: string): Uint8Array | null | undefined {
  if (rest === 'null}') return null
  if (!rest.startsWith('"') || !rest.endsWith('"}')) return undefined
  const text = rest.slice(1, -2)
  return text.length >= 1 && text.length <= MAX_SIGNATURE ? (base64Decode(text) ?? undefined) : undefined
}

export const isFooterLine = (line: string): boolean => line.startsWith('{"count":')

export function readFooterLine(line: string): LedgerExportFooter | null {
  const value = canonicalLine(line)
  if (!value || fieldFault(value, ['count', 'root', 'schema']) || value.schema !== LEDGER_EXPORT_END_SCHEMA) return null
  return isPosition(value.count) && isHex64(value.root) ? (value as LedgerExportFooter) : null
}

export function readHeaderLine(line: string): LedgerExportHeader | null {
  const value = canonicalLine(line)
  if (!value || fieldFault(value, ['checkpoint', 'keys', 'origin', 'root', 'schema', 'size'], ['record'])) return null
  const { checkpoint, keys, origin, root, schema, size } = value
  if (schema !== LEDGER_EXPORT_SCHEMA || typeof origin !== 'string' || !isHex64(root) || !isPosition(size)) return null
  if (checkpoint !== null && typeof checkpoint !== 'string') return null
  if (value.record !== undefined && typeof value.record !== 'string') return null
  return Array.isArray(keys) && keys.every(isExportedKey) ? (value as LedgerExportHeader) : null
}

const isExportedKey = (key: unknown): boolean =>
  isRecord(key) &&
  fieldFault(key, ['keyid', 'kind', 'pem']) === null &&
  isHex64(key.keyid) &&
  typeof key.kind === 'string' &&
  typeof key.pem === 'string'

function canonicalLine(line: string): Fields | null {
  if (line.length > MAX_EDGE_LINE) return null
  const value = strictJsonOrNull(line)
  return isRecord(value) && canonicalOrNull(value) === line ? value : null
}
