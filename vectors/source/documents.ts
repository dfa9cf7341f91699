// An evidence pack and a chain-of-title statement, signed and unsigned.
import {
  CHAIN_OF_TITLE_PREDICATE,
  canonicalBytesPortable,
  COVERAGE_RULE,
  constantsLock,
  coverageOf,
  DOCTRINE,
  KERNEL_COMMIT,
  LOCKED_FORMULAS,
  PACK_ENVELOPE_SCHEMA,
  PACK_PAYLOAD_TYPE,
  PACK_SCHEMA,
  PACK_SIGNATURE_ALG,
  PACK_TEXT,
  packDigest,
  packStatement,
  sha256Hex,
  STATEMENT_PAYLOAD_TYPE,
  STATEMENT_TYPE,
  TRAINING_CONFIG_FIELDS,
  utf8Encode,
  verifyKernel,
} from '../../packages/core/src/index.ts'
import { production, type SigningKey } from './keys.ts'
import { checkpoint, envelopeOf, recordOf } from './ledger.ts'

export async function packOf(receiptsAt: readonly number[]) {
  const records = await Promise.all(receiptsAt.map((at) => recordOf(at)))
  return {
    schema: PACK_SCHEMA,
    generated_at: '2026-01-02T03:06:00.000Z',
    what: 'a test vector',
    assurance_matrix: { source: 'test', status: 'SAMPLE', requirement_count: 0, requirements: [], honest_note: 'a test vector' },
    khipu_organs: null,
    lake_health: null,
    doctrine: { version: DOCTRINE, locked_proven: 8, locked_theorems: [...LOCKED_FORMULAS], kernel_commit: KERNEL_COMMIT },
    cosign_public_key: { key_id: production.keyid, key_kind: 'production', note: 'a test key' },
    honest_disclosure: 'nothing here is real: Grüße',
    receipts: records.map(({ checkpoint: _, ...record }) => record),
    public_keys: [{ keyid: production.keyid, kind: 'production', pem: production.pem }],
    checkpoint,
  }
}
export type Pack = Awaited<ReturnType<typeof packOf>>

const around = (pack: Pack, signature: object) => ({
  schema: PACK_ENVELOPE_SCHEMA,
  pack,
  pack_sha3_256: packDigest(pack)!,
  digest_alg: 'sha3_256',
  digest_canonicalization: PACK_TEXT.digest_canonicalization,
  offline_verify: PACK_TEXT.offline_verify,
  signature,
  generated_at: pack.generated_at,
})

export const unsignedPack = (pack: Pack) =>
  around(pack, { signed: false, status: 'DSSE_PLACEHOLDER', note: PACK_TEXT.unsigned_note })

export const signedPack = (pack: Pack, key: SigningKey = production, key_kind = 'production', digest = packDigest(pack)!) =>
  around(pack, {
    signed: true,
    status: 'DSSE_SIGNED',
    note: PACK_TEXT.signed_note,
    alg: PACK_SIGNATURE_ALG,
    keyid: key.keyid,
    key_kind,
    dsse: envelopeOf(utf8Encode(packStatement(digest)), key, PACK_PAYLOAD_TYPE),
  })

const registryLocks = ['constants-module', 'formula-registry.json'] as const
const kernel = verifyKernel(
  [...registryLocks.map((source) => ({ source, lock: constantsLock() })), { source: 'executed-checks', ids: LOCKED_FORMULAS }],
  null,
)
const absent = 'not in a test vector'
const disclosed = {
  corpus_sha: null,
  corpus_source: { path: 'x', kind: 'corpus-manifest', note: absent },
  training: {
    source: null,
    source_sha256: null,
    method: null,
    config: Object.fromEntries(TRAINING_CONFIG_FIELDS.map((name) => [name, null])),
    note: absent,
  },
  kernel_verified: true,
  kernel_pin: KERNEL_COMMIT,
  kernel_verification: kernel,
  build_commit: { commit: null, source: 'none', note: absent },
  sovereign_weights: { sha256: null, path: 'x', bytes: null, present: false, note: absent },
}

export const statement = {
  _type: STATEMENT_TYPE,
  subject: [
    {
      name: 'orch-kernel',
      digest: { gitCommit: KERNEL_COMMIT },
      annotations: { locked_proven: [...LOCKED_FORMULAS], pin_source: 'test' },
    },
  ],
  predicateType: CHAIN_OF_TITLE_PREDICATE,
  predicate: {
    doctrine: DOCTRINE,
    provenance: { ...disclosed, provenance_coverage: coverageOf(disclosed), coverage_rule: COVERAGE_RULE },
    energy_measured: [],
    honesty_invariants: {
      no_fabricated_measured: true,
      lambda_is_conjecture_not_theorem: true,
      locked8_immutable: true,
      provenance_coverage: 1,
    },
    lambda: { status: 'Conjecture 1', is_theorem: false, trust_ceiling: 0.97 },
  },
}
export type Statement = typeof statement

export const signedStatement = (value: object = statement, key: SigningKey = production) =>
  envelopeOf(canonicalBytesPortable(value), key, STATEMENT_PAYLOAD_TYPE)

/** The record as the service serves it: read-only, signed by nobody. */
export const statementRecord = {
  ok: true,
  schema: 'orch.attest.chain-of-title/v1',
  label: 'MODELED',
  statement,
  statement_digest_sha256: sha256Hex(canonicalBytesPortable(statement)),
  envelope: {
    ...signedStatement(),
    signatures: [],
    signed: false,
    read_only: true,
    _statement_digest_sha256: sha256Hex(canonicalBytesPortable(statement)),
    honesty: 'read-only: nothing is signed',
  },
  verdict: 'PASSED',
  built_at: '2026-01-02T03:07:00.000Z',
  lake: { appended: false, status: 'READ_ONLY' },
}
