/** Which target takes a call: what cannot is left out with its reason, the others are ordered by their reward. */
import Type, { type Static } from 'typebox'
import { closed, Nullable } from '../../../domain/wire.ts'

/** Weights of quality, cost and latency. */
const PRESETS = {
  'Performance-First': [1, 0, 0],
  Balanced: [0.5, 0.5, 0.3],
  'Cost-First': [0.2, 0.8, 0.2],
} as const
export type RoutingPolicy = keyof typeof PRESETS
export const POLICIES = Object.keys(PRESETS) as RoutingPolicy[]

export const Share = Type.Number({ minimum: 0, maximum: 1 })
export const Target = closed({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  quality: Share,
  cost: Share,
  latency: Share,
  context: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000, default: 8192, description: 'tokens' })),
  latency_ms: Type.Optional(
    Type.Number({ minimum: 0, maximum: 600_000, description: 'needed where max_ms is asked for' }),
  ),
  json: Type.Optional(Type.Boolean({ description: 'needed where needs_json is asked for' })),
})
const Scores = closed({ quality: Type.Number(), cost: Type.Number(), latency: Type.Number() })
type Scores = Static<typeof Scores>
export const Ranked = closed({
  id: Type.String(),
  reward: Nullable(Type.Number()),
  terms: Nullable(Scores),
  excluded_reason: Type.Optional(Type.String()),
})
type Ranked = Static<typeof Ranked>

/** A target as it was declared, by the caller or by the operator; without scores where nobody declared any. */
export interface Candidate extends Partial<Omit<Static<typeof Target>, 'id'>> {
  id: string
  /** Why it cannot be called, whatever is asked. */
  absent?: string | null
}

interface Asked {
  prompt_tokens: number
  max_cost?: number
  max_ms?: number
  needs_json?: boolean
}

function rewardOf(policy: RoutingPolicy, candidate: Candidate): { reward: number | null; terms: Scores | null } {
  const { quality, cost, latency } = candidate
  if (quality === undefined || cost === undefined || latency === undefined) return { reward: null, terms: null }
  const [alpha, beta, gamma] = PRESETS[policy]
  const terms = { quality: alpha * quality, cost: -beta * cost, latency: -gamma * latency }
  return { reward: terms.quality + terms.cost + terms.latency, terms }
}

/** Best first; then those without scores; then those that cannot, each with its reason. Of equal rewards the cheaper is
 *  first, whatever the weights, and equals go by their ids. */
export function rank(policy: RoutingPolicy, candidates: readonly Candidate[], asked: Asked): Ranked[] {
  const costs = new Map(candidates.map(({ id, cost = 0 }) => [id, cost]))
  const ranked = candidates.map((candidate): Ranked => {
    const reason = exclusion(candidate, asked)
    return {
      id: candidate.id,
      ...rewardOf(policy, candidate),
      ...(reason === null ? {} : { excluded_reason: reason }),
    }
  })
  return ranked.sort(
    (one, other) =>
      Number(isEligible(other)) - Number(isEligible(one)) ||
      Number(one.reward === null) - Number(other.reward === null) ||
      (other.reward ?? 0) - (one.reward ?? 0) ||
      costs.get(one.id)! - costs.get(other.id)! ||
      (one.id < other.id ? -1 : 1),
  )
}

/** What is not declared is not taken for granted. */
function exclusion({ cost, context = 8192, latency_ms, json, absent }: Candidate, asked: Asked): string | null {
  const { prompt_tokens, max_cost, max_ms, needs_json } = asked
  if (absent) return absent
  if (prompt_tokens > context) return 'CONTEXT_TOO_SMALL'
  if (max_cost !== undefined && cost === undefined) return 'COST_NOT_DECLARED'
  if (max_cost !== undefined && cost! > max_cost) return 'TOO_DEAR'
  if (max_ms !== undefined && latency_ms === undefined) return 'LATENCY_MS_NOT_DECLARED'
  if (max_ms !== undefined && latency_ms! > max_ms) return 'TOO_SLOW'
  if (needs_json && json !== true) return json === false ? 'NO_JSON' : 'JSON_NOT_DECLARED'
  return null
}

const isEligible = ({ excluded_reason }: Ranked): boolean => excluded_reason === undefined

/** The ids that may be called, best first. */
export const eligible = (ranking: readonly Ranked[]): string[] => ranking.filter(isEligible).map(({ id }) => id)
