/** N6 Cover: rates a risk, runs the life of a policy, reserves a triangle and simulates a portfolio. */
import Big from 'big.js'
import type { Static } from 'typebox'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, op, type RequestFault } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { dayOf } from './dates.ts'
import { EVENT_FIELDS, runLifecycle } from './lifecycle.ts'
import { expectedLosses, type PortfolioRequest, simulatePortfolio } from './portfolio.ts'
import { coverPrompt } from './prompt.ts'
import { type QuoteRequest, quote, quoteFaults } from './rating.ts'
import { chainLadder, type Triangle } from './reserving.ts'
import {
  Lifecycle,
  Lived,
  type PolicyEvent,
  Portfolio,
  Quote,
  Quoted,
  Reserved,
  Simulated,
  TriangleRequest,
} from './shapes.ts'

const VERSION = '1.1.0'
const MAX_INLINE = 200_000
const DEADLINE_MS = 5000
/** What the stream of a trial takes, in draws. */
const TRIAL_WORK = 30
/** Beyond it neither the cents nor the squares of an amount are exact enough to be told. */
const MAX_AMOUNT = 1e18

type PortfolioFields = Static<typeof Portfolio>
type Simulation = Parameters<typeof simulatePortfolio>[0]

export function cover({ compute }: { compute: Compute }): Organ {
  const job = compute.register<Simulation, ReturnType<typeof simulatePortfolio>>({
    name: 'organ-cover-portfolio',
    module: new URL('./portfolio.ts', import.meta.url),
    function: 'simulatePortfolio',
    deadlineMs: DEADLINE_MS,
  })
  const inline = { isolation: 'inline', deadlineMs: 1000 }
  return {
    id: 'N6',
    version: VERSION,
    ops: {
      quote: op({
        ...inline,
        summary: 'The premium of a risk by the bundled manual, factor by factor',
        request: Quote,
        result: Quoted,
        maxWork: 16,
        estimate: ({ factors }) => Object.keys(factors ?? {}).length,
        check: (request) => quoteFaults(request as QuoteRequest),
        run: (request) => quote(request as QuoteRequest),
      }),
      lifecycle: op({
        ...inline,
        summary:
          'The state and the amounts that the events of a policy lead to; what is not allowed is refused by name',
        request: Lifecycle,
        result: Lived,
        maxWork: 100,
        estimate: ({ events }) => events.length,
        check: ({ events }) => events.flatMap((event, at) => eventFaults(event, at)).slice(0, 32),
        run({ events }) {
          const { result, isBound } = runLifecycle(events)
          const status = result.refused.length > 0 ? 'DENIED' : isBound ? 'APPROVED' : 'EXECUTED'
          return { result, status, limits: [TERMS] }
        },
      }),
      triangle: op({
        ...inline,
        summary: 'Chain ladder on a cumulative triangle, with the standard error of Mack for each origin and in total',
        request: TriangleRequest,
        result: Reserved,
        maxWork: 400,
        estimate: ({ values }) => values.length ** 2,
        check: triangleFaults,
        run(request) {
          const { origins, total, ...factors } = chainLadder(toTriangle(request))
          return {
            result: { ...factors, origins: origins.map(inMoney), ...inMoney(total) },
            limits: [
              EXTRAPOLATED,
              ...(request.values.length === 3 ? [ONE_SIGMA] : []),
              ...(request.tail === 1 ? [] : [CERTAIN_TAIL]),
            ],
          }
        },
      }),
      portfolio: op({
        summary: 'The distribution of the aggregate loss of a portfolio: mean, VaR and TVaR of one layer',
        request: Portfolio,
        result: Simulated,
        isolation: `worker above ${MAX_INLINE} units, ${TRIAL_WORK} for each trial included, else inline`,
        deadlineMs: DEADLINE_MS,
        maxWork: 20_000_000,
        usesSeed: true,
        estimate: portfolioWork,
        check: ({ limit, premium }) =>
          Object.entries({ limit, premium }).flatMap(([field, amount]) =>
            amount !== undefined && new Big(amount).eq(0) ? [{ place: [field], message: 'must be above 0' }] : [],
          ),
        async run(fields, { seed, job: runJob }) {
          const request = toPortfolio(fields)
          const params = { request, stream: { organ: 'N6', version: VERSION, op: 'portfolio', seed } }
          const isHeavy = portfolioWork(fields) + TRIAL_WORK * fields.trials! > MAX_INLINE
          const { mean, sd, mean_se, ...tails } = isHeavy ? await runJob(job, params) : simulatePortfolio(params)
          const premium = fields.premium === undefined ? null : Number(fields.premium)
          const ratio = (amount: number) => amount / premium!
          const result = {
            ...inMoney({ mean, sd, mean_se, ...tails }),
            loss_ratio:
              premium === null ? null : { mean: ratio(mean), p95: ratio(tails.var_95), p99: ratio(tails.var_99) },
            expected: inMoney(expectedLosses(request)),
            expected_losses: request.n * request.freq,
          }
          return { result: result as Static<typeof Simulated>, limits: [INDEPENDENT] }
        },
      }),
    },
    fromPrompt: coverPrompt,
    example: {
      request: {
        op: 'quote',
        line: 'home',
        exposure: '350000',
        limit: '300000',
        deductible: '1000',
        factors: { construction: 'masonry', territory: '1.15' },
      },
      prompt: 'home 350000 limit 300000 deductible 1000',
    },
    evidence: {
      assumptions: [
        'premium = exposure x base x factors x limit factor x deductible credit; tables are linear between their amounts',
        'a term runs from the start of its first day to the start of its last one; premium is earned by the day',
        'chain ladder: volume-weighted factors, origins independent, the variance of the last age extrapolated (Mack 1993)',
        'portfolio: independent Poisson counts, independent lognormal losses, one layer for each loss',
      ],
      not_real: ['the rate manual is made up; nothing is quoted, bound, reserved or paid; no company stands behind it'],
    },
  }
}

const TERMS: Limit = {
  code: 'SIMPLIFIED_POLICY',
  detail:
    'one policy, one limit for each claim, amounts net of the deductible; no reinstatement, reopening, recovery or expense',
}
const EXTRAPOLATED: Limit = {
  code: 'MACK_ASSUMPTIONS',
  detail:
    'the error is that of the chain ladder alone: no calendar-year trend, and the variance of the last age is extrapolated from those before it',
}
const ONE_SIGMA: Limit = {
  code: 'ONE_SIGMA',
  detail:
    'of three origins one variance alone can be estimated, where the extrapolation of Mack needs two: the variance of the last age is set equal to it',
}
const CERTAIN_TAIL: Limit = {
  code: 'TAIL_WITHOUT_ERROR',
  detail: 'the tail factor is taken as certain: the standard error is too low by what it is uncertain',
}
const INDEPENDENT: Limit = {
  code: 'INDEPENDENT_LOSSES',
  detail: 'no common cause and no uncertainty of the parameters is in it: real tails are heavier',
}

/** Amounts as decimal text; a share stays a number. */
const inMoney = <Amounts extends Record<string, number | null>>(amounts: Amounts) =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [
      name,
      amount === null || name === 'cv' ? amount : new Big(amount).toFixed(2),
    ]),
  ) as { [Name in keyof Amounts]: Name extends 'cv' ? Amounts[Name] : string }

const portfolioWork = ({ n, freq, trials }: PortfolioFields): number => n * freq * trials!

const toPortfolio = ({ limit, deductible, premium: _, trials, ...request }: PortfolioFields): PortfolioRequest => ({
  ...request,
  trials: trials!,
  limit: limit === undefined ? null : Number(limit),
  deductible: Number(deductible),
})

function eventFaults(event: PolicyEvent, at: number): RequestFault[] {
  const { needs, may = [] } = EVENT_FIELDS[event.type]
  const { type: _, at: __, ...fields } = event
  const dates = (['at', 'effective', 'expires', 'loss_date'] as const).filter(
    (field) => event[field] !== undefined && dayOf(event[field]) === null,
  )
  const lacking = needs.filter((field) => !(field in fields))
  const surplus = Object.keys(fields).filter((field) => !needs.includes(field) && !may.includes(field))
  const fault = (message: string, type?: string) => (field: string) => ({
    place: ['events', at, field],
    message,
    ...(type === undefined ? {} : { type }),
  })
  return [
    ...dates.map(fault('is no day of the calendar')),
    ...lacking.map(fault(`is needed by ${event.type}`, 'missing')),
    ...surplus.map(fault(`is no field of ${event.type}`, 'extra_forbidden')),
  ]
}

type TriangleFields = Static<typeof TriangleRequest>

/** Cells below the diagonal may be null or left out. */
function triangleFaults({ values, tail }: TriangleFields): RequestFault[] {
  const n = values.length
  const faults: RequestFault[] = []
  for (const [i, row] of values.entries()) {
    const known = n - i
    if (row.length !== n && row.length !== known)
      faults.push({ place: ['values', i], message: `must have ${n} cells, or the ${known} that are known` })
    for (const [k, cell] of row.entries()) {
      const place = ['values', i, k]
      if (k >= known && cell !== null) faults.push({ place, message: 'lies below the diagonal and must be null' })
      else if (k < known && cell === null) faults.push({ place, message: 'is a hole in the triangle' })
      else if (cell !== null && !(Number(cell) > 0)) faults.push({ place, message: 'must be above 0' })
    }
  }
  if (faults.length > 0) return faults.slice(0, 32)
  const { total } = chainLadder(toTriangle({ values, tail }))
  const isTold = Object.values(total).every((amount) => amount === null || Math.abs(amount) <= MAX_AMOUNT)
  return isTold ? [] : [{ place: ['values'], message: `develop to more than ${MAX_AMOUNT}, or to an error above that` }]
}

const toTriangle = ({ values, tail }: TriangleFields): Triangle => ({
  values: values.map((row) => row.map((cell) => (cell === null ? null : Number(cell)))),
  tail: tail ?? 1,
})
