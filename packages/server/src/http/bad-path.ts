import type { FastifyReply, FastifyRequest } from 'fastify'
import { InputError } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { allowedMethods } from './allowed-methods.ts'

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
      if (found !== null) return refusalAt(op, found.route, path, open, request, reply)
    }
    return null
  }
}

function refusalAt(
  op: Operation,
  route: string,
  path: string,
  open: Open,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  try {
    open(op, request.method, route)(request, reply, () => undefined)
    return new InputError([
      { loc: ['path', unreadableIn(route, path)], msg: 'must be percent-encoded UTF-8', type: 'encoding_invalid' },
    ])
  } catch (refusal) {
    return refusal
  }
}

/** Name of the first parameter that cannot be read. */
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
