/** The analyses that run in the compute pool, as their operations ask for them. */
import { sha256Hex } from '@orch/core'
import { toComputeRefusal } from '../../domain/compute-refusal.ts'
import { roundDeep } from '../../domain/rounded.ts'
import { InputError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import type { Computed, Job } from '../../platform/compute/job.ts'
import type { Draft } from '../../ports.ts'
import { analysisDraft, summarise } from './analysis.ts'
import { analyseAnomalies, anomalyWork, MAX_INLINE } from './anomaly-job.ts'
import { SIMULATOR, VERSION } from './forecast-coverage.ts'
import { FIXTURES } from './graph/fixtures.ts'
import type { GraphInput } from './graph/graph.ts'
import { coveragePlot, graphPlot, rewardPlot } from './plots.ts'
import type { WireaPorts } from './ports.ts'
import { checkReward, rankCandidates, rewardResult, weightsOf } from './router-reward.ts'
import type { AnomalyBody, CoverageInput, LiveGraph, RewardBody, ScoresBody } from './schemas.ts'
import { checkScores } from './scores/request.ts'

type Wirea = WireaPorts['wirea']
type Asked<Body> = Pick<Call<unknown, unknown, Body>, 'body' | 'inputSource' | 'signal'>

async function run<Params, Result>(
  job: Job<Params, Result>,
  params: Params,
  place: 'query' | 'body',
  signal: AbortSignal,
): Promise<Computed<Result>> {
  try {
    return await job(params, { signal })
  } catch (error) {
    throw toComputeRefusal(error, place)
  }
}

const measuredBy = ({ origin, timing }: Computed<unknown>) => ({
  cache: origin === 'cache' ? ('hit' as const) : ('miss' as const),
  timing: timing && { wall_ms: timing.wallMs, cpu_ms: timing.cpuMs, queue_ms: timing.queueMs },
})

export const ANOMALY = 'wirea.anomalyPercentiles'
const ANOMALY_BASIS =
  'conformal p-values (1 + #{x >= v})/(n + 1) of the caller’s numbers; exact where baseline and value are exchangeable, and no more than that'

export async function anomalyDraft({ jobs }: Wirea, { body, inputSource, signal }: Asked<AnomalyBody>): Promise<Draft> {
  const { value, values } = body
  if ((value === undefined) === (values === undefined)) {
    const msg = value === undefined ? 'send a value, or values' : 'send a value or values, not both'
    throw new InputError([{ loc: ['body', 'value'], msg, type: value === undefined ? 'missing' : 'value' }])
  }
  const isSmall = anomalyWork(body) <= MAX_INLINE
  const summary = isSmall ? analyseAnomalies(body) : (await run(jobs.anomalies, body, 'body', signal)).value
  return analysisDraft({ operation: ANOMALY, basis: ANOMALY_BASIS }, summary, inputSource)
}

export const SCORES = 'wirea.evalScores'
const SCORES_BASIS =
  'proper scores of the caller’s forecasts: Brier and log score, Murphy and isotonic decompositions, ECE, CRPS, pinball loss; intervals are Wilson’s and the bootstrap’s at 95 %'

export async function scoresDraft({ jobs }: Wirea, { body, inputSource, signal }: Asked<ScoresBody>): Promise<Draft> {
  checkScores(body)
  const computed = await run(jobs.scores, body, 'body', signal)
  const { timing } = measuredBy(computed)
  const summary = { ...computed.value, beside: { ...computed.value.beside, timing } }
  return analysisDraft({ operation: SCORES, basis: SCORES_BASIS }, summary, inputSource)
}

export const REWARD = 'wirea.routerReward'
const REWARD_BASIS =
  'reward = alpha quality - beta cost - gamma latency, exact in units of 1e-12 (F12); quality_lcb is the 5 % quantile of Beta(1 + qn, 1 + n - qn), p_best a share of 4000 seeded draws from it'

export async function rewardDraft({ jobs }: Wirea, { body, inputSource, signal }: Asked<RewardBody>): Promise<Draft> {
  checkReward(body)
  const ranking = rankCandidates(body)
  const { alpha, beta, gamma } = weightsOf(body)
  const candidates = ranking.ranked.map(({ quality, cost, latency, trials }) => ({
    quality,
    trials,
    penalty: beta * cost + gamma * latency,
  }))
  const isOpen = candidates.some(({ trials }) => trials !== null)
  const judged = isOpen ? (await run(jobs.quality, { alpha, candidates }, 'body', signal)).value : null
  const result = rewardResult(body, ranking, judged)
  const summary = summarise(body, result, { plot: rewardPlot(result) })
  return analysisDraft({ operation: REWARD, basis: REWARD_BASIS }, summary, inputSource)
}

export async function coverageReply({ jobs }: Wirea, input: CoverageInput, signal: AbortSignal) {
  const computed = await run(jobs.coverage, input, 'query', signal)
  return roundDeep({
    ...computed.value,
    label: 'SIMULATED' as const,
    simulator: SIMULATOR,
    version: VERSION,
    seed: input.seed,
    assumptions: [
      'y = 2x + sin 3x + (0.3 + 0.2|x|) N(0, 1), x uniform in [-2, 2], rows independent',
      'a cubic fitted to 200 rows, n other rows to calibrate, 2000 fresh rows to test, anew in every trial',
      ...(input.scenario === 'drift' ? ['the mean of the test rows moves by 3, linearly'] : []),
    ],
    not_real: ['the data: coverage of a forecast of real data is not measured here'],
    ...measuredBy(computed),
    plot: coveragePlot(computed.value),
  })
}

type GraphName = LiveGraph | keyof typeof FIXTURES

/** Fixtures are samples and were read at no time. */
async function graphNamed(wirea: Wirea, name: GraphName, caller: Call['caller']) {
  if (Object.hasOwn(FIXTURES, name)) {
    const input: GraphInput = FIXTURES[name as keyof typeof FIXTURES]
    return { input, label: 'SAMPLE' as const, source: 'a fixture of this build', read_at: null, links_left_out: null }
  }
  const { value, source, readAt } = await wirea.readGraph(name as LiveGraph, caller)
  const { linksLeftOut = null, ...input } = value
  return { input, label: 'MEASURED' as const, source, read_at: readAt, links_left_out: linksLeftOut }
}

export async function graphReply(wirea: Wirea, name: GraphName, { caller, signal }: Pick<Call, 'caller' | 'signal'>) {
  const { input, ...facts } = await graphNamed(wirea, name, caller)
  const layoutSeed = Number.parseInt(sha256Hex(JSON.stringify(input)).slice(0, 7), 16)
  const computed = await run(wirea.jobs.graph, { ...input, layoutSeed }, 'query', signal)
  const { layout: _, ...measures } = computed.value
  return roundDeep({
    graph: name,
    ...facts,
    empty: measures.n_nodes === 0,
    ...measures,
    nodes: input.nodes,
    ...measuredBy(computed),
    plot: graphPlot(computed.value, `The graph ${name}`),
  })
}
