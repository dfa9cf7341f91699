import { DECISIONS } from '@orch/core'
import Type, { type Static, type TSchema } from 'typebox'
import { MAX_DECISIONS } from '../../domain/receipts/newest-decisions.ts'
import { Count, Hex64, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'
import type { Readable } from '../../operation.ts'
import { MAX_REVIEWS } from './waiting-reviews.ts'

const closed = { additionalProperties: false }
const KeyKind = Nullable(words(['demo', 'production']))

const Unread = Type.Object(
  {
    state: words(['refused', 'failed']),
    label: Type.Literal('UNAVAILABLE'),
    value: Type.Null(),
    reason: Type.String(),
  },
  closed,
)

const Part = <T extends TSchema>(value: T) =>
  Type.Union([
    Type.Object(
      {
        state: Type.Literal('read'),
        label: Type.Literal('MEASURED'),
        value,
        source: Type.String(),
        read_at: Timestamp,
      },
      closed,
    ),
    Unread,
  ])

const Access = Type.Object(
  {
    auth_mode: words(['open', 'token', 'registry']),
    recognised: Type.Boolean(),
    namespace: Text,
    owner: Text,
    note: Type.String(),
  },
  closed,
)

const Service = Type.Object(
  {
    ready: Type.Boolean(),
    draining: Type.Boolean(),
    production_ready: Type.Boolean(),
    blocking: Type.Array(Type.String()),
    checks: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          outcome: words(['OK', 'FAILED', 'UNKNOWN']),
          blocking: Type.Boolean(),
          reason: Text,
        },
        closed,
      ),
    ),
    checked_at: Timestamp,
  },
  closed,
)

const Ledger = Type.Object(
  {
    size: Count,
    root: Nullable(Hex64),
    mode: words(['EPHEMERAL', 'DURABLE', 'DURABLE_EXTERNAL']),
    mode_meaning: Type.String(),
    takes_receipts: Type.Boolean(),
    read_only_reason: Text,
    rolled_back: Type.Boolean(),
  },
  closed,
)

const Signer = Type.Object(
  {
    status: words(['LIVE', 'DEMO', 'UNSIGNED', 'UNAVAILABLE']),
    signing_available: Type.Boolean(),
    key_kind: KeyKind,
    meaning: Type.String(),
    fingerprint: Text,
    tested_at: Text,
  },
  closed,
)

const DecisionItem = Type.Object(
  {
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
  },
  closed,
)

const Decisions = Type.Object(
  {
    items: Type.Array(DecisionItem, { maxItems: MAX_DECISIONS }),
    order: Type.Literal('newest first'),
    scanned: Type.Integer({ minimum: 0, description: 'Receipts looked at, newest first; at most 2000' }),
    size: Count,
    unreadable: Type.Integer({ minimum: 0, description: 'Receipts among them whose stored bytes are no receipt' }),
  },
  closed,
)

const ReviewItem = Type.Object(
  {
    review_id: Type.String(),
    operation: Type.String(),
    reasons: Type.Array(Type.String()),
    requested_by: Type.String(),
    created_at: Timestamp,
    expires_at: Timestamp,
    review_url: Text,
  },
  closed,
)

const Reviews = Type.Object(
  {
    namespace: Type.String(),
    waiting: Nullable(Count),
    counted_to: Count,
    oldest_seconds: Nullable(Count),
    four_eyes: Type.Boolean(),
    items: Type.Array(ReviewItem, { maxItems: MAX_REVIEWS }),
    order: Type.Literal('newest first'),
  },
  closed,
)

const GateItem = Type.Object(
  { name: Type.String(), evaluated: Count, fired: Count, timed_out: Count, errors: Count },
  closed,
)

const VerdictCounts = (description: string) =>
  Type.Object({ allow: Count, review: Count, deny: Count }, { description, ...closed })

const Gates = Type.Object(
  {
    namespace: Type.String(),
    since: Timestamp,
    in_charge: Type.Boolean({ description: 'Rules and policies are loaded; without both nothing is decided' }),
    reason: Text,
    decisions: VerdictCounts('Receipts of kind decision'),
    verdicts: VerdictCounts('Verdicts in receipts of other kinds: inference, agent-step, step'),
    output_scans: VerdictCounts('Scans of tool and model output'),
    gates: Type.Array(GateItem),
  },
  closed,
)

const LinkItem = Type.Object({ title: Type.String(), path: Type.String(), summary: Type.String() }, closed)

export const Overview = Type.Object(
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
  { ...closed, $id: 'ConsoleOverview' },
)
export type OverviewReply = Readable<Static<typeof Overview>>

/** By `Accept`: the page as text, or its facts as JSON. */
export const PageReply = Type.Union([Type.String(), Overview])
