/** What several gates come to together: the decision as a meet, the rest by formulas that say what they assume. */
import { LAMBDA } from '@orch/core'
import { normalCdf } from '../random.ts'
import type { Gate } from './organ.ts'

type GateDecision = NonNullable<Gate['decision']>
type Mode = 'series' | 'parallel'

const ORDER: readonly GateDecision[] = ['deny', 'review', 'allow']
const decisionOf = ({ decision }: Gate): GateDecision => decision ?? 'deny'

/** In deny < review < allow; of no gates at all it is the top. */
const meet = (gates: readonly Gate[]): GateDecision =>
  ORDER.find((decision) => gates.some((gate) => decisionOf(gate) === decision)) ?? 'allow'

export function compose(given: readonly Gate[], mode: Mode) {
  // Sums of the same numbers in another order may differ in their last digit.
  const gates = given.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const decision = meet(gates)
  const forcing = given.filter((gate) => decisionOf(gate) === decision).map(({ id }) => id)
  const latency = latencyOf(gates, mode)
  const block = blockRate(gates)
  return {
    decision,
    forcing_gates: forcing,
    minimal_change: decision === 'allow' ? [] : forcing,
    unanswered: given.filter((gate) => gate.decision === null).map(({ id }) => id),
    lambda: lambdaOf(gates),
    latency,
    block_rate: block,
    contribution: given.map(({ id }) => {
      const others = gates.filter((gate) => gate.id !== id)
      const [p95, rate] = [latencyOf(others, mode)?.p95 ?? 0, blockRate(others)?.value ?? 0]
      return {
        id,
        decision_without: meet(others),
        p95_ms: latency === null ? null : latency.p95 - p95,
        block_rate: block === null ? null : block.value - rate,
      }
    }),
  }
}

/** What every gate states, or null where one does not: a figure for some of them would pass for one of all. */
function statedBy<T>(gates: readonly Gate[], value: (gate: Gate) => T | undefined): T[] | null {
  const values = gates.flatMap((gate) => value(gate) ?? [])
  return gates.length > 0 && values.length === gates.length ? values : null
}

function lambdaOf(gates: readonly Gate[]) {
  const lambdas = statedBy(gates, ({ lambda }) => lambda)
  if (lambdas === null) return null
  const mean = Math.exp(lambdas.reduce((sum, lambda) => sum + Math.log(lambda), 0) / lambdas.length)
  const value = Math.min(LAMBDA.trust_ceiling, mean)
  return { value, status: LAMBDA.status, is_theorem: false as const, below_floor: value < LAMBDA.floor }
}

/** If the gates err independently; whatever their dependence, it lies between the bounds of Frechet. */
function blockRate(gates: readonly Gate[]) {
  const rates = statedBy(gates, ({ p_false_block }) => p_false_block)
  if (rates === null) return null
  const value = 1 - rates.reduce((pass, rate) => pass * (1 - rate), 1)
  const [low, high] = [
    Math.max(...rates),
    Math.min(
      1,
      rates.reduce((sum, rate) => sum + rate, 0),
    ),
  ]
  return { value: Math.min(high, Math.max(low, value)), low, high }
}

export const Z95 = 1.6448536269514722
type Lognormal = { mu: number; sigma: number }

const lognormal = ({ p50, p95 }: Percentiles): Lognormal => ({
  mu: Math.log(p50),
  sigma: Math.log(p95 / p50) / Z95,
})

function latencyOf(gates: readonly Gate[], mode: Mode): Percentiles | null {
  const stated = statedBy(gates, ({ latency_ms }) => latency_ms)
  if (stated === null) return null
  return mode === 'series' ? sumOf(stated) : slowestOf(stated)
}

type Percentiles = NonNullable<Gate['latency_ms']>

/** Times that vary: of more than one of them a series is approximate. */
const varying = (stated: readonly Percentiles[]) => stated.filter(({ p50, p95 }) => p95 > p50)
export const isApproximate = (gates: readonly Gate[], mode: Mode): boolean =>
  mode === 'series' && varying(gates.flatMap(({ latency_ms }) => latency_ms ?? [])).length > 1

/** What never varies is added as it is; the rest takes at least as long as the slowest of it. */
function sumOf(stated: readonly Percentiles[]): Percentiles {
  const [parts, fixed] = [varying(stated), stated.filter(({ p50, p95 }) => p95 === p50)]
  const always = fixed.reduce((sum, { p50 }) => sum + p50, 0)
  if (parts.length === 0) return { p50: always, p95: always }
  const [sum, least] = [fentonWilkinson(parts.map(lognormal)), slowestOf(parts)]
  return { p50: always + Math.max(sum.p50, least.p50), p95: always + Math.max(sum.p95, least.p95) }
}

/** The lognormal with the mean and the variance of the sum. */
function fentonWilkinson(parts: readonly Lognormal[]): Percentiles {
  const mean = parts.reduce((sum, { mu, sigma }) => sum + Math.exp(mu + sigma ** 2 / 2), 0)
  const variance = parts.reduce((sum, { mu, sigma }) => sum + Math.expm1(sigma ** 2) * Math.exp(2 * mu + sigma ** 2), 0)
  const spread = Math.log1p(variance / mean ** 2)
  const middle = Math.log(mean) - spread / 2
  return { p50: Math.exp(middle), p95: Math.exp(middle + Z95 * Math.sqrt(spread)) }
}

/** The slowest of independent gates is through when all are: the product of their distributions, inverted. */
function slowestOf(stated: readonly Percentiles[]): Percentiles {
  const parts = stated.map(lognormal)
  const isThrough = (x: number) => parts.reduce((product, { mu, sigma }) => product * passed(Math.log(x), mu, sigma), 1)
  const quantile = (p: number): number => {
    let [low, high] = [Math.min(...stated.map(({ p50 }) => p50)), Math.max(...stated.map(({ p95 }) => p95))]
    while (isThrough(high) < p) high *= 2
    for (let step = 0; step < 200 && high - low > 1e-12 * high; step++) {
      const middle = (low + high) / 2
      if (isThrough(middle) < p) low = middle
      else high = middle
    }
    return high
  }
  return { p50: quantile(0.5), p95: quantile(0.95) }
}

const passed = (log: number, mu: number, sigma: number): number =>
  sigma === 0 ? Number(log >= mu) : normalCdf((log - mu) / sigma)
