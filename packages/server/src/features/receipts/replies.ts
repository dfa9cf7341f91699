/** What this surface answers. */
import { CHECK_NAMES, CHECK_STATUSES, EVIDENCE_KINDS, LAKE_SCHEMA, REPORT_SCHEMA, VERDICTS } from '@orch/core'
import Type, { type Static } from 'typebox'
import {
  AnyObject,
  Count,
  Dsse,
  Hex64,
  Inclusion,
  Nullable,
  ReceiptSummary,
  Text,
  Timestamp,
  Walk,
  words,
} from '../../domain/wire.ts'
import type { Readable } from '../../operation.ts'

export const Bytes = Type.Unknown({ description: 'bytes' })
export const Lines = Type.String()

export const Minted = Type.Object({
  digest: Hex64,
  node_index: Count,
  chain: Type.String(),
  seq: Count,
  prev: Hex64,
  signed: Type.Boolean(),
  keyid: Text,
  key_kind: Text,
  dsse: Dsse,
  inclusion: Nullable(Inclusion),
  checkpoint: Type.Optional(Text),
  verify_url: Type.String(),
  receipt: ReceiptSummary,
})

export const Rotated = Type.Object({
  old_keyid: Hex64,
  new_keyid: Hex64,
  new_public_key_pem: Type.String(),
  key_kind: Type.String(),
  receipt: ReceiptSummary,
})

const Row = Type.Object(
  {
    node_index: Count,
    receipt_id: Hex64,
    digest: Hex64,
    ns: Type.String(),
    chain: Type.String(),
    seq: Count,
    prev: Hex64,
    kind: Text,
    decision: Text,
    ts_utc: Text,
    request_id: Text,
    owner: Text,
    agent: Text,
    agent_source: Text,
    tool: Text,
    tool_sha256: Text,
    session_sha256: Text,
    gates_fired: Type.Array(Type.String()),
    reasons: Type.Array(Type.String()),
    rules: Type.Array(Type.String()),
    review_id: Text,
    lambda: Nullable(Type.Number()),
    lambda_floor: Nullable(Type.Number()),
    rules_digest: Text,
    policy_digest: Text,
    signed: Type.Boolean(),
    keyid: Text,
    key_kind: Text,
    verify_url: Type.String(),
  },
  { $id: 'ReceiptRow' },
)

const paged = {
  count: Nullable(Count),
  scanned: Count,
  order: Type.String(),
  next_cursor: Text,
}

export const LedgerPage = Type.Object({ receipts: Type.Array(Row), ...paged, ledger_size: Count })

const OutcomeCounts = Type.Object({ allow: Count, review: Count, deny: Count })

export const Outcomes = Type.Object(
  {
    label: Type.Literal('MEASURED'),
    source: Type.Literal('receipts of the ledger'),
    read_at: Timestamp,
    since: Timestamp,
    until: Timestamp,
    slices: Type.Array(OutcomeCounts, { description: 'equal parts of the span, oldest first' }),
    total: OutcomeCounts,
    scanned: Count,
    ended: words(['beginning', 'since', 'limit'], {
      description: 'where the reading ended; `limit`: older receipts of the span were not counted',
    }),
  },
  { $id: 'OutcomeCounts' },
)

export const ReceiptRecord = Type.Object({
  ...ReceiptSummary.properties,
  ns: Type.String(),
  kind: Text,
  ts_utc: Text,
  decision: Type.Unknown(),
  body: Nullable(AnyObject),
  dsse: Dsse,
  pae_b64: Type.String(),
  inclusion: Inclusion,
  checkpoint: Text,
})

const Organ = Type.Object(
  {
    organ: Type.String(),
    ns: Type.String(),
    registry_key: Type.String(),
    head_digest: Hex64,
    depth: Count,
    links_intact: Type.Boolean(),
    broken_at: Nullable(Count),
    broken_reason: Text,
    verified_to: Count,
    genesis_prev: Hex64,
  },
  { $id: 'OrganChain' },
)

export const OrganListing = Type.Object({
  ok: Type.Boolean(),
  service: Type.String(),
  what: Type.String(),
  organ_count: Count,
  organs: Type.Array(Organ),
  verified_to: Count,
  ledger_size: Count,
  walk: Walk,
  broken: Nullable(AnyObject),
  doctrine: AnyObject,
  ts: Timestamp,
})

export const ChainPage = Type.Object({ ...Organ.properties, receipts: Type.Array(Row), ...paged })

const Rule = Type.Object({ states: Type.String(), holds: Type.Boolean() })

export const Dag = Type.Object({
  request: Type.String(),
  order: Type.String(),
  nodes: Type.Array(
    Type.Object({
      index: Count,
      digest: Hex64,
      parents: Type.Array(Hex64),
      chain: Type.String(),
      seq: Count,
      kind: Text,
      decision: Text,
      signed: Type.Boolean(),
      keyid: Text,
      ts_utc: Text,
    }),
  ),
  edges: Type.Array(
    Type.Object({ from: Hex64, to: Hex64, from_index: Count, to_index: Nullable(Type.Integer({ minimum: -1 })) }),
  ),
  count: Count,
  khipu_root: Hex64,
  ledger_size: Count,
  checks: Type.Object({ F4: Rule, F22: Rule }),
})

export const Report = Type.Object(
  {
    schema: Type.Literal(REPORT_SCHEMA),
    kind: words(EVIDENCE_KINDS),
    verdict: words(VERDICTS),
    checks: Type.Array(
      Type.Object({
        check: words(CHECK_NAMES),
        status: words(CHECK_STATUSES),
        reason: Type.String(),
        details: AnyObject,
      }),
    ),
    subject: Nullable(AnyObject),
    does_not_prove: Type.Array(Type.String()),
    checked_at: Text,
    error: Type.Optional(
      Type.Object({ code: Type.Literal('no_input'), message: Type.String(), request_id: Type.String() }),
    ),
  },
  { $id: 'VerificationReport' },
)

export const Export = Type.Object({
  schema: Type.Literal('orch.receipt-export/v1'),
  ok: Type.Boolean(),
  doctrine: Type.String(),
  generated_at: Timestamp,
  public_key_url: Type.String(),
  ledger: AnyObject,
  ledger_durability: Type.String(),
  export_state: words(['SIGNED_VERIFIED', 'UNSIGNED', 'SIGNATURE_INVALID', 'EMPTY']),
  receipt_available: Type.Boolean(),
  ledger_size: Count,
  node_index: Type.Integer({ minimum: -1 }),
  node_digest: Hex64,
  khipu_root: Hex64,
  dsse: Dsse,
  payload_b64: Type.String(),
  pae_b64: Type.String(),
  signed: Type.Boolean(),
  keyid: Type.String(),
  verification: Type.Object({
    state: Type.String(),
    verified: Type.Boolean(),
    reason: Type.String(),
    pae_sha256: Nullable(Hex64),
  }),
  verify_offline: Type.Array(Type.String(), { minItems: 3, maxItems: 3 }),
  inclusion: Nullable(Inclusion),
  checkpoint: Text,
  limits: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() })),
  honesty: Type.String(),
})
export type Export = Readable<Static<typeof Export>>

export const Keys = Type.Object({
  keys: Type.Array(
    Type.Object({
      keyid: Hex64,
      kind: words(['demo', 'production']),
      alg: Type.String(),
      fingerprint: Type.String(),
      from: Timestamp,
      to: Nullable(Timestamp),
      from_index: Count,
      to_index: Nullable(Count),
      active: Type.Boolean(),
      public_key_pem: Type.String(),
    }),
  ),
  count: Count,
  active_keyid: Text,
  log_vkey: Type.String(),
})

export const LakeHealth = Type.Object({
  ok: Type.Boolean(),
  store: Type.String(),
  chain_alg: Type.Literal('sha3_256'),
  schema: Type.Literal(LAKE_SCHEMA),
  total_receipts: Count,
  organs: Type.Record(Type.String(), Type.Object({ count: Count, chain_index: Count, chain_head: Hex64 })),
})

const LakeRecord = Type.Object(
  {
    schema: Type.Literal(LAKE_SCHEMA),
    organ: Type.String(),
    chain_index: Type.Integer({ minimum: 1 }),
    prev_hash: Hex64,
    receipt_digest: Hex64,
    ts_utc: Type.String(),
    hash: Hex64,
  },
  { $id: 'LakeRecord' },
)

export const LakePage = Type.Object({ receipts: Type.Array(LakeRecord), ...paged })

export const LakeHeads = Type.Object({
  heads: Type.Array(Type.Object({ organ: Type.String(), chain_index: Count, chain_head: Hex64, verified_to: Count })),
  count: Count,
  chain_alg: Type.Literal('sha3_256'),
})

export const LakeProof = Type.Object({
  ok: Type.Boolean(),
  record: LakeRecord,
  canonical: Type.String(),
  computed_hash: Hex64,
  matches: Type.Boolean(),
  node_index: Count,
  next_hash: Nullable(Hex64),
  inclusion: Inclusion,
  checkpoint: Text,
})

export const LakeLog = Type.Object({
  origin: Type.String(),
  vkey: Type.String(),
  size: Count,
  root: Hex64,
  checkpoint_size: Nullable(Count),
  checkpoint: Text,
})

export const VerifyManifest = AnyObject
