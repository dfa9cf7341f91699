/** What a search of a title takes and gives. */
import Type, { type Static } from 'typebox'
import { closed, Nullable, Texts, words } from '../../../domain/wire.ts'
import { KINDS } from './instruments.ts'
import { STATUTES } from './priority.ts'

export const MAX_PARCEL = 64
export const AS_OF = '2026-01-01'

const Id = Type.String({ minLength: 1, maxLength: 64 })
const Time = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2})?)?$',
  description: 'a day, or a time of day where it matters: 2020-05-17, 2020-05-17T10:15',
})
const Names = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }), { minItems: 1, maxItems: 8 })
const Ids = Type.Optional(Type.Array(Id, { maxItems: 32 }))
export type WrittenInstrument = Static<typeof WrittenInstrument>
const WrittenInstrument = closed({
  id: Id,
  type: words(KINDS),
  grantor: Names,
  grantee: Names,
  executed: Time,
  recorded: Nullable(Time),
  for_value: Type.Optional(Type.Boolean({ default: true })),
  knew_of: Type.Optional(
    Type.Array(Id, { maxItems: 32, description: 'instruments that the grantee knew of when this one was executed' }),
  ),
  fraction: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,3}(?:/[1-9]\\d{0,3})?$',
      description: 'of the whole parcel; without it, all that the grantors have',
    }),
  ),
  refs: Ids,
})
export const Search = closed({
  parcel: Type.String({ minLength: 1, maxLength: MAX_PARCEL }),
  instruments: Type.Optional(
    Type.Array(WrittenInstrument, {
      minItems: 1,
      maxItems: 200,
      description: 'of this parcel; without them the parcel is looked up in the sample county',
    }),
  ),
  as_of: Type.Optional({ ...Time, default: AS_OF }),
  years: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 40 })),
  statute: Type.Optional(words(STATUTES, { default: 'race_notice' })),
  root: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'the instrument (its grantees begin), or the party, that the walk starts from',
    }),
  ),
})

const Flag = Type.Boolean()
const Share = Type.String({ description: 'exact' })
export const Found = closed({
  verdict: words(['MARKETABLE', 'CURABLE', 'UNMARKETABLE']),
  owners: Type.Array(
    closed({
      ...{ name: Type.String(), fraction: Share, of_record: Flag },
      held_as: words(['root', 'instrument', 'remainder', 'estate']),
    }),
  ),
  fraction_sum: Type.String({ description: 'of the owners that hold by an instrument or from the root' }),
  root: closed({
    ...{ parties: Texts, source: words(['instrument', 'party', 'assumed']) },
    root_of_title: Nullable(Type.String({ description: 'the last conveyance of the whole that is `years` old' })),
  }),
  chain: Type.Array(
    closed({
      ...{ id: Type.String(), type: words(KINDS), from: Texts, to: Texts },
      ...{ executed: Type.String(), recorded: Nullable(Type.String()), passed: Share },
    }),
  ),
  losing_claims: Type.Array(
    closed({
      ...{ id: Type.String(), grantee: Texts, claimed: Share, got: Share },
      ...{ lost_to: Texts, because: Type.String() },
    }),
  ),
  wild_deeds: Type.Array(closed({ id: Type.String(), grantor: Texts, reason: Type.String(), before_root: Flag })),
  breaks: Type.Array(
    closed({
      ...{ id: Type.String(), grantor: Type.String(), carries_title: Flag },
      unrecorded: Nullable(Type.String({ description: 'the instrument that the record lacks, where it is known' })),
    }),
  ),
  open_liens: Type.Array(
    closed({
      ...{ id: Type.String(), type: words(KINDS), holder: Texts, recorded: Nullable(Type.String()) },
      ...{ binds: Flag, why: Type.String(), before_root: Flag },
    }),
  ),
  name_candidates: Type.Array(closed({ names: Texts, likeness: Type.Number() })),
  defects: Type.Array(
    closed({ code: Type.String(), instruments: Texts, cure: Type.String(), fraction: Type.Optional(Share) }),
  ),
  truncated_from: Type.Optional(Type.Integer({ description: 'of the longest list that was cut' })),
})
