import { distance, nearest } from '@orch/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { InputError } from '../errors.ts'
import { ALIAS_PREFIX, API_PREFIX, type Boundary, type Operation, pathsOf } from '../operation.ts'

/** Which methods a path answers, for the 405 of the others. Asked only when no route matched. */
interface AllowedMethods {
  /** The template and its methods, or null when no operation has this path. */
  of(path: string): { route: string; allow: string } | null
}

export function allowedMethods(operations: readonly Operation[]): AllowedMethods {
  const byRoute = new Map<string, Set<string>>()
  for (const op of operations)
    for (const route of pathsOf(op)) {
      const methods = byRoute.get(route) ?? new Set<string>()
      byRoute.set(route, methods.add(op.method))
      if (op.method === 'GET') methods.add('HEAD')
    }
  const rows = [...byRoute].map(([route, methods]) => ({ route, allow: [...methods].sort().join(', ') }))
  const isPattern = ({ route }: { route: string }) => /[:*]/.test(route)
  const fixed = new Map(rows.filter((row) => !isPattern(row)).map((row) => [row.route, row]))
  const patterns = rows.filter(isPattern).map((row) => ({ row, segments: row.route.split('/') }))
  return {
    of(path) {
      const exact = fixed.get(path)
      if (exact) return exact
      const given = path.split('/')
      return patterns.find(({ segments }) => fits(segments, given))?.row ?? null
    },
  }
}

/** A `*` at the end takes all that is left. */
function fits(template: readonly string[], given: readonly string[]): boolean {
  const open = template.at(-1) === '*'
  if (open ? given.length < template.length : given.length !== template.length) return false
  return template.every((part, at) => part === '*' || (part.startsWith(':') ? given[at] !== '' : part === given[at]))
}

/** What a surface says with every refusal of a path or method below its own, whether an operation is there or not. */
export function surfaceBoundaries(operations: readonly Operation[]): (path: string) => Boundary | null {
  const rows = operations.flatMap(({ surface }) =>
    surface === undefined ? [] : [{ prefix: `${API_PREFIX}${surface.prefix}`, refusal: surface.refusal }],
  )
  return (path) => {
    const found = rows.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
    if (found === undefined) return null
    return { refuse: (refused) => ({ ...refused, body: { ...refused.body, ...found.refusal } }) }
  }
}

const MAX_PATH = 256
/** A shorter word is near to too many others to tell by itself which path was meant. */
const MIN_WORD = 5
const PREFIXES = [API_PREFIX, '/api/orch', '/api/lake/v1', ALIAS_PREFIX]

export function nearestPath(operations: readonly Operation[]): (path: string) => string | null {
  const routes = operations.flatMap(pathsOf).map((route) => ({ route, segments: route.split('/') }))
  // Of a path and its alias the canonical one is suggested: it is written last.
  const bySuffix = new Map(routes.toReversed().map(({ route }) => [withoutPrefix(route), route]))
  // The shortest path that ends with a word is suggested for it.
  const byLastWord = new Map(
    operations
      .map((op) => pathsOf(op)[0]!)
      .sort((a, b) => b.length - a.length)
      .map((route) => [route.split('/').findLast((part) => !/^[:*]/.test(part))!, route]),
  )
  const lastWords = [...byLastWord.keys()]
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
    if (best !== undefined) return shown(best.route)
    const last = given.at(-1)!
    const word = last.length < MIN_WORD ? null : nearest(last, lastWords)
    return word === null ? null : shown(byLastWord.get(word)!)
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

type Open = (
  op: Operation,
  method: string,
  route: string,
) => (request: FastifyRequest, reply: FastifyReply, done: () => void) => void

/** A path that an operation has, with a parameter in it that is no percent-encoded UTF-8. No route takes it, so it is
 *  brought to the operation here: its access, its count and its list of refusals hold for this one too. Gives the
 *  refusal; null where no operation has the path. */
export function badPathRefusals(operations: readonly Operation[], open: Open) {
  const rows = operations
    .filter(({ params }) => params !== undefined)
    .map((op) => ({ op, methods: op.method === 'GET' ? ['GET', 'HEAD'] : [op.method], paths: allowedMethods([op]) }))
  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    const path = request.url.split('?', 1)[0]!
    for (const { op, methods, paths } of rows) {
      const found = methods.includes(request.method) ? paths.of(path) : null
      if (found === null) continue
      const { route } = found
      try {
        open(op, request.method, route)(request, reply, () => undefined)
      } catch (refusal) {
        return refusal
      }
      const loc = ['path', unreadableIn(route, path)]
      return new InputError([{ loc, msg: 'must be percent-encoded UTF-8', type: 'encoding_invalid' }])
    }
    return null
  }
}

function unreadableIn(route: string, path: string): string {
  const given = path.split('/')
  const at = route.split('/').findIndex((part, n) => part.startsWith(':') && !isReadable(given[n] ?? ''))
  return route.split('/')[at]?.slice(1) ?? 'path'
}

function isReadable(segment: string): boolean {
  try {
    return decodeURIComponent(segment).length > 0
  } catch {
    return false
  }
}
