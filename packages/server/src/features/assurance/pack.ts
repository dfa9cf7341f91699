/** The evidence pack: what an auditor takes away. Its digest covers the pack, its signature covers the digest. */
import {
  base64Encode,
  CONJECTURES,
  DOCTRINE,
  KERNEL_COMMIT,
  KERNEL_PROOFS,
  LAMBDA,
  LAMBDA_POWER,
  LOCKED_FORMULAS,
  NOT_CLAIMED,
  PACK_ENVELOPE_SCHEMA,
  PACK_PAYLOAD_TYPE,
  PACK_SCHEMA,
  PACK_SIGNATURE_ALG,
  PACK_TEXT,
  packDigest,
  packStatement,
  utf8Encode,
} from '@orch/core'
import { type Evidence, inclusionAt, receiptRecord } from '../../domain/evidence.ts'
import { ringRecord } from '../../domain/keys.ts'
import type { lakeHealth, organListing } from '../../domain/organs.ts'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import type { Viewer } from '../../domain/visibility.ts'
import { chosenReceipts, type ReceiptSource } from './chosen-receipts.ts'
import { HONEST_NOTE } from './matrix.ts'
import type { AssuranceRow, Pack, PackEnvelope, PackQuery } from './schemas.ts'

interface PackParts {
  rows: readonly AssuranceRow[]
  organs: ReturnType<typeof organListing>
  lake: ReturnType<typeof lakeHealth>
  signer: { keyKind: 'demo' | 'production' | null; fingerprint: string | null; signingAvailable: boolean }
  /** Null when none were asked for. */
  receipts: PackedReceipts | null
  generatedAt: string
}

export function buildPack({ rows, organs, lake, signer, receipts, generatedAt }: PackParts): Pack {
  return {
    schema: PACK_SCHEMA,
    generated_at: generatedAt,
    what: 'what this deployment can show for itself at this moment, for an auditor to verify without it',
    assurance_matrix: {
      source: '/api/orch/v1/assurance/matrix',
      status: rows.some(({ status }) => status === 'LIVE') ? 'LIVE' : 'ROADMAP',
      requirement_count: rows.length as 8,
      requirements: rows,
      honest_note: HONEST_NOTE,
    },
    khipu_organs: organs,
    lake_health: lake,
    doctrine: DOCTRINE_RECORD,
    cosign_public_key: describeKey(signer),
    honest_disclosure: HONEST_NOTE,
    ...(receipts ?? {}),
  }
}

const DOCTRINE_RECORD: Pack['doctrine'] = {
  version: DOCTRINE,
  locked_proven: LOCKED_FORMULAS.length,
  locked_theorems: [...LOCKED_FORMULAS],
  locked_count_ci_gate: 'the tests fail unless the locked set is exactly these eight',
  kernel_commit: KERNEL_COMMIT,
  lambda: `${LAMBDA.status}, ${LAMBDA_POWER}, trust ceiling ${LAMBDA.trust_ceiling}, never a theorem`,
  khipu_bft: `${CONJECTURES.consensus}: safety across replicas is not proved`,
  liveness: `${CONJECTURES.liveness}: liveness of agentic loops is not proved`,
  slsa: NOT_CLAIMED,
  accreditation: { ato: false, il5: false, fedramp_high: false },
  honest_note: `${KERNEL_PROOFS}; the eight are executed here as property checks`,
}

function describeKey({ keyKind, fingerprint, signingAvailable }: PackParts['signer']): Pack['cosign_public_key'] {
  return {
    key_id: fingerprint,
    key_kind: keyKind,
    verify_key_url: '/api/orch/cosign.pub',
    sha256_fingerprint: fingerprint === null ? null : `sha256:${fingerprint}`,
    demo_signing_available: keyKind === 'demo' && signingAvailable,
    note: KEY_NOTES[keyKind ?? 'none'],
  }
}

const KEY_NOTES = {
  demo: 'a demo key: it shows the mechanism and never counts as production',
  production: 'the private key is held outside this service and never enters it',
  none: 'no signing key is configured; the hash chains verify without one',
}

/** The digest, and the bytes a signature is made over. */
export function sealPack(pack: Pack): { digest: string; statement: Uint8Array } {
  const digest = packDigest(pack)
  if (digest === null) throw new Error('the pack has no canonical form')
  return { digest, statement: utf8Encode(packStatement(digest)) }
}

type Signed = { sig: Uint8Array; keyid: string; kind: 'demo' | 'production' }

export const packEnvelope = (pack: Pack, seal: ReturnType<typeof sealPack>, signed: Signed | null): PackEnvelope => ({
  schema: PACK_ENVELOPE_SCHEMA,
  pack,
  pack_sha3_256: seal.digest,
  digest_alg: 'sha3_256',
  digest_canonicalization: PACK_TEXT.digest_canonicalization,
  offline_verify: PACK_TEXT.offline_verify,
  signature: signed === null ? UNSIGNED : describeSignature(seal.statement, signed),
  generated_at: pack.generated_at,
})

const UNSIGNED: PackEnvelope['signature'] = {
  signed: false,
  status: 'DSSE_PLACEHOLDER',
  note: PACK_TEXT.unsigned_note,
}

const describeSignature = (statement: Uint8Array, { sig, keyid, kind }: Signed): PackEnvelope['signature'] => ({
  signed: true,
  status: 'DSSE_SIGNED',
  note: PACK_TEXT.signed_note,
  alg: PACK_SIGNATURE_ALG,
  keyid,
  key_kind: kind,
  dsse: {
    payloadType: PACK_PAYLOAD_TYPE,
    payload: base64Encode(statement),
    signatures: [{ sig: base64Encode(sig), keyid }],
  },
})

type PackedReceipts = Awaited<ReturnType<typeof packReceipts>>

export async function packReceipts(
  evidence: Evidence & ReceiptSource,
  viewer: Viewer,
  choice: PackQuery,
  activeKeyid: string | null,
) {
  const checkpoint = await newestCheckpoint(evidence)
  const rows = checkpoint === null ? [] : await chosenReceipts(evidence, viewer, choice, checkpoint.size)
  const records = await Promise.all(rows.map((row) => packedRecord(evidence, row, checkpoint!.size)))
  const ring = await evidence.reader.keys()
  return {
    receipts: records,
    public_keys: ring.map((key) => ringRecord(key, activeKeyid)),
    checkpoint: checkpoint?.note ?? null,
  }
}

/** One that covers everything recorded so far. */
async function newestCheckpoint(evidence: Evidence): Promise<{ size: number; note: string } | null> {
  const [stored, { size }] = [await evidence.reader.checkpoint(), await evidence.reader.head()]
  if (stored !== null && stored.size >= size) return stored
  await evidence.checkpointNow()
  return evidence.reader.checkpoint()
}

/** Without a checkpoint of its own: all of them share that of the pack. */
async function packedRecord(evidence: Evidence, row: StoredReceipt, size: number) {
  const inclusion = await inclusionAt(evidence, row.nodeIndex, size)
  const { checkpoint: _, ...record } = receiptRecord(row, { inclusion, checkpoint: null })
  return record
}
