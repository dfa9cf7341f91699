/** Requests and results of N6. Money is decimal text, in and out. */
import Type, { type Static } from 'typebox'
import { closed, Nullable, words } from '../../../domain/wire.ts'
import { ACCOUNTS, EVENTS, STATES } from './lifecycle.ts'
import { AS_OF, EXPOSURE_PATTERN, LINES, MONEY_PATTERN } from './rating.ts'

const Money = Type.String({ pattern: MONEY_PATTERN, description: 'decimal text such as "1250.00", at most two places' })
const Exact = Type.String({ pattern: EXPOSURE_PATTERN, description: 'decimal text, at most four places' })
const SignedMoney = Type.String({
  pattern: MONEY_PATTERN.replace('^', '^-?'),
  description: 'decimal text, also negative',
})
const Day = Type.String({ pattern: '^(?:19|2[01])\\d{2}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD' })
const Name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' })

export const Quote = closed({
  line: words(LINES),
  exposure: Exact,
  limit: Money,
  deductible: Money,
  factors: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$' }),
      Type.String({
        pattern: '^(?:(?:0|[1-9]\\d?)(?:\\.\\d{1,4})?|[a-z][a-z_]{0,31})$',
        description: 'a level of the manual, or a relativity as decimal text',
      }),
      { maxProperties: 16, default: {}, additionalProperties: false },
    ),
  ),
  as_of: Type.Optional({ ...Day, default: AS_OF }),
})

const Decimal = Type.String()
export const Quoted = closed({
  line: words(LINES),
  premium: Decimal,
  breakdown: Type.Array(
    closed({
      step: Type.String(),
      level: Nullable(Type.String()),
      factor: Decimal,
      source: words(['manual', 'caller']),
      running: Decimal,
    }),
  ),
  rates_effective: Type.String(),
  as_of: Type.String(),
  valid_until: Type.String(),
})

export type PolicyEvent = Static<typeof PolicyEvent>
const PolicyEvent = closed({
  type: words(EVENTS),
  at: Day,
  premium: Type.Optional(Money),
  limit: Type.Optional(Money),
  issue: Type.Optional(Name),
  effective: Type.Optional(Day),
  expires: Type.Optional(Day),
  premium_change: Type.Optional(SignedMoney),
  claim: Type.Optional(Name),
  loss_date: Type.Optional(Day),
  amount: Type.Optional(Money),
})
export const Lifecycle = closed({ events: Type.Array(PolicyEvent, { minItems: 1, maxItems: 100 }) })
const State = words(STATES)
const Event = { index: Type.Integer(), type: words(EVENTS) }
export const Lived = closed({
  state: State,
  as_of: Nullable(Type.String()),
  term: Nullable(closed({ effective: Type.String(), expires: Type.String(), cover_ends: Type.String() })),
  open_issues: Type.Array(Type.String()),
  premium: closed({ written: Decimal, earned: Decimal, unearned: Decimal }),
  claims: Type.Array(
    closed({
      claim: Type.String(),
      status: words(['OPEN', 'CLOSED']),
      loss_date: Type.String(),
      reserve: Decimal,
      paid: Decimal,
      incurred: Decimal,
    }),
  ),
  totals: closed({ reserve: Decimal, paid: Decimal }),
  history: Type.Array(closed({ ...Event, from: State, to: State })),
  refused: Type.Array(closed({ ...Event, code: Type.String(), reason: Type.String(), state: State })),
  ledger: Type.Array(
    closed({
      index: Type.Integer(),
      at: Type.String(),
      account: words(ACCOUNTS),
      claim: Nullable(Type.String()),
      amount: Decimal,
    }),
  ),
})

const Cell = Type.Union([Type.Integer({ maximum: 1e15 }), Type.String({ pattern: MONEY_PATTERN }), Type.Null()], {
  description: 'a whole number or decimal text; null, or nothing, below the diagonal',
})
export const TriangleRequest = closed({
  values: Type.Array(Type.Array(Cell, { minItems: 1, maxItems: 20 }), { minItems: 3, maxItems: 20 }),
  tail: Type.Optional(Type.Number({ minimum: 1, maximum: 2, default: 1 })),
})
const Origin = closed({
  latest: Decimal,
  ultimate: Decimal,
  ibnr: Decimal,
  mack_se: Decimal,
  cv: Nullable(Type.Number()),
})
const Numbers = Type.Array(Type.Number())
export const Reserved = closed({
  ldf: Numbers,
  ldf_se: Numbers,
  sigma: Numbers,
  cdf: Numbers,
  origins: Type.Array(Origin),
  ...Origin.properties,
})

export const Portfolio = closed({
  n: Type.Integer({ minimum: 1, maximum: 10_000 }),
  freq: Type.Number({ minimum: 0, maximum: 5, description: 'losses of one policy in the period' }),
  sev_mu: Type.Number({ minimum: -5, maximum: 20 }),
  sev_sigma: Type.Number({ minimum: 0, maximum: 3 }),
  trials: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 1000 })),
  limit: Type.Optional({ ...Money, description: 'paid of one loss at most, above the deductible' }),
  deductible: Type.Optional({ ...Money, default: '0' }),
  premium: Type.Optional({ ...Money, description: 'of the whole portfolio; without it there is no loss ratio' }),
})
export const Simulated = closed({
  mean: Decimal,
  mean_se: Nullable(Decimal),
  sd: Nullable(Decimal),
  var_95: Decimal,
  tvar_95: Decimal,
  var_99: Decimal,
  tvar_99: Decimal,
  loss_ratio: Nullable(closed({ mean: Type.Number(), p95: Type.Number(), p99: Type.Number() })),
  expected: closed({ mean: Decimal, sd: Decimal }),
  expected_losses: Type.Number(),
})
