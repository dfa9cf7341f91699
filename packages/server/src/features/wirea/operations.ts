import { roundDeep } from '../../domain/rounded.ts'
import { APPENDING } from '../../errors.ts'
import { operation, Reply } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports } from '../../ports.ts'
import { gapReply, panelReply } from './calculators.ts'
import { ANOMALY_EXAMPLE, REWARD_EXAMPLE, SCORES_EXAMPLE } from './examples.ts'
import { GraphReply } from './graph/replies.ts'
import type { WireaPorts } from './ports.ts'
import * as replies from './replies.ts'
import {
  ANOMALY,
  anomalyDraft,
  coverageReply,
  graphReply,
  REWARD,
  rewardDraft,
  SCORES,
  scoresDraft,
} from './run-jobs.ts'
import * as schemas from './schemas.ts'
import { ScoresReply } from './scores/replies.ts'

type Deps = Pick<Ports, 'catalog' | 'clock' | 'recorder'> & WireaPorts

const SURFACE = 'wirea.'
const MIB = 1024 * 1024
/** As many numbers as fit into a mebibyte with their commas. */
const MAX_NUMBERS = MIB / 2
const COMPUTED = ['compute_busy', 'compute_timeout'] as const
const reading = { group: 'Research', method: 'GET', scope: null } as const
const analysing = {
  group: 'Research',
  method: 'POST',
  scope: 'analysis:run',
  emptyBody: 'example',
  labels: ['MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
} as const

/** Calculators whose answers are right or say that they are not: anomalies, divergences, means, routing, scores, coverage,
 *  graphs, and a search over all that the service says of itself. */
export const wirea = ({ catalog, clock, recorder, wirea }: Deps) => [
  operation({
    ...reading,
    id: 'wirea.healthz',
    path: '/wirea/healthz',
    summary: 'Known answers recomputed now, and the routes of the analytics',
    description: 'A self-check that fails is answered with 503 and the same body.',
    reply: replies.Health,
    labels: ['MEASURED'],
    run() {
      const self_checks = wirea.selfChecks()
      const ok = self_checks.every(({ passed }) => passed)
      const routes = catalog
        .filter(({ id }) => id.startsWith(SURFACE))
        .map(({ id, method, path }) => ({ id, method, path }))
      const body: replies.Health = roundDeep({ ok, label: 'MEASURED', checked_at: isoNow(clock), routes, self_checks })
      return ok ? body : new Reply(body, { status: 503 })
    },
  }),
  operation({
    ...analysing,
    id: ANOMALY,
    path: '/wirea/anomaly/percentiles',
    summary: 'How unusual values are against a baseline: conformal p-values, exact quantile intervals, robust scores',
    description:
      'Exact in finite samples where baseline and value are exchangeable. Several values are judged together by Benjamini and Hochberg.',
    body: schemas.AnomalyBody,
    bodyRule: { anyOf: [{ required: ['value'] }, { required: ['values'] }] },
    bodyLimit: MIB,
    bodyValues: MAX_NUMBERS,
    reply: replies.AnomalyReply,
    errors: [...COMPUTED, ...APPENDING],
    example: { body: ANOMALY_EXAMPLE },
    run: (call) => recorder.record(call, ANOMALY, { decide: () => anomalyDraft(wirea, call) }),
  }),
  operation({
    ...reading,
    id: 'wirea.trustGap',
    path: '/wirea/trust/gap',
    summary: 'How far an observed distribution lies from a reference, with bounds and a G test',
    query: schemas.GapQuery,
    reply: replies.GapReply,
    labels: ['MODELED', 'SAMPLE'],
    example: { query: { observed: '0.6,0.25,0.15', reference: '0.5,0.3,0.2', n: 1000 } },
    run: ({ query }) => gapReply(query),
  }),
  operation({
    ...reading,
    id: 'wirea.lambdaPanel',
    path: '/wirea/lambda/panel',
    summary: 'Means of scores side by side, under the ceiling and against the floor; it decides nothing',
    query: schemas.PanelQuery,
    reply: replies.PanelReply,
    labels: ['MODELED', 'SAMPLE'],
    example: { query: { scores: '0.97,0.94,0.92,0.99,0.88,0.95', kind: 'geometric', p: 2 } },
    run: ({ query }) => panelReply(query),
  }),
  operation({
    ...reading,
    id: 'wirea.search',
    path: '/wirea/search',
    summary:
      'Search operations, organs, formulas, labels, requirements, errors, limits, projects and the caller’s newest receipts',
    description:
      'Words are joined by or; "a phrase" must occur, pre* finds what begins so, -not leaves out; sixteen of these are looked up. Ranked by BM25; no character is an error. Receipts are those that the caller may read.',
    query: schemas.SearchQuery,
    narrows: true,
    reply: replies.SearchResult,
    labels: ['STRUCTURAL-ONLY'],
    example: { query: { q: 'verify receipt', limit: 5 } },
    run: ({ query, caller }) => wirea.search(query.q, query.limit, caller),
  }),
  operation({
    ...analysing,
    id: REWARD,
    path: '/wirea/router/reward',
    summary: 'Rank models by quality, cost and latency, exactly, and say how far the weights may move',
    body: schemas.RewardBody,
    reply: replies.RewardReply,
    errors: [...COMPUTED, ...APPENDING],
    example: { body: REWARD_EXAMPLE },
    run: (call) => recorder.record(call, REWARD, { decide: () => rewardDraft(wirea, call) }),
  }),
  operation({
    ...analysing,
    id: SCORES,
    path: '/wirea/eval/scores',
    summary: 'Proper scores of probabilities, ensembles and quantiles, with decompositions and intervals',
    description:
      'Send probs with outcomes, forecasts or quantiles with observed, candidates, or several of these; what is not sent is null.',
    body: schemas.ScoresBody,
    bodyRule: {
      anyOf: [
        { required: ['probs'] },
        { required: ['forecasts'] },
        { required: ['quantiles'] },
        { required: ['candidates'] },
      ],
      dependentRequired: { probs: ['outcomes'], outcomes: ['probs'], forecasts: ['observed'], quantiles: ['observed'] },
    },
    bodyLimit: MIB,
    bodyValues: MAX_NUMBERS,
    reply: ScoresReply,
    errors: [...COMPUTED, ...APPENDING],
    example: { body: SCORES_EXAMPLE },
    run: (call) => recorder.record(call, SCORES, { decide: () => scoresDraft(wirea, call) }),
  }),
  operation({
    ...reading,
    id: 'wirea.forecastCoverage',
    path: '/wirea/forecast/coverage',
    summary: 'Split conformal prediction tried on data of a known law: does the band cover what it promises?',
    query: schemas.CoverageQuery,
    reply: replies.CoverageReply,
    labels: ['SIMULATED'],
    errors: COMPUTED,
    example: { query: { target: 0.9, n: 40, seed: 7, trials: 20, scenario: 'iid' } },
    run: ({ query, signal }) => coverageReply(wirea, query, signal),
  }),
  operation({
    ...reading,
    id: 'wirea.graphMetrics',
    path: '/wirea/graph/metrics',
    summary: 'Measures of a graph of this service or of a fixture: spectra, cuts, cycles, centralities',
    description: 'The graph chain holds the caller’s own receipts alone, and reading it takes what reading them takes.',
    query: schemas.GraphQuery,
    narrows: true,
    reply: GraphReply,
    labels: ['MEASURED', 'SAMPLE'],
    errors: [...COMPUTED, 'gates_unavailable', 'missing_authorization', 'missing_scopes'],
    example: { query: { graph: 'organism' } },
    run: (call) => graphReply(wirea, call.query.graph, call),
  }),
]
