/** The receipts in a file that a reader opened. All that is shown of one is read from its signed bytes, whatever the
 *  fields around them say; what is verified is the file's own text. */
import {
  base64Decode,
  base64Encode,
  RECEIPT_PAYLOAD_TYPE,
  readBody,
  readReceiptLine,
  recognise,
  strictJsonOrNull,
} from '@orch/core'
import { type Evidence, NotUtf8, piecesOf, sizeOfEvidence } from '../../../verify/evidence.ts'
import { ledgerHeaderLine } from '../../../verify/recognise.ts'
import { MAX_BYTES } from '../../../verify/run.ts'
import type { ReceiptRecord } from '../../data/verify-here.ts'

export interface ImportedReceipt {
  record: ReceiptRecord
  bytes: Uint8Array
  hasInclusion: boolean
  /** As the file has it, for the verifier. */
  given: unknown
}

type Fields = Record<string, unknown>

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const position = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Nothing for a file that is none of the formats: the verifier says what is wrong with it. */
export async function readImported(evidence: Evidence): Promise<ImportedReceipt[]> {
  if (sizeOfEvidence(evidence) > MAX_BYTES) return []
  try {
    const pieces: string[] = []
    for await (const piece of piecesOf(evidence)) pieces.push(piece)
    return receiptsIn(pieces.join(''))
  } catch (error) {
    if (error instanceof NotUtf8) return []
    throw error
  }
}

function receiptsIn(content: string): ImportedReceipt[] {
  const given = ledgerHeaderLine(content, true) === null ? documentsIn(strictJsonOrNull(content)) : linesIn(content)
  return given.flatMap((one) => receiptOf(one) ?? [])
}

function documentsIn(value: unknown): unknown[] {
  if (!isRecord(value)) return []
  if (recognise(value) !== 'pack') return [value]
  const pack = isRecord(value.pack) ? value.pack : {}
  // The receipts of a pack share its checkpoint.
  return (Array.isArray(pack.receipts) ? pack.receipts : []).map((one: unknown) =>
    isRecord(one) && !Object.hasOwn(one, 'checkpoint') ? { ...one, checkpoint: pack.checkpoint ?? null } : one,
  )
}

const linesIn = (content: string): unknown[] =>
  content.split('\n').flatMap((line) => {
    const read = readReceiptLine(line)
    if (read === null) return []
    const { body, signature, keyid, node_index } = read
    const signatures = signature === null ? [] : [{ sig: base64Encode(signature), keyid }]
    return [{ node_index, dsse: { payloadType: RECEIPT_PAYLOAD_TYPE, payload: base64Encode(body), signatures } }]
  })

function receiptOf(given: unknown): ImportedReceipt | null {
  if (!isRecord(given)) return null
  const envelope = isRecord(given.dsse) ? given.dsse : given
  const payload = text(envelope.payload)
  const bytes = payload === null ? null : base64Decode(payload)
  if (payload === null || bytes === null) return null
  const read = readBody(bytes)
  const body = read.ok ? (read.body as unknown as Fields) : {}
  const stated = isRecord(body.payload) ? body.payload : {}
  const signatures = Array.isArray(envelope.signatures) ? envelope.signatures.filter(isRecord) : []
  const inclusion = inclusionIn(given.inclusion)
  const record: ReceiptRecord = {
    receipt_id: read.digest,
    digest: read.digest,
    chain: text(body.chain) ?? 'unknown',
    seq: position(body.seq) ? body.seq : 0,
    prev: text(body.prev) ?? '',
    node_index: position(given.node_index) ? given.node_index : 0,
    signed: signatures.length > 0,
    keyid: text(signatures[0]?.keyid),
    key_kind: text(given.key_kind),
    label: 'STRUCTURAL-ONLY',
    verify_url: '',
    ns: text(body.ns) ?? 'unknown',
    kind: text(body.kind),
    ts_utc: text(body.ts_utc),
    decision: text(stated.decision),
    body: read.ok ? body : null,
    dsse: { ...envelope, payloadType: text(envelope.payloadType) ?? '', payload, signatures } as ReceiptRecord['dsse'],
    pae_b64: '',
    inclusion: (inclusion ?? NO_INCLUSION) as ReceiptRecord['inclusion'],
    checkpoint: text(given.checkpoint),
  }
  return { record, bytes, hasInclusion: inclusion !== null, given: Object.hasOwn(given, 'digest') ? given : envelope }
}

const NO_INCLUSION = { leaf_index: 0, tree_size: 0, hashes: [], root: '' }
const MAX_HASHES = 64

function inclusionIn(value: unknown): Fields | null {
  if (!isRecord(value) || !position(value.leaf_index) || !position(value.tree_size)) return null
  const { hashes, root } = value
  const isPath = Array.isArray(hashes) && hashes.length <= MAX_HASHES && hashes.every((one) => typeof one === 'string')
  return isPath && typeof root === 'string' ? value : null
}
