// Five receipts over two chains, their log and their export.
import {
  base64Encode,
  bodyTemplate,
  bodyText,
  canonicalBytesPortable,
  DSSE_VERSION,
  formatCheckpoint,
  footerLine,
  GENESIS_PREV,
  headerLine,
  hexEncode,
  inclusionProof,
  KEY_HONESTY,
  lakeHash,
  leafHash,
  nodeHash,
  pae,
  paeSha256Hex,
  RECEIPT_PAYLOAD_TYPE,
  receiptLine,
  type ReceiptDraft,
  rootOf,
  type SigningKeyKind,
  sha256Hex,
  signNote,
  utf8Encode,
} from '../../packages/core/src/index.ts'
import { log, ORIGIN, production, type SigningKey } from './keys.ts'

const actor = { owner: 'local', key_id: null, auth_mode: 'open' }
const policy = { rules_digest: sha256Hex('test rules'), policy_digest: sha256Hex('test policy') }
const draft = (kind: ReceiptDraft['kind'], chain: string, second: number, payload: Record<string, unknown>): ReceiptDraft => ({
  kind,
  ns: 'public',
  chain,
  ts_utc: `2026-01-02T03:04:0${second}.000Z`,
  request_id: `req-${second}`,
  actor,
  policy,
  payload,
})
/** Without a lambda: whoever states one also states what it was computed from. */
const decision = (word: string, confidence: number, text: string) => ({
  decision: word,
  confidence,
  lambda: null,
  lambda_floor: 0.9,
  lambda_inputs: {},
  gates_fired: word === 'ALLOW' ? [] : ['pii-egress-guard'],
  gates_passed: ['threat-signature-scan'],
  breaches: [],
  geofence_inside: null,
  input_sha256: sha256Hex(text),
  input_length: text.length,
})

export const drafts: ReceiptDraft[] = [
  draft('decision', 'governance', 1, decision('ALLOW', 0.95, 'read the weather')),
  draft('step', 'stepping', 2, { mode: 'dry-run', note: 'Grüße, 世界' }),
  draft('decision', 'governance', 3, decision('DENY', 0.42, 'send the customer list')),
  draft('mint', 'governance', 4, { statement: { colour: 'blue' }, statement_sha256: sha256Hex('{"colour":"blue"}') }),
  draft('step', 'stepping', 5, { mode: 'apply', score: 0.125 }),
]

export type Made = { node_index: number; body: Uint8Array; digest: string; lake: string; prev: string; seq: number; organ: string }

/** Places drafts as the ledger does. Placing altered drafts is what re-hashing forward means. Without a kind of key the bytes
 *  are as they were before they said one. */
export function place(list: readonly ReceiptDraft[], keyKind: SigningKeyKind | null = null): Made[] {
  const heads = new Map<string, { seq: number; digest: string; lake: string }>()
  return list.map((one, node_index) => {
    const head = heads.get(one.chain) ?? { seq: 0, digest: GENESIS_PREV, lake: GENESIS_PREV }
    const body = utf8Encode(bodyText(bodyTemplate(one, keyKind), head.digest, head.seq))
    const digest = sha256Hex(body)
    const link = { organ: one.chain, chain_index: head.seq + 1, prev_hash: head.lake, receipt_digest: digest, ts_utc: one.ts_utc }
    const lake = lakeHash(link)
    heads.set(one.chain, { seq: head.seq + 1, digest, lake })
    return { node_index, body, digest, lake, prev: head.digest, seq: head.seq, organ: one.chain }
  })
}

export const ledger = place(drafts)
export const leaves = ledger.map(({ body }) => leafHash(body))
export const root = hexEncode(rootOf(leaves))

export const envelopeOf = (body: Uint8Array, key: SigningKey = production, payloadType = RECEIPT_PAYLOAD_TYPE) => ({
  payloadType,
  payload: base64Encode(body),
  signatures: [{ sig: base64Encode(key.sign(pae(payloadType, body))), keyid: key.keyid }],
})

const nodeAt = (level: number, index: number): Uint8Array =>
  level === 0 ? leaves[index]! : nodeHash(nodeAt(level - 1, 2 * index), nodeAt(level - 1, 2 * index + 1))

export async function inclusionOf(leaf_index: number) {
  const hashes = await inclusionProof(leaf_index, leaves.length, (nodes) => nodes.map(({ level, index }) => nodeAt(level, index)))
  return { leaf_index, tree_size: leaves.length, root, hashes: hashes.map(hexEncode) }
}

export const noteFor = (size: number, rootBytes: Uint8Array, signer = log.signer): Promise<string> =>
  signNote(formatCheckpoint({ origin: ORIGIN, size, root: rootBytes }), signer)

export const checkpoint = await noteFor(leaves.length, rootOf(leaves))

/** A receipt as the service returns it. */
export async function recordOf(at: number, key: SigningKey = production, kind = 'production') {
  const { digest, node_index, seq, prev, organ, body } = ledger[at]!
  return {
    receipt_id: digest,
    digest,
    chain: organ,
    seq,
    prev,
    node_index,
    signed: true,
    keyid: key.keyid,
    key_kind: kind,
    label: 'STRUCTURAL-ONLY',
    verify_url: `/api/orch/v1/verify/receipt/${digest}`,
    dsse: envelopeOf(body, key),
    inclusion: await inclusionOf(at),
    checkpoint,
  }
}

/** The export record of one receipt. */
export async function exportOf(at: number, key: SigningKey = production, kind: 'production' | 'demo' = 'production') {
  const { digest, node_index, body } = ledger[at]!
  const dsse = envelopeOf(body, key)
  const pae_sha256 = paeSha256Hex(RECEIPT_PAYLOAD_TYPE, body)
  return {
    schema: 'orch.receipt-export/v1',
    ok: true,
    doctrine: 'v11',
    generated_at: '2026-01-02T03:05:00.000Z',
    public_key_url: '/cosign.pub',
    ledger: { durability_state: 'DURABLE', ready: true, integrity: { state: 'VERIFIED', verified: true, nodes: leaves.length, root } },
    ledger_durability: 'DURABLE',
    export_state: 'SIGNED_VERIFIED',
    receipt_available: true,
    ledger_size: leaves.length,
    node_index,
    node_digest: digest,
    khipu_root: root,
    dsse: { ...dsse, signed: true, keyid: key.keyid, honesty: KEY_HONESTY[kind], _dsse: DSSE_VERSION, _pae_sha256: pae_sha256 },
    payload_b64: dsse.payload,
    pae_b64: base64Encode(pae(RECEIPT_PAYLOAD_TYPE, body)),
    signed: true,
    keyid: key.keyid,
    verification: { state: 'VERIFIED', verified: true, reason: 'verified in this request', pae_sha256 },
    verify_offline: ['fetch the key', 'decode the payload', 'verify the signature'],
    limits: [],
    honesty: 'a test vector',
    inclusion: await inclusionOf(at),
    checkpoint,
  }
}

export type ExportParts = { entries: readonly Made[]; sign?: (entry: Made) => Uint8Array | null; root?: string; note?: string | null; key?: SigningKey; kind?: string }

/** The lines of a ledger export. */
export function exportLines({ entries, sign = signatureOf, root: stated, note = checkpoint, key = production, kind = 'production' }: ExportParts): string[] {
  const computed = stated ?? hexEncode(rootOf(entries.map(({ body }) => leafHash(body))))
  const keys = [{ keyid: key.keyid, kind, pem: key.pem }]
  return [
    headerLine({ origin: ORIGIN, size: entries.length, root: computed, checkpoint: note, keys }),
    ...entries.map((entry) => {
      const signature = sign(entry)
      return receiptLine({ ...entry, signature, keyid: signature && key.keyid })
    }),
    footerLine({ count: entries.length, root: computed }),
  ]
}

export const signatureOf = ({ body }: Pick<Made, 'body'>): Uint8Array => production.sign(pae(RECEIPT_PAYLOAD_TYPE, body))

/** What a ledger that holds receipt `at` knows about it, as JSON. */
export const contextOf = (at: number) => {
  const { organ, seq, digest } = ledger[at]!
  const before = ledger.find((one) => one.organ === organ && one.seq === seq - 1)
  return {
    previous_b64: before ? base64Encode(before.body) : null,
    walk: { from: 0, to: ledger.length - 1, broken_at: null as number | null },
    node_index: at,
    digest,
  }
}

export const rebody = (at: number, change: (value: Record<string, unknown>) => unknown): Uint8Array =>
  canonicalBytesPortable(change(JSON.parse(new TextDecoder().decode(ledger[at]!.body))))
