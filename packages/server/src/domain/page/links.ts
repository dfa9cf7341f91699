/** Ways to the other pages. The paths come from the description of what is mounted, so a link cannot lead nowhere. */

/** What a newcomer looks for, in that order. Listed only where it is served. */
const WANTED = [
  ['console.page', 'Console'],
  ['pages.verify', 'Offline verifier'],
  ['operator.page', 'Operator'],
  ['docs.page', 'API reference'],
  ['runtime.openapi', 'Interface description'],
  ['runtime.healthz', 'Health'],
  ['runtime.readyz', 'Readiness'],
] as const

export interface Link {
  title: string
  path: string
  summary: string
}

type Description = { paths?: Record<string, { get?: { operationId: string; summary: string } }> }

const served = (description: object) =>
  Object.entries((description as Description).paths ?? {}).flatMap(([path, { get }]) => (get ? [{ path, ...get }] : []))

export function linksOf(description: object): Link[] {
  const mounted = served(description)
  return WANTED.flatMap(([id, title]) => {
    const found = mounted.find(({ operationId }) => operationId === id)
    return found ? [{ title, path: found.path, summary: found.summary }] : []
  })
}

/** Where each of these operations is read, as far as it is mounted. */
export function pathsOfReads(description: object, ids: readonly string[]): string[] {
  const mounted = served(description)
  return ids.flatMap((id) => mounted.filter(({ operationId }) => operationId === id).map(({ path }) => path))
}
