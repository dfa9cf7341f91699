/** KL(softmax(p) || softmax(q)) of logits, in nats. Never negative: where rounding says so, the two are equal. */
export function divergence(p: Float64Array, q: Float64Array): number {
  const [logP, logQ] = [logSum(p), logSum(q)]
  let sum = 0
  for (let r = 0; r < p.length; r++) {
    const log = p[r]! - logP
    sum += Math.exp(log) * (log - (q[r]! - logQ))
  }
  return Math.max(0, sum)
}

function logSum(logits: Float64Array): number {
  let most = -Infinity
  for (const logit of logits) if (logit > most) most = logit
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - most)
  return most + Math.log(sum)
}
