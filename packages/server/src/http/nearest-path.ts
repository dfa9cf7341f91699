/** The path that was probably meant, for the refusal of one that no operation serves. The path is the caller's: only short ones
 *  are compared, so that a stray request costs little. */
import { distance, nearest } from '@orch/core'
import { ALIAS_PREFIX, API_PREFIX, type Operation, pathsOf } from '../operation.ts'

const MAX_PATH = 96
const PREFIXES = [API_PREFIX, '/api/orch', '/api/lake/v1', ALIAS_PREFIX]

export function nearestPath(operations: readonly Operation[]): (path: string) => string | null {
  const routes = operations.flatMap(pathsOf).map((route) => ({ route, segments: route.split('/') }))
  // Of a path and its alias the canonical one is suggested: it is written last.
  const bySuffix = new Map(routes.toReversed().map(({ route }) => [withoutPrefix(route), route]))
  return (path) => {
    if (path.length > MAX_PATH) return null
    const moved = bySuffix.get(withoutPrefix(path))
    if (moved !== undefined) return shown(moved)
    const given = path.split('/')
    const [best] = routes
      .filter(({ segments }) => segments.length === given.length)
      .flatMap(({ route, segments }) => {
        const word = compared(given, segments)
        const wanted = compared(segments, segments)
        return nearest(word, [wanted]) === null ? [] : [{ route, far: distance(word, wanted) }]
      })
      .sort((a, b) => a.far - b.far)
    return best === undefined ? null : shown(best.route)
  }
}

const withoutPrefix = (path: string): string => {
  const prefix = PREFIXES.find((one) => path.startsWith(`${one}/`))
  return prefix === undefined ? path : path.slice(prefix.length)
}

/** Neither what all paths begin with nor what stands in the place of a parameter says which path was meant. */
const compared = (given: readonly string[], template: readonly string[]): string =>
  withoutPrefix(given.map((part, at) => (/^[:*]/.test(template[at]!) ? ':' : part)).join('/'))

const shown = (route: string): string => route.replace(/:(\w+)/g, '{$1}').replace('*', '{rest}')
