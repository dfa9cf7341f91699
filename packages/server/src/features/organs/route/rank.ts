/** Which target takes a call: what cannot is left out with its reason, the others are ordered by their reward. */

/** Weights of quality, cost and latency. */
const PRESETS = {
  'Performance-First': [1, 0, 0],
  Balanced: [0.5, 0.5, 0.3],
  'Cost-First': [0.2, 0.8, 0.2],
} as const
export type RoutingPolicy = keyof typeof PRESETS
export const POLICIES = Object.keys(PRESETS) as RoutingPolicy[]

interface Scores {
  quality: number
  cost: number
  latency: number
}

/** A target as it was declared, by the caller or by the operator. */
export interface Candidate {
  id: string
  /** Null where nobody declared any. */
  scores: Scores | null
  context: number
  latencyMs?: number | undefined
  json?: boolean | undefined
  /** Why it cannot be called, whatever is asked. */
  absent?: string | null
}

export interface RoutingRequest {
  promptTokens: number
  maxCost?: number | undefined
  maxMs?: number | undefined
  needsJson: boolean
}

export interface Ranked {
  id: string
  reward: number | null
  terms: Scores | null
  excluded_reason?: string
}

function rewardOf(policy: RoutingPolicy, { quality, cost, latency }: Scores): { reward: number; terms: Scores } {
  const [alpha, beta, gamma] = PRESETS[policy]
  const terms = { quality: alpha * quality, cost: -beta * cost, latency: -gamma * latency }
  return { reward: terms.quality + terms.cost + terms.latency, terms }
}

/** Best first; then those without scores; then those that cannot, each with its reason. Of equal rewards the cheaper is
 *  first, whatever the weights, and equals go by their ids. */
export function rank(policy: RoutingPolicy, candidates: readonly Candidate[], asked: RoutingRequest): Ranked[] {
  const costs = new Map(candidates.map(({ id, scores }) => [id, scores?.cost ?? 0]))
  const ranked = candidates.map((candidate): Ranked => {
    const scored = candidate.scores === null ? { reward: null, terms: null } : rewardOf(policy, candidate.scores)
    const reason = exclusion(candidate, asked)
    return { id: candidate.id, ...scored, ...(reason === null ? {} : { excluded_reason: reason }) }
  })
  return ranked.sort(
    (one, other) =>
      Number(one.excluded_reason !== undefined) - Number(other.excluded_reason !== undefined) ||
      Number(one.reward === null) - Number(other.reward === null) ||
      (other.reward ?? 0) - (one.reward ?? 0) ||
      costs.get(one.id)! - costs.get(other.id)! ||
      (one.id < other.id ? -1 : 1),
  )
}

/** What is not declared is not taken for granted. */
function exclusion({ scores, context, latencyMs, json, absent }: Candidate, asked: RoutingRequest): string | null {
  const { promptTokens, maxCost, maxMs, needsJson } = asked
  if (absent) return absent
  if (promptTokens > context) return 'CONTEXT_TOO_SMALL'
  if (maxCost !== undefined && scores === null) return 'COST_NOT_DECLARED'
  if (maxCost !== undefined && scores !== null && scores.cost > maxCost) return 'TOO_DEAR'
  if (maxMs !== undefined && latencyMs === undefined) return 'LATENCY_MS_NOT_DECLARED'
  if (maxMs !== undefined && latencyMs !== undefined && latencyMs > maxMs) return 'TOO_SLOW'
  if (needsJson && json !== true) return json === false ? 'NO_JSON' : 'JSON_NOT_DECLARED'
  return null
}

export const chosenOf = (ranking: readonly Ranked[]): string | null =>
  ranking[0] !== undefined && ranking[0].excluded_reason === undefined ? ranking[0].id : null
