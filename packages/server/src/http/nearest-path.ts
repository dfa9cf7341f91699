/** The path that was probably meant, for the refusal of one that nobody serves. The path is the caller's: only short ones
 *  are compared, so that a stray request costs little. */
import { nearest } from '@orch/core'
import { ALIAS_PREFIX, API_PREFIX, type Operation, pathsOf } from '../operation.ts'

const MAX_PATH = 96
const PREFIXES = [API_PREFIX, '/api/orch', '/api/lake/v1', ALIAS_PREFIX]

export function nearestPath(operations: readonly Operation[]): (path: string) => string | null {
  const routes = operations.flatMap(pathsOf).map((route) => ({ route, segments: route.split('/') }))
  const bySuffix = new Map(routes.map(({ route }) => [withoutPrefix(route), route]).reverse() as [string, string][])
  return (path) => {
    if (path.length > MAX_PATH) return null
    const moved = bySuffix.get(withoutPrefix(path))
    if (moved !== undefined) return shown(moved)
    const given = path.split('/')
    const filled = new Map(
      routes
        .filter(({ segments }) => segments.length === given.length)
        .map(({ route, segments }) => [fill(segments, given), route]),
    )
    const near = nearest(path, [...filled.keys()])
    return near === null ? null : shown(filled.get(near)!)
  }
}

const withoutPrefix = (path: string): string => {
  const prefix = PREFIXES.find((one) => path.startsWith(`${one}/`))
  return prefix === undefined ? path : path.slice(prefix.length)
}

/** A parameter fits whatever stands in its place. */
const fill = (segments: readonly string[], given: readonly string[]): string =>
  segments.map((part, at) => (/^[:*]/.test(part) ? given[at] : part)).join('/')

const shown = (route: string): string => route.replace(/:(\w+)/g, '{$1}').replace('*', '{rest}')
