/** Where the facts of the overview lead on. The paths come from the description of what is mounted, so that none of them
 *  leads nowhere. */
import { type Link, linksOf } from '../../domain/page/links.ts'

type Method = Record<string, { operationId?: string }>
type Description = { paths?: Record<string, Method> }

export interface Places {
  links: readonly Link[]
  receipt(digest: string): string | null
  review(reviewId: string): string | null
  /** Where a decision is asked for, by POST. */
  govern: string | null
}

export function placesOf(description: object): Places {
  const mounted = Object.entries((description as Description).paths ?? {})
  const pathOf = (id: string): string | null =>
    mounted.find(([, methods]) => Object.values(methods).some(({ operationId }) => operationId === id))?.[0] ?? null
  const [receipt, review] = [pathOf('receipts.get'), pathOf('reviews.read')]
  return {
    links: linksOf(description),
    receipt: (digest) => filled(receipt, digest),
    review: (reviewId) => filled(review, reviewId),
    govern: pathOf('governance.govern'),
  }
}

const filled = (path: string | null, value: string): string | null =>
  path?.replace(/\{[^}]+\}/, () => encodeURIComponent(value)) ?? null
