/** Ways to the other pages. The paths come from the catalog of what is served, so a link cannot lead nowhere. */
import type { CatalogEntry } from '../../ports.ts'

/** What a newcomer looks for, in that order. Listed only where it is served. */
const WANTED = [
  ['console.page', 'Console'],
  ['pages.verify', 'Offline verifier'],
  ['organs.page', 'Organs'],
  ['operator.page', 'Operator'],
  ['sovereignCompute.page', 'Compute'],
  ['m1.page', 'Model m1'],
  ['docs.page', 'API reference'],
  ['runtime.openapi', 'Interface description'],
  ['runtime.healthz', 'Health'],
  ['runtime.readyz', 'Readiness'],
] as const

export interface Link {
  /** Of the operation that serves it. */
  id: string
  title: string
  path: string
  summary: string
}

export const pageLinks = (catalog: readonly CatalogEntry[]): Link[] =>
  WANTED.flatMap(([wanted, title]) => {
    const found = catalog.find(({ id }) => id === wanted)
    return found ? [{ id: wanted, title, path: found.path, summary: found.summary }] : []
  })

/** Where these operations answer, as far as they are served. */
export const findPaths = (catalog: readonly CatalogEntry[], ids: readonly string[]): string[] =>
  ids.flatMap((wanted) => catalog.filter(({ id }) => id === wanted).map(({ path }) => path))
