import type { CatalogEntry } from '../../ports.ts'

/** Where health points to, by the operations that answer there. */
const WANTED = {
  livez: ['runtime.livez'],
  readyz: ['runtime.readyz'],
  build: ['runtime.buildInfo'],
  version: ['identity.version'],
  metrics: ['runtime.metrics'],
  honest: ['identity.honest'],
  openapi: ['runtime.openapi'],
  // Where there is no reference to read, the description it would be made of.
  docs: ['docs.page', 'runtime.openapi'],
} as const

/** The paths come from the catalog of what is served, so a link cannot lead nowhere. */
export function healthLinks(catalog: readonly CatalogEntry[]): Record<string, string> {
  const byId = new Map(catalog.map(({ id, path }) => [id, path]))
  return Object.fromEntries(
    Object.entries(WANTED).flatMap(([name, ids]) => {
      const path = ids.map((id) => byId.get(id)).find((served) => served !== undefined)
      return path === undefined ? [] : [[name, path]]
    }),
  )
}
