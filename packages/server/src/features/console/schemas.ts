import { DECISIONS } from '@orch/core'
import Type, { type Static, type TSchema } from 'typebox'
import { MAX_DECISIONS } from '../../domain/receipts/newest-decisions.ts'
import { Count, Hex64, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'
import type { Readable } from '../../operation.ts'
import { closed } from '../../platform/shape.ts'

export const MAX_REVIEWS = 10

const KeyKind = Nullable(words(['demo', 'production']))

const Unread = closed({
  state: words(['refused', 'failed']),
  label: Type.Literal('UNAVAILABLE'),
  value: Type.Null(),
  reason: Type.String(),
})

const Part = <T extends TSchema>(value: T) =>
  Type.Union([
    closed({
      state: Type.Literal('read'),
      label: Type.Literal('MEASURED'),
      value,
      source: Type.String(),
      read_at: Timestamp,
    }),
    Unread,
  ])

const Access = closed({
  auth_mode: words(['open', 'token', 'registry']),
  recognised: Type.Boolean(),
  namespace: Text,
  owner: Text,
  note: Type.String(),
})

const Service = closed({
  ready: Type.Boolean(),
  draining: Type.Boolean(),
  production_ready: Type.Boolean(),
  blocking: Type.Array(Type.String()),
  checks: Type.Array(
    closed({
      name: Type.String(),
      outcome: words(['OK', 'FAILED', 'UNKNOWN']),
      blocking: Type.Boolean(),
      reason: Text,
    }),
  ),
  checked_at: Timestamp,
})

const Ledger = closed({
  size: Count,
  root: Nullable(Hex64),
  mode: words(['EPHEMERAL', 'DURABLE', 'DURABLE_EXTERNAL']),
  mode_meaning: Type.String(),
  takes_receipts: Type.Boolean(),
  read_only_reason: Text,
  rolled_back: Type.Boolean(),
})

const Signer = closed({
  status: words(['LIVE', 'DEMO', 'UNSIGNED', 'UNAVAILABLE']),
  signing_available: Type.Boolean(),
  key_kind: KeyKind,
  meaning: Type.String(),
  fingerprint: Text,
  tested_at: Text,
})

const DecisionItem = closed({
  decision: words(DECISIONS),
  reasons: Type.Array(Type.String(), { description: 'The first 16; reasons_total says how many the receipt has' }),
  reasons_total: Count,
  kind: Text,
  operation: Text,
  owner: Text,
  ts_utc: Text,
  chain: Type.String(),
  seq: Count,
  signed: words(['demo', 'production', 'unsigned', 'unknown key']),
  digest: Hex64,
  receipt_url: Text,
  verify_url: Type.String(),
})

const Decisions = closed({
  items: Type.Array(DecisionItem, { maxItems: MAX_DECISIONS }),
  order: Type.Literal('newest first'),
  scanned: Type.Integer({ minimum: 0, description: 'Receipts looked at, newest first; at most 2000' }),
  size: Count,
  unreadable: Type.Integer({ minimum: 0, description: 'Receipts among them whose stored bytes are no receipt' }),
})

const ReviewItem = closed({
  review_id: Type.String(),
  operation: Type.String(),
  reasons: Type.Array(Type.String()),
  requested_by: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
  review_url: Text,
})

const Reviews = closed({
  namespace: Type.String(),
  waiting: Nullable(Count),
  counted_to: Count,
  oldest_seconds: Nullable(Count),
  four_eyes: Type.Boolean(),
  items: Type.Array(ReviewItem, { maxItems: MAX_REVIEWS }),
  order: Type.Literal('newest first'),
})

const GateItem = closed({ name: Type.String(), evaluated: Count, fired: Count, timed_out: Count, errors: Count })

const VerdictCounts = (description: string) => closed({ allow: Count, review: Count, deny: Count }, { description })

const Gates = closed({
  namespace: Type.String(),
  since: Timestamp,
  in_charge: Type.Boolean({ description: 'Rules and policies are loaded; without both nothing is decided' }),
  reason: Text,
  decisions: VerdictCounts('Receipts of kind decision'),
  verdicts: VerdictCounts('Verdicts in receipts of other kinds: inference, agent-step, step'),
  output_scans: VerdictCounts('Scans of tool and model output'),
  gates: Type.Array(GateItem),
})

const LinkItem = closed({ title: Type.String(), path: Type.String(), summary: Type.String() })

export const Overview = closed(
  {
    schema: Type.Literal('orch.console/v1'),
    access: Access,
    service: Part(Service),
    ledger: Part(Ledger),
    signer: Part(Signer),
    decisions: Part(Decisions),
    reviews: Part(Reviews),
    gates: Part(Gates),
    links: Type.Array(LinkItem),
    generated_at: Timestamp,
  },
  { $id: 'ConsoleOverview' },
)
export type OverviewReply = Readable<Static<typeof Overview>>

/** By `Accept`: the page as text, or its facts as JSON. */
export const PageReply = Type.Union([Type.String(), Overview])
