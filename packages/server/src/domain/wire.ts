/** Wire shapes that more than one surface answers with. */
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import type { ErrorCode } from '../errors.ts'

/** What an operation that leaves a receipt may be refused with because of the ledger. */
export const LEDGER_ERRORS = [
  'ledger_busy',
  'ledger_read_only',
  'signer_unavailable',
  'store_unavailable',
] as const satisfies readonly ErrorCode[]

/** One of these words. */
export const words = <const T extends string>(
  list: readonly T[],
  options: { default?: T; description?: string } = {},
) => Type.Unsafe<T>(Type.Enum([...list], options))
export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])
export const Hex64 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: '64 lower-case hex characters',
  examples: ['0123456789abcdef'.repeat(4)],
})
export const Text = Nullable(Type.String())
/** A list that holds just these, each in its place, as JSON Schema 2020-12 writes it: `Type.Tuple` writes an older form. */
export const tuple = <T extends TSchema[]>(...members: [...T]) =>
  Type.Unsafe<StaticTuple<T>>({
    ...{ type: 'array', prefixItems: members, items: false },
    ...{ minItems: members.length, maxItems: members.length },
  })
type StaticTuple<T extends TSchema[]> = { [Place in keyof T]: Static<T[Place]> }
export const Texts = Type.Array(Type.String())
export const AnyObject = Type.Record(Type.String(), Type.Unknown())
/** For shapes in which every field is known. */
export const exactly = { additionalProperties: false } as const
export const closed = <T extends TProperties>(fields: T) => Type.Object(fields, exactly)
/** The same under a name of its own in the interface description. */
export const named = <T extends TProperties>($id: string, fields: T) => Type.Object(fields, { ...exactly, $id })
/** Fields of these names that hold whole numbers. */
export const integers = <const Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Record<Name, Type.TInteger>
export const Count = Type.Integer({ minimum: 0 })
export const Timestamp = Type.String({ format: 'date-time' })

export const ReceiptSummary = Type.Object(
  {
    receipt_id: Hex64,
    digest: Hex64,
    chain: Type.String(),
    seq: Count,
    prev: Hex64,
    node_index: Count,
    signed: Type.Boolean(),
    keyid: Text,
    key_kind: Text,
    label: Type.Literal('STRUCTURAL-ONLY'),
    verify_url: Type.String(),
  },
  { $id: 'ReceiptSummary' },
)

export const Inclusion = Type.Object(
  { leaf_index: Count, tree_size: Count, root: Hex64, hashes: Type.Array(Hex64) },
  { $id: 'InclusionProof' },
)

export const Dsse = Type.Object(
  {
    payloadType: Type.String(),
    payload: Type.String(),
    signatures: Type.Array(Type.Object({ sig: Type.String(), keyid: Type.String() })),
    signed: Type.Boolean(),
    keyid: Type.String(),
    honesty: Type.String(),
    _dsse: Type.String(),
    _pae_sha256: Nullable(Hex64),
  },
  { $id: 'DsseEnvelope' },
)

export type DsseEnvelope = Static<typeof Dsse>

/** The receipt of a reply that was asked for with `envelope=1`: the summary, and what makes evidence of it. */
export const ReceiptEvidence = Type.Object(
  {
    ...ReceiptSummary.properties,
    dsse: Type.Optional(Dsse),
    inclusion: Type.Optional(Nullable(Inclusion)),
    checkpoint: Type.Optional(Text),
  },
  { $id: 'ReceiptEvidence' },
)

export const EnvelopeQuery = Type.Object({
  envelope: Type.Optional(
    Type.Boolean({ description: 'the reply carries envelope, proof of inclusion and a signed checkpoint' }),
  ),
})

/** The walk over the ledger that a reply speaks of. Indexes are inclusive: `to_index - from_index + 1` receipts were walked,
 *  -1 for the end of an empty ledger. */
export const Walk = Type.Object(
  {
    walked_now: Count,
    from_index: Count,
    to_index: Type.Integer({ minimum: -1 }),
    size: Count,
    /** When it began; it counts for a few seconds. */
    walked_at: Timestamp,
    /** When a walk from genesis last came to the head; null before the first that had receipts to walk. */
    full_walk_ended_at: Nullable(Timestamp),
    signatures_checked_now: Count,
  },
  { $id: 'LedgerWalk', description: 'the walk behind what is said: made now or shared, at most 10 s old' },
)
