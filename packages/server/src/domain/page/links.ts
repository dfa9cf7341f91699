/** Ways to the pages. The paths come from the catalog of what is served, so a link cannot lead nowhere. */
import type { CatalogEntry } from '../../ports.ts'

interface Wanted {
  /** Of the operation that serves it. */
  id: string
  title: string
  params?: Readonly<Record<string, string>>
}

const consolePage = (title: string): Wanted => ({ id: 'console.app', title, params: { page: title.toLowerCase() } })

/** The navigation, in the order that the console has it too. */
const NAVIGATION: readonly Wanted[] = [
  ...['Decisions', 'Receipts', 'Reviews', 'Organs', 'Readiness', 'Assurance'].map(consolePage),
  { id: 'docs.page', title: 'Docs' },
]

/** Pages outside the console; they stand in the footer. */
const PLACES: readonly Wanted[] = [
  { id: 'pages.verify', title: 'Offline verifier' },
  { id: 'organs.page', title: 'Organ catalog' },
  { id: 'operator.page', title: 'Operator' },
  { id: 'sovereignCompute.page', title: 'Compute' },
  { id: 'm1.page', title: 'Model m1' },
]

/** A browser is led from these to the page that shows the same. */
const PROBES: readonly Wanted[] = [
  { id: 'runtime.healthz', title: 'Health' },
  { id: 'runtime.readyz', title: 'Ready' },
  { id: 'runtime.metrics', title: 'Metrics' },
  { id: 'runtime.openapi', title: 'Interface description' },
]

export interface Link {
  id: string
  title: string
  path: string
  summary: string
  kind: 'navigation' | 'place' | 'probe'
}

export const pageLinks = (catalog: readonly CatalogEntry[]): Link[] => [
  ...served(catalog, NAVIGATION, 'navigation'),
  ...served(catalog, PLACES, 'place'),
  ...served(catalog, PROBES, 'probe'),
]

const served = (catalog: readonly CatalogEntry[], wanted: readonly Wanted[], kind: Link['kind']): Link[] =>
  wanted.flatMap(({ id, title, params = {} }) => {
    const found = catalog.find((entry) => entry.id === id)
    if (found === undefined) return []
    const path = found.path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? '')
    return [{ id, title, path, summary: found.summary, kind }]
  })

/** Where these operations answer, as far as they are served. */
export const findPaths = (catalog: readonly CatalogEntry[], ids: readonly string[]): string[] =>
  ids.flatMap((wanted) => catalog.filter(({ id }) => id === wanted).map(({ path }) => path))
