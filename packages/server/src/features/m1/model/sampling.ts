/** From logits to one token and its probabilities. */

export interface SamplingRules {
  /** 0 takes the likeliest token. */
  temperature: number
  /** Only the k likeliest tokens; 0 is off. */
  topK: number
  /** The fewest likeliest tokens that together reach this probability; 1 is off. */
  topP: number
}

interface Choice {
  id: number
  /** Natural logarithms under the model itself: temperature 1, nothing filtered. */
  logprob: number
  top: { id: number; logprob: number }[]
}

/** Natural logarithms of the probabilities, exact to rounding: their exponentials sum to 1. */
export function logProbabilities(logits: Float64Array): Float64Array {
  const most = largest(logits)
  let total = 0
  for (const logit of logits) total += Math.exp(logit - most)
  const shift = most + Math.log(total)
  return logits.map((logit) => logit - shift)
}

/** Likelier first; of equals the lower id. */
function ranked(logprobs: Float64Array, count: number): number[] {
  const ids = Array.from(logprobs.keys())
  ids.sort((one, other) => logprobs[other]! - logprobs[one]! || one - other)
  return ids.slice(0, count)
}

function largest(logits: Float64Array): number {
  let most = Number.NEGATIVE_INFINITY
  for (const logit of logits) if (logit > most) most = logit
  return most
}

function argmax(logprobs: Float64Array): number {
  let best = 0
  for (let id = 1; id < logprobs.length; id++) if (logprobs[id]! > logprobs[best]!) best = id
  return best
}

export function chooseToken(
  logits: Float64Array,
  rules: SamplingRules,
  uniform: () => number,
  topLogprobs: number,
): Choice {
  const logprobs = logProbabilities(logits)
  const id = rules.temperature === 0 ? argmax(logprobs) : drawn(logits, rules, uniform)
  const top = ranked(logprobs, topLogprobs).map((each) => ({ id: each, logprob: logprobs[each]! }))
  return { id, logprob: logprobs[id]!, top }
}

/** Temperature first, then the k likeliest, then the nucleus; one uniform number finds its place in what is left. */
function drawn(logits: Float64Array, { temperature, topK, topP }: SamplingRules, uniform: () => number): number {
  // What is divided is how far each lies behind the likeliest: however low the temperature, that one stays at 0.
  const most = largest(logits)
  const logprobs = logProbabilities(logits.map((logit) => (logit - most) / temperature))
  let candidates = topK === 0 && topP >= 1 ? Array.from(logprobs.keys()) : ranked(logprobs, topK || logprobs.length)
  if (topP < 1) candidates = nucleus(candidates, logprobs, topP)
  const total = candidates.reduce((sum, id) => sum + Math.exp(logprobs[id]!), 0)
  let left = uniform() * total
  for (const id of candidates) {
    left -= Math.exp(logprobs[id]!)
    if (left < 0) return id
  }
  // Rounding can leave a grain: it belongs to the last one that has any probability.
  return candidates.findLast((id) => logprobs[id]! > Number.NEGATIVE_INFINITY)!
}

/** The shares are those of what the filter before it left. */
function nucleus(candidates: readonly number[], logprobs: Float64Array, topP: number): number[] {
  const total = candidates.reduce((sum, id) => sum + Math.exp(logprobs[id]!), 0)
  let sum = 0
  const end = candidates.findIndex((id) => {
    sum += Math.exp(logprobs[id]!)
    return sum >= topP * total
  })
  return candidates.slice(0, end < 0 ? candidates.length : end + 1)
}
