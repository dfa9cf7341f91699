import type { Outcome } from '../schemas.ts'

/** Nothing but the absence of every objection allows. */
export const outcomeOf = (deny: readonly string[], review: readonly string[], allowed: boolean): Outcome => {
  if (deny.length > 0) return 'BLOCK'
  if (review.length > 0) return 'REVIEW'
  return allowed ? 'ALLOW' : 'BLOCK'
}

export const sorted = (codes: Iterable<string>): string[] => [...new Set(codes)].sort()
