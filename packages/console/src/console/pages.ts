/** The pages of the console, in the order of the navigation: what is listed here is served and linked, nothing else is.
 *  A page is a folder in `pages/` with a `page.tsx` that exports `Page`, and a `style.css` where it needs one. */
import type { ComponentType } from 'react'
import type { Facts } from './data/facts.tsx'
import type { Address } from './routing.ts'

export interface PageProps {
  address: Address
}

interface PageEntry {
  /** In its address, `/console/NAME`, and of its folder. */
  name: string
  title: string
  /** The key after `g` that leads to it. */
  jump: string
  /** A number beside its name in the navigation; null where there is none to show. */
  count?(facts: Facts): number | null
  load(): Promise<{ Page: ComponentType<PageProps> }>
}

export const PAGES: readonly PageEntry[] = [
  { name: 'decisions', title: 'Decisions', jump: 'd', load: () => import('./pages/decisions/page.tsx') },
  { name: 'receipts', title: 'Receipts', jump: 'r', load: () => import('./pages/receipts/page.tsx') },
  {
    name: 'reviews',
    title: 'Reviews',
    jump: 'q',
    count: ({ waiting }) => waiting.value?.counts.pending ?? null,
    load: () => import('./pages/reviews/page.tsx'),
  },
  { name: 'organs', title: 'Organs', jump: 'o', load: () => import('./pages/organs/page.tsx') },
  { name: 'readiness', title: 'Readiness', jump: 's', load: () => import('./pages/readiness/page.tsx') },
  { name: 'assurance', title: 'Assurance', jump: 'a', load: () => import('./pages/assurance/page.tsx') },
  { name: 'docs', title: 'Docs', jump: 'h', load: () => import('./pages/docs/page.tsx') },
]
