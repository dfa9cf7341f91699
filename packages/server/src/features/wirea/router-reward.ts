/** Ranks models by reward = alpha Quality - beta Cost - gamma Latency. Scores and weights are read to six decimals, so the
 *  sum is one of whole numbers of 1e-12: the locked formula F12, without rounding. */
import { weightedSum } from '@orch/core'
import { InputError, type InputFault } from '../../errors.ts'
import type { QualityOutcome } from './quality-job.ts'
import type { RewardResult } from './replies.ts'
import type { RewardBody } from './schemas.ts'

const UNIT = 1_000_000
const PRESETS = {
  performance: { alpha: 1, beta: 0, gamma: 0 },
  balanced: { alpha: 0.5, beta: 0.5, gamma: 0.3 },
  cost: { alpha: 0.2, beta: 0.8, gamma: 0.2 },
} as const
type Preset = keyof typeof PRESETS
/** The names that the specification gives them. */
const SPELLED: Readonly<Record<string, Preset>> = {
  'Performance-First': 'performance',
  Balanced: 'balanced',
  'Cost-First': 'cost',
}
export const MAX_WEIGHT = 10

type Weights = { alpha: number; beta: number; gamma: number }
type Candidate = RewardBody['candidates'][number]

interface Scored {
  model: string
  quality: number
  cost: number
  latency: number
  /** Trials behind the quality; null where none are stated. */
  trials: number | null
  /** In units of 1e-12. */
  reward: bigint
}

const presetOf = ({ preset, weights }: RewardBody): Preset | null =>
  weights === undefined ? (SPELLED[preset ?? ''] ?? (preset as Preset | undefined) ?? 'balanced') : null

export function weightsOf(body: RewardBody): Weights {
  const { alpha, beta, gamma } = body.weights ?? PRESETS[presetOf(body)!]
  return { alpha: asRead(alpha), beta: asRead(beta), gamma: asRead(gamma) }
}

/** Everything that is wrong and that the schema did not find. */
export function checkReward({ preset, weights, candidates, normalisation }: RewardBody): void {
  const faults: InputFault[] = []
  const fault = (msg: string, ...place: (string | number)[]) =>
    faults.push({ loc: ['body', ...place], msg, type: 'value' })
  if (preset !== undefined && weights !== undefined) fault('send a preset or weights, not both', 'weights')
  const models = new Set<string>()
  for (const [i, candidate] of candidates.entries()) {
    if (models.has(candidate.model)) fault('two candidates have this model', 'candidates', i, 'model')
    models.add(candidate.model)
    for (const [field, msg] of formFaults(candidate, normalisation)) fault(msg, 'candidates', i, field)
  }
  if (normalisation === undefined && candidates.some(isRaw))
    fault('raw cost and latency need normalisation', 'normalisation')
  if (faults.length > 0) throw new InputError(faults.slice(0, 32))
}

const isRaw = ({ usd_per_1k, latency_ms }: Candidate): boolean => usd_per_1k !== undefined || latency_ms !== undefined

/** A candidate has cost and latency, or both of them raw and within what they are divided by. */
function formFaults(candidate: Candidate, normalisation: RewardBody['normalisation']): [field: string, msg: string][] {
  const { cost, latency, usd_per_1k, latency_ms } = candidate
  const needed = (field: string, value: number | undefined): [string, string][] =>
    value === undefined ? [[field, `${field} is needed`]] : []
  if (!isRaw(candidate)) return [...needed('cost', cost), ...needed('latency', latency)]
  const both = (field: string, value: number | undefined): [string, string][] =>
    value === undefined ? [] : [[field, 'send cost and latency, or usd_per_1k and latency_ms']]
  const within = (field: string, value: number | undefined, most: number | undefined): [string, string][] =>
    value !== undefined && most !== undefined && value > most ? [[field, `must be at most ${most}, as normalised`]] : []
  return [
    ...both('cost', cost),
    ...both('latency', latency),
    ...needed('usd_per_1k', usd_per_1k),
    ...needed('latency_ms', latency_ms),
    ...within('usd_per_1k', usd_per_1k, normalisation?.cost_max),
    ...within('latency_ms', latency_ms, normalisation?.latency_max),
  ]
}

/** Six decimals are read of every number, and nothing here knows of more. */
const asRead = (value: number): number => Math.round(value * UNIT) / UNIT

const micros = (value: number): bigint => BigInt(Math.round(value * UNIT))

function scored(body: RewardBody, candidate: Candidate): Scored {
  const { alpha, beta, gamma } = weightsOf(body)
  const { model } = candidate
  const quality = asRead(candidate.quality)
  const cost = asRead(candidate.cost ?? candidate.usd_per_1k! / body.normalisation!.cost_max)
  const latency = asRead(candidate.latency ?? candidate.latency_ms! / body.normalisation!.latency_max)
  const reward = weightedSum(
    [micros(alpha), -micros(beta), -micros(gamma)],
    [micros(quality), micros(cost), micros(latency)],
  )
  return { model, quality, cost, latency, trials: candidate.quality_n ?? body.quality_n ?? null, reward }
}

/** Those within the constraints, best first, and the others with the first constraint that each breaks. */
export function rankCandidates(body: RewardBody): { ranked: Scored[]; rejected: RewardResult['rejected'] } {
  const { min_quality = 0, max_cost = 1, max_latency = 1 } = body.constraints ?? {}
  const reasonOf = ({ quality, cost, latency }: Scored): string | null => {
    if (quality < min_quality) return `quality ${quality} is below min_quality ${min_quality}`
    if (cost > max_cost) return `cost ${cost} is above max_cost ${max_cost}`
    return latency > max_latency ? `latency ${latency} is above max_latency ${max_latency}` : null
  }
  const all = body.candidates.map((candidate) => scored(body, candidate))
  return {
    ranked: all.filter((one) => reasonOf(one) === null).sort(byReward),
    rejected: all.flatMap((one) => {
      const reason = reasonOf(one)
      return reason === null ? [] : [{ model: one.model, reason }]
    }),
  }
}

const byReward = (a: Scored, b: Scored): number =>
  Number(b.reward - a.reward > 0n) - Number(b.reward - a.reward < 0n) ||
  b.quality - a.quality ||
  (a.model < b.model ? -1 : 1)

/** `judged`: what the trials leave open of the ranked ones, where some are stated; null otherwise. */
export function rewardResult(
  body: RewardBody,
  { ranked, rejected }: ReturnType<typeof rankCandidates>,
  judged: QualityOutcome | null,
): RewardResult {
  const [first, second] = ranked
  return {
    preset: presetOf(body),
    weights: weightsOf(body),
    ranked: ranked.map((one, i) => ({
      model: one.model,
      reward: asNumber(one.reward),
      reward_exact: asDecimal(one.reward),
      quality: one.quality,
      cost: one.cost,
      latency: one.latency,
      pareto: !ranked.some((other) => dominates(other, one)),
      quality_lcb: judged?.lower[i] ?? null,
    })),
    selected: first?.model ?? null,
    rejected,
    margin: first && second ? asNumber(first.reward - second.reward) : null,
    winner_holds_for: first === undefined ? null : rangesOf(weightsOf(body), first, ranked.slice(1)),
    p_best: judged?.best ? ranked.map(({ model }, i) => ({ model, probability: judged.best![i]! })) : null,
  }
}

/** At least as good in everything and better in something. */
const dominates = (a: Scored, b: Scored): boolean =>
  a.quality >= b.quality &&
  a.cost <= b.cost &&
  a.latency <= b.latency &&
  (a.quality > b.quality || a.cost < b.cost || a.latency < b.latency)

/** Between which values one weight may move, the others fixed, without another candidate overtaking the first. */
function rangesOf(weights: Weights, first: Scored, others: readonly Scored[]): RewardResult['winner_holds_for'] {
  const rangeOf = (name: keyof Weights): [number, number] => {
    let [low, high] = [0, MAX_WEIGHT]
    for (const other of others) {
      // How the lead over the other one changes with each weight.
      const lead = {
        alpha: first.quality - other.quality,
        beta: other.cost - first.cost,
        gamma: other.latency - first.latency,
      }
      const fixed = (Object.keys(lead) as (keyof Weights)[])
        .filter((one) => one !== name)
        .reduce((sum, one) => sum + weights[one] * lead[one], 0)
      if (lead[name] > 0) low = Math.max(low, -fixed / lead[name])
      if (lead[name] < 0) high = Math.min(high, fixed / -lead[name])
    }
    return [low, high]
  }
  return { alpha: rangeOf('alpha'), beta: rangeOf('beta'), gamma: rangeOf('gamma') }
}

const asNumber = (reward: bigint): number => Number(reward) / UNIT ** 2

function asDecimal(reward: bigint): string {
  const digits = (reward < 0n ? -reward : reward).toString().padStart(13, '0')
  return `${reward < 0n ? '-' : ''}${digits.slice(0, -12)}.${digits.slice(-12)}`
}
