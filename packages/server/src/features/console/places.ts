/** Where the facts of the overview lead on. The paths come from the catalog, so that none of them leads nowhere. */
import { findPaths, type Link, pageLinks } from '../../domain/page/links.ts'
import type { CatalogEntry } from '../../ports.ts'

export interface Places {
  links: readonly Link[]
  receipt(digest: string): string | null
  review(reviewId: string): string | null
  /** Where a decision is asked for, by POST. */
  govern: string | null
}

export function findPlaces(catalog: readonly CatalogEntry[]): Places {
  const pathOf = (id: string): string | null => findPaths(catalog, [id])[0] ?? null
  const [receipt, review] = [pathOf('receipts.get'), pathOf('reviews.read')]
  return {
    links: pageLinks(catalog),
    receipt: (digest) => filled(receipt, digest),
    review: (reviewId) => filled(review, reviewId),
    govern: pathOf('governance.govern'),
  }
}

const filled = (path: string | null, value: string): string | null =>
  path?.replace(/\{[^}]+\}/, () => encodeURIComponent(value)) ?? null
