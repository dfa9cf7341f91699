/** Request and result of N4. */
import Type, { type Static } from 'typebox'
import { closed, Hex64, Nullable, words } from '../../../domain/wire.ts'

export const GENERATORS = ['orders', 'sensors', 'people'] as const
const CHECKS = ['not_null', 'unique', 'range', 'regex', 'row_count', 'foreign_key'] as const
export const MAX_SQL = 4096
const MAX_ROWS = 2000

const NAME = '^[A-Za-z_][A-Za-z0-9_]{0,63}$'
const Name = Type.String({ pattern: NAME, description: 'letters, digits and _, at most 64' })
const Value = Type.Union([Type.Null(), Type.Boolean(), Type.Number(), Type.String()])
const Bound = Type.Optional(Type.Number())

export const Build = closed({
  sources: Type.Array(
    closed({
      name: Name,
      rows: Type.Optional(
        Type.Array(
          Type.Record(Type.String({ pattern: NAME }), Value, { maxProperties: 100, additionalProperties: false }),
          {
            minItems: 1,
            maxItems: MAX_ROWS,
          },
        ),
      ),
      generator: Type.Optional(closed({ kind: words(GENERATORS), rows: Type.Integer({ minimum: 1, maximum: 5000 }) })),
    }),
    { minItems: 1, maxItems: 8 },
  ),
  sql: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_SQL, description: 'one SELECT of SQLite' })),
  keys: Type.Optional(
    Type.Array(Name, {
      minItems: 1,
      maxItems: 4,
      description: 'columns of every source; joined on where there is no sql',
    }),
  ),
  expectations: Type.Optional(
    Type.Array(
      closed({
        type: words(CHECKS),
        column: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'of the result' })),
        min: Bound,
        max: Bound,
        pattern: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'RE2 syntax' })),
        references: Type.Optional(closed({ source: Name, column: Name })),
      }),
      { maxItems: 32, default: [] },
    ),
  ),
})
export type BuildRequest = Static<typeof Build>
export type Source = BuildRequest['sources'][number]
export type Expectation = NonNullable<BuildRequest['expectations']>[number]

export const Cell = Type.Union([Type.Null(), Type.Number(), Type.String()])
export type Cell = Static<typeof Cell>
const Count = Type.Integer({ minimum: 0 })
export const Built = closed({
  columns: Type.Array(
    closed({
      name: Type.String(),
      type: words(['integer', 'real', 'text', 'blob', 'null', 'mixed']),
      lineage: Nullable(Type.Array(Type.String())),
      nulls: Count,
    }),
  ),
  rows: Type.Array(Type.Array(Cell)),
  row_count: Count,
  rows_truncated_from: Nullable(Count),
  duplicate_rows: Count,
  key_match_rate: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  conflicts: Type.Array(
    closed({
      key: Type.Array(Cell),
      column: Type.String(),
      values: Type.Array(closed({ source: Type.String(), value: Cell })),
    }),
  ),
  conflicts_truncated_from: Nullable(Count),
  expectations: Type.Array(
    closed({
      type: words(CHECKS),
      column: Nullable(Type.String()),
      passed: Type.Boolean(),
      failing_rows: Count,
      sample: Type.Array(closed({ row: Count, value: Cell })),
    }),
  ),
  blocked: Type.Boolean(),
  source_sha256: Type.Array(Hex64),
})
export type Built = Static<typeof Built>
