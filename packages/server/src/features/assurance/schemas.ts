import { MAX_PACK_RECEIPTS } from '@orch/core'
import Type, { type Static } from 'typebox'
import { AnyObject, closed, exactly, Hex64, Nullable, named, Texts, Timestamp, Walk, words } from '../../domain/wire.ts'
import type { Readable } from '../../operation.ts'
import { INDEXES_PATTERN } from './chosen-receipts.ts'

const Text = Type.String()

const AssuranceRow = Type.Object(
  {
    req_id: Text,
    requirement: Text,
    req_detail: Text,
    source: Text,
    source_url: Text,
    orch_artifact: Text,
    artifact_url: Nullable(Text),
    status: words(['LIVE', 'MEASURED', 'SAMPLE', 'MODELED', 'ROADMAP']),
    status_detail: Type.String({ description: 'What the check saw, or which check failed' }),
    honest_caveats: Text,
    evaluated_at: Nullable(Timestamp),
    evidence: Nullable(AnyObject),
  },
  { ...exactly, $id: 'AssuranceRequirement', description: 'LIVE only when its check ran in this request and passed' },
)
export type AssuranceRow = Readable<Static<typeof AssuranceRow>>
const Requirements = Type.Array(AssuranceRow, { minItems: 8, maxItems: 8 })

export const Matrix = named('AssuranceMatrix', {
  ns: Text,
  surface: Text,
  description: Text,
  requirements: Requirements,
  honest_note: Text,
  lambda_kind: Text,
  locked_proven: Type.Literal(8),
  kernel_commit: Text,
})
export type Matrix = Readable<Static<typeof Matrix>>

export type PackQuery = Static<typeof PackQuery>
export const PackQuery = Type.Object({
  receipts: Type.Integer({
    minimum: 0,
    maximum: MAX_PACK_RECEIPTS,
    default: 0,
    description: 'How many of the newest receipts travel along, with envelopes, inclusion proofs and public keys',
  }),
  indexes: Type.Optional(
    Type.String({
      pattern: INDEXES_PATTERN,
      description:
        'Exactly these receipts instead of the newest, each by its node_index or as a range of them, at most 200 in all',
      examples: ['3,8-12'],
    }),
  ),
})

const Pack = closed({
  schema: Type.Literal('orch.assurance.evidence-pack.v1'),
  generated_at: Timestamp,
  what: Text,
  assurance_matrix: closed({
    source: Text,
    status: words(['LIVE', 'ROADMAP']),
    requirement_count: Type.Literal(8),
    requirements: Requirements,
    honest_note: Text,
  }),
  khipu_organs: AnyObject,
  lake_health: AnyObject,
  doctrine: closed({
    version: Text,
    locked_proven: Type.Literal(8),
    locked_theorems: Texts,
    locked_count_ci_gate: Text,
    kernel_commit: Text,
    lambda: Text,
    khipu_bft: Text,
    liveness: Text,
    slsa: Text,
    accreditation: closed({ ato: Type.Literal(false), il5: Type.Literal(false), fedramp_high: Type.Literal(false) }),
    honest_note: Text,
  }),
  cosign_public_key: closed({
    key_id: Nullable(Hex64),
    key_kind: Nullable(words(['demo', 'production'])),
    verify_key_url: Text,
    sha256_fingerprint: Nullable(Text),
    demo_signing_available: Type.Boolean(),
    note: Text,
  }),
  honest_disclosure: Text,
  receipts: Type.Optional(Type.Array(AnyObject, { maxItems: MAX_PACK_RECEIPTS })),
  public_keys: Type.Optional(Type.Array(AnyObject)),
  checkpoint: Type.Optional(Nullable(Text)),
})
export type Pack = Readable<Static<typeof Pack>>

const Unsigned = closed({ signed: Type.Literal(false), status: Type.Literal('DSSE_PLACEHOLDER'), note: Text })
const Signed = closed({
  signed: Type.Literal(true),
  status: Type.Literal('DSSE_SIGNED'),
  note: Text,
  alg: Type.Literal('ECDSA-P256-SHA256'),
  keyid: Hex64,
  key_kind: words(['demo', 'production']),
  dsse: AnyObject,
})

export const PackEnvelope = named('EvidencePackEnvelope', {
  schema: Type.Literal('orch.assurance.evidence-pack.envelope.v1'),
  pack: Pack,
  pack_sha3_256: Hex64,
  digest_alg: Type.Literal('sha3_256'),
  digest_canonicalization: Text,
  offline_verify: Text,
  signature: Type.Union([Unsigned, Signed]),
  generated_at: Timestamp,
})
export type PackEnvelope = Readable<Static<typeof PackEnvelope>>

export const Fit = named('AssuranceFit', {
  surface: Type.Literal('assurance.fit'),
  description: Text,
  fitting: Type.Array(Text, { description: 'ids of the sets that are met now' }),
  sets: Type.Array(
    closed({
      id: words(['evaluation', 'internal-audit', 'external-audit', 'accredited-operation']),
      what: Text,
      requires: Type.Array(Text, { description: 'rows of the matrix, then facts about the deployment' }),
      fits: Type.Boolean({ description: 'every row is LIVE and every fact holds, both as of evaluated_at' }),
      missing: Type.Array(closed({ requirement: Text, detail: Text })),
    }),
  ),
  walk: Nullable(Walk),
  honest_note: Text,
  evaluated_at: Timestamp,
})
export type Fit = Readable<Static<typeof Fit>>
