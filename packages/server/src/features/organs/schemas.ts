/** Wire shapes of the organs. */
import Type, { type Static } from 'typebox'
import { EVIDENCE_CLASSES, ORGAN_BODIES } from '../../domain/organ-table.ts'
import {
  AnyObject,
  Count,
  exactly,
  Hex64,
  Nullable,
  ReceiptEvidence,
  Text,
  Timestamp,
  words,
} from '../../domain/wire.ts'

export const STATUSES = [
  'EXECUTED',
  'APPROVED',
  'DENIED',
  'AWAITING_APPROVAL',
  'LIMIT_EXCEEDED',
  'NEEDS_INPUT',
  'UNAVAILABLE',
] as const
export type RunStatus = (typeof STATUSES)[number]

const OrganItem = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    body: words(ORGAN_BODIES),
    job: Type.String(),
    evidence_class: words(EVIDENCE_CLASSES),
    honesty: words(EVIDENCE_CLASSES),
    run: Type.String(),
  },
  { ...exactly, $id: 'OrganItem' },
)
export type OrganItem = Static<typeof OrganItem>

export const OrganCatalog = Type.Object(
  {
    schema: Type.Literal('orch.organ-catalog/v1'),
    honesty: Type.Literal('PER_ORGAN_EVIDENCE_CLASS'),
    count: Type.Literal(25),
    admitted_public: Type.Literal(false),
    origin: Type.String(),
    proof_record: Type.String(),
    items: Type.Array(OrganItem),
    note: Type.String(),
  },
  { ...exactly, $id: 'OrganCatalog' },
)

export const OrganPath = Type.Object({
  organ_id: Type.String({ description: 'N1 to N25', examples: ['N25'], maxLength: 64 }),
})

const OpDetail = Type.Object(
  {
    op: Type.String(),
    default: Type.Boolean(),
    summary: Type.String(),
    isolation: Type.String(),
    deadline_ms: Count,
    max_work: Type.Number(),
    writes_state: Type.Boolean(),
  },
  exactly,
)

export const OrganDetail = Type.Object(
  {
    schema: Type.Literal('orch.organ-detail/v1'),
    ...OrganItem.properties,
    version: Type.String(),
    request_schema: AnyObject,
    response_schema: AnyObject,
    ops: Type.Array(OpDetail),
    example: Type.Object({ request: AnyObject, prompt: Type.String(), result_sha256: Nullable(Hex64) }, exactly),
    limits: Type.Record(Type.String(), Type.String()),
    backends: Type.Array(Type.Object({ env: Type.String(), configured: Type.Boolean(), adds: Type.String() }, exactly)),
    doc: Type.String(),
  },
  { ...exactly, $id: 'OrganDetail' },
)

export const HistoryQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 40 })),
  cursor: Type.Optional(Type.String({ pattern: '^[is][0-9]{1,15}$', description: '`next_cursor` of the page before' })),
  organ: Type.Optional(Type.String({ pattern: '^N([1-9]|1[0-9]|2[0-5])$', description: 'N1 to N25' })),
  status: Type.Optional(words(STATUSES)),
})

const run = {
  organ: Type.String(),
  op: Type.String(),
  version: Type.String(),
  status: words(STATUSES),
  input_sha256: Hex64,
  result_sha256: Nullable(Hex64),
}

const Source = words(['CALLER', 'DEFAULT_EXAMPLE'])

/** What a receipt says of its run, beside the digests of evidence and attachments. */
export const RunPayload = Type.Object({ ...run, class: words(EVIDENCE_CLASSES), input_source: Source })

const HistoryItem = Type.Object(
  {
    ...{ receipt_id: Hex64, seq: Count, ...run, class_at_run: words(EVIDENCE_CLASSES) },
    ...{ input_source: Source, ts: Timestamp },
  },
  exactly,
)
export type HistoryItem = Static<typeof HistoryItem>

export const OrganHistory = Type.Object(
  {
    schema: Type.Literal('orch.organ-history/v1'),
    order: Type.Literal('newest_first'),
    durability: Type.String(),
    count: Count,
    items: Type.Array(HistoryItem),
    next_cursor: Text,
  },
  { ...exactly, $id: 'OrganHistory' },
)

const Limit = Type.Object({ code: Type.String(), detail: Type.String() }, exactly)
export type Limit = Static<typeof Limit>

/** What a configured back end said; it never touches the result. */
export type Attachment = Static<typeof Attachment>
const Attachment = Type.Object(
  {
    kind: Type.String(),
    label: Type.String(),
    mode: Type.String(),
    source: Type.String(),
    read_at: Timestamp,
    value: Type.Unknown(),
    reason: Text,
  },
  exactly,
)

export const OrganRun = Type.Object(
  {
    schema: Type.Literal('orch.organ-run/v1'),
    ok: Type.Boolean(),
    id: Type.String(),
    title: Type.String(),
    body: words(ORGAN_BODIES),
    job: Type.String(),
    evidence_class: words(EVIDENCE_CLASSES),
    honesty: words(EVIDENCE_CLASSES),
    op: Type.String(),
    version: Type.String(),
    status: words(STATUSES),
    deterministic: Type.Boolean(),
    input_source: Source,
    input_form: words(['structured', 'prompt', 'empty']),
    dry_run: Type.Optional(Type.Literal(true, { description: 'nothing was written; always so for the example' })),
    input_sha256: Hex64,
    result: Nullable(AnyObject),
    result_sha256: Nullable(Hex64),
    evidence: AnyObject,
    attachments: Type.Array(Attachment),
    limits: Type.Array(Limit),
    label: Type.Optional(Type.Literal('UNAVAILABLE')),
    reason: Type.Optional(Text),
    formula_grants_authority: Type.Literal(false),
    receipt: ReceiptEvidence,
    ts: Timestamp,
  },
  { ...exactly, $id: 'OrganRun' },
)
