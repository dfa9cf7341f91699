/** What drains and recoveries are asked with, and what they report. */
import Type, { type Static } from 'typebox'
import { Count, Hex64, Nullable, ReceiptSummary, Text, words } from '../../domain/wire.ts'
import { EFFECT_STATES, ERROR_CLASSES } from './rules/effect-transitions.ts'
import { Closed, EffectKindName } from './schemas.ts'

export const EffectLimit = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})

export const EmptyBody = Type.Object({}, Closed)

export const RecoveryHeaders = Type.Object({
  'x-expected-source-revision': Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{40}$',
      description: 'Nothing is touched unless this revision runs',
      examples: ['0123456789abcdef0123456789abcdef01234567'],
    }),
  ),
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,128}$',
      description: 'Without one every request is a run of its own',
      examples: ['recovery-2026-01-31'],
    }),
  ),
})

export const DrainReply = Type.Object(
  {
    schema: Type.Literal('orch.gdw.drain-report/v1'),
    label: Type.Literal('MEASURED'),
    limit: Type.Integer({ minimum: 1, maximum: 1000 }),
    attempted: Count,
    exported: Count,
    failed: Count,
    fenced_out: Count,
    dead_lettered: { ...Count, description: 'Those whose last lease had run out included' },
    pending: Count,
    claimed: Count,
    dead_letter: Count,
    due_remaining: Count,
    errors: Type.Array(
      Type.Object(
        {
          effect_id: Nullable(Hex64),
          kind: EffectKindName,
          class: words(ERROR_CLASSES),
          code: Type.String(),
        },
        Closed,
      ),
    ),
    receipt: ReceiptSummary,
  },
  { ...Closed, $id: 'DrainReport' },
)
export type DrainReply = Static<typeof DrainReply>
/** What one run over a namespace did, and how it left things. */
export type DrainReport = Omit<DrainReply, 'schema' | 'label' | 'receipt'>

export const RecoveryReply = Type.Object(
  {
    schema: Type.Literal('orch.gdw.transient-effect-recovery/v1'),
    label: Type.Literal('MEASURED'),
    status: words(['RESCHEDULED', 'NO_ELIGIBLE_EFFECTS']),
    recovery_id: Type.String(),
    source_revision: Text,
    requested_limit: Type.Integer({ minimum: 1, maximum: 1000 }),
    inspected: Count,
    eligible: Count,
    rescheduled: Count,
    revived_dead_letters: Count,
    eligible_remaining: Count,
    skipped: Type.Object({ claimed: Count, permanent: Count, unclassified: Count, recovery_limit: Count }, Closed),
    by_code: Type.Record(Type.String(), Count),
    selection: Type.Array(Type.Object({ effect_id: Hex64, from: words(EFFECT_STATES), attempts: Count }, Closed)),
    selection_sha256: Hex64,
    receipt: ReceiptSummary,
  },
  { ...Closed, $id: 'TransientEffectRecovery' },
)
export type RecoveryReply = Static<typeof RecoveryReply>
