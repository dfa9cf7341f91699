/** Which mode a step is routed to. The names are routing names: what they change is how much history is looked at,
 *  and no attention kernel runs. */
import { type Fraction, negated, product, sum } from '../../../domain/exact-number.ts'
import { clamped, fromMicro, isLess, NONE, ONE, ratio, toMicro } from './millionths.ts'

export const MODES = ['kda_local', 'laguna_hybrid', 'mla_global'] as const
export type Mode = (typeof MODES)[number]
export type ModeHint = 'auto' | Mode

export const MODE_REASONS = [
  'explicit_hint',
  'memory_pressure_guard',
  'bounded_local_budget',
  'mixed_local_global_budget',
  'global_context_budget',
] as const

export interface Routing {
  mode: Mode
  /** Millionths; null for an explicit hint. */
  score: number | null
  /** Millionths each. They describe the score; the guard may choose against the largest. */
  probabilities: Record<Mode, number>
  reason: (typeof MODE_REASONS)[number]
  guard_would_apply: boolean
}

export interface ModeInput {
  hint: ModeHint
  /** The caller's number where he gave one, else as measured. */
  novelty: Fraction
  disagreement: Fraction
  /** The preliminary estimate in millionths. */
  risk: number
  tokens: number
  active_tool_count: number
  memory_pressure: Fraction | null
}

export const GUARD = ratio(85, 100)
const LOCAL_BELOW = 330_000
const HYBRID_BELOW = 660_000
const CENTRES: Record<Mode, number> = { kda_local: 160_000, laguna_hybrid: 500_000, mla_global: 840_000 }
const REACH = 500_000

/** Without a number the text itself is all the context there is, at four code points a token. */
export function contextTokens(stated: number, codePoints: number): { tokens: number; context_estimated: boolean } {
  if (stated > 0) return { tokens: stated, context_estimated: false }
  return { tokens: Math.ceil(codePoints / 4), context_estimated: true }
}

export function chooseRoute(input: ModeInput): Routing {
  const guard_would_apply = input.memory_pressure !== null && !isLess(input.memory_pressure, GUARD)
  if (input.hint !== 'auto') {
    const probabilities = { kda_local: 0, laguna_hybrid: 0, mla_global: 0, [input.hint]: ONE }
    return { mode: input.hint, score: null, probabilities, reason: 'explicit_hint', guard_would_apply }
  }
  const score = scoreOf(input)
  return { ...chosen(score, guard_would_apply), score, probabilities: probabilitiesOf(score), guard_would_apply }
}

function chosen(score: number, guarded: boolean): Pick<Routing, 'mode' | 'reason'> {
  if (guarded) return { mode: 'kda_local', reason: 'memory_pressure_guard' }
  if (score < LOCAL_BELOW) return { mode: 'kda_local', reason: 'bounded_local_budget' }
  if (score < HYBRID_BELOW) return { mode: 'laguna_hybrid', reason: 'mixed_local_global_budget' }
  return { mode: 'mla_global', reason: 'global_context_budget' }
}

/** Rounded to millionths before anything is compared with it. */
export function scoreOf(input: ModeInput): number {
  const { novelty, disagreement, risk, tokens, active_tool_count, memory_pressure } = input
  const terms: [number, Fraction][] = [
    [20, novelty],
    [25, disagreement],
    [30, fromMicro(risk)],
    [15, ratio(Math.min(tokens, 32_768), 32_768)],
    [10, ratio(Math.min(active_tool_count, 16), 16)],
    [25, negated(memory_pressure ?? NONE)],
  ]
  const total = terms.map(([weight, value]) => product(ratio(weight, 100), value)).reduce(sum, NONE)
  return toMicro(clamped(total))
}

export function probabilitiesOf(score: number): Record<Mode, number> {
  const weights = MODES.map((mode) => Math.max(0, REACH - Math.abs(score - CENTRES[mode])))
  const total = weights.reduce((added, weight) => added + weight, 0)
  const [local, hybrid, global] = weights.map((weight) => toMicro(ratio(weight, total))) as [number, number, number]
  return { kda_local: local, laguna_hybrid: hybrid, mla_global: global }
}
