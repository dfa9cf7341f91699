/** Receipts that belong together with one: those its payload names, and those of the review it went through. */
import type { Reply } from '@orch/client'

export interface RelatedReceipt {
  words: string
  digest: string
}

const DIGEST = /^[0-9a-f]{64}$/
const MAX_DEPTH = 4

/** Whatever stands under a name that speaks of a receipt and is a digest. */
export function relatedIn(payload: unknown, depth = 0): RelatedReceipt[] {
  if (depth > MAX_DEPTH || typeof payload !== 'object' || payload === null) return []
  return Object.entries(payload).flatMap(([name, value]) => {
    if (typeof value === 'string' && DIGEST.test(value))
      return name.includes('receipt') && !/^0+$/.test(value) ? [{ words: nameWords(name), digest: value }] : []
    return relatedIn(value, depth + 1)
  })
}

const nameWords = (name: string): string => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function relatedOfReview(review: Reply<'reviews.read'>): RelatedReceipt[] {
  const { reviewed, votes, final_receipt, consumed_by } = review
  const found: (readonly [words: string, digest: string | null])[] = [
    ['Held decision', reviewed?.digest ?? null],
    ...votes.map(
      ({ verdict, reviewer, receipt_id }) =>
        [`${verdict === 'approve' ? 'Approved' : 'Denied'} by ${reviewer}`, receipt_id] as const,
    ),
    ['Verdict', final_receipt],
    ['Used by', consumed_by],
  ]
  const seen = new Set<string>()
  return found.flatMap(([words, digest]) => {
    if (digest === null || seen.has(digest)) return []
    seen.add(digest)
    return [{ words, digest }]
  })
}
