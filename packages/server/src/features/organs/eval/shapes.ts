/** What is asked and answered of an evaluation. */
import Type, { type Static } from 'typebox'
import { closed, exactly, Nullable, words } from '../../../domain/wire.ts'
import { SUITES } from './suites.ts'

const MAX_CASES = 200

const Id = Type.String({ minLength: 1, maxLength: 64 })
/** A text, a pattern, a number or milliseconds. */
const Expected = Type.Union([Type.String({ maxLength: 8192 }), Type.Number()])
const Assert = closed({
  type: words([
    ...(['equals', 'contains', 'icontains', 'regex', 'is-json', 'levenshtein', 'rouge-n'] as const),
    ...(['number-close', 'max-ms'] as const),
  ]),
  value: Type.Optional(Expected),
  schema: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Boolean()])),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'largest distance (levenshtein) or difference (number-close), smallest F1 (rouge-n)',
    }),
  ),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, description: 'words in a gram of rouge-n' })),
})
export type Assert = Static<typeof Assert>
const Case = closed({
  id: Id,
  output: Type.String({ maxLength: 8192 }),
  expected: Type.Optional(Expected),
  ms: Type.Optional(Type.Number({ minimum: 0 })),
  asserts: Type.Array(Assert, { minItems: 1, maxItems: 8 }),
})
export type EvalCase = Static<typeof Case>
const GateSpec = Type.Object(
  {
    min_pass: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.8 })),
    // Without one every case may regress, and the test on the pairs decides.
    max_regress: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_CASES, default: MAX_CASES })),
  },
  { ...exactly, default: {} },
)
export type Gate = Required<Static<typeof GateSpec>>
const Baseline = Type.Array(closed({ id: Id, passed: Type.Boolean() }), { minItems: 1, maxItems: MAX_CASES })
export type Baseline = Static<typeof Baseline>
export const Run = closed({
  cases: Type.Array(Case, { minItems: 1, maxItems: MAX_CASES }),
  baseline: Type.Optional(Baseline),
  gate: Type.Optional(GateSpec),
})
export const RunSuite = closed({ name: words(SUITES), gate: Type.Optional(GateSpec) })

const share = Type.Number({ minimum: 0, maximum: 1 })
const Truncated = Nullable(Type.Integer({ description: 'how many there are, where the list was cut' }))
const at = { id: Type.String(), assert: Type.Integer(), type: Type.String() }
const Interval = { low: Type.Number(), high: Type.Number() }
/** `score`: a distance, F1, difference or milliseconds; null where there is only yes or no. */
const Outcome = {
  passed: Type.Boolean(),
  score: Nullable(Type.Number()),
  precision: Type.Optional(share),
  recall: Type.Optional(share),
}
export type AssertOutcome = Static<ReturnType<typeof closed<typeof Outcome>>> & { detail: string }
export const Result = closed({
  passed: Type.Integer(),
  total: Type.Integer(),
  skipped: Type.Integer({ description: 'cases whose organ this build does not have' }),
  interval: Nullable(closed(Interval)),
  per_assert: Type.Array(closed({ ...at, ...Outcome })),
  per_assert_truncated_from: Truncated,
  failures: Type.Array(closed({ ...at, detail: Type.String() })),
  failures_truncated_from: Truncated,
  mcnemar: Nullable(closed({ b: Type.Integer(), c: Type.Integer(), p: share })),
  delta: Nullable(closed({ value: Type.Number(), ...Interval, se: Type.Number() })),
  verdict: words(['PASS', 'FAIL', 'INCONCLUSIVE']),
  gate: closed({
    min_pass: share,
    max_regress: Type.Integer({ description: `${MAX_CASES} where every case may regress` }),
  }),
  junit: Type.String(),
})
export type Report = Static<typeof Result>
