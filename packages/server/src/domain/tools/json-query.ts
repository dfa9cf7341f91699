/** Questions to a JSON document: a JSON Pointer (RFC 6901), or a path of a small part of JSONPath (RFC 9535):
 *  `$`, `.name`, `['name']`, `[n]`, `[-n]`, `.*` and `[*]`. No descent, filter, slice or script: every step looks at
 *  the children of what the step before found, so the work is bounded by the document. */

const MAX_QUERY = 1024
export const MAX_MATCHES = 1000

type Answered = { ok: true; matches: unknown[] } | { ok: false; reason: string }

export function queryJson(document: unknown, query: string): Answered {
  if (query.length > MAX_QUERY) return { ok: false, reason: `a query has at most ${MAX_QUERY} characters` }
  if (query === '' || query.startsWith('/')) return byPointer(document, query)
  if (query.startsWith('$')) return byPath(document, query)
  return { ok: false, reason: 'a query is a JSON Pointer such as /a/0 or a path such as $.a[*]' }
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/

function byPointer(document: unknown, pointer: string): Answered {
  if (/~(?![01])/.test(pointer)) return { ok: false, reason: 'a tilde is written ~0 and a slash ~1 in a pointer' }
  let found: unknown[] = [document]
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    found = found.flatMap((value) => (Array.isArray(value) && !INDEX.test(name) ? [] : childOf(value, name)))
  }
  return { ok: true, matches: found }
}

type Selector = { kind: 'all' } | { kind: 'name'; name: string } | { kind: 'index'; at: number }

const SELECTOR = /\.(\*|[\p{L}_][\p{L}\p{N}_-]*)|\[(?:(\*)|(-?\d{1,9})|'([^'\\]*)'|"([^"\\]*)")\]/uy

function byPath(document: unknown, path: string): Answered {
  let found: unknown[] = [document]
  for (let at = 1; at < path.length; at = SELECTOR.lastIndex) {
    SELECTOR.lastIndex = at
    const match = SELECTOR.exec(path)
    if (match === null) return { ok: false, reason: `this path is not of the part served here, at ${at}` }
    const selector = selectorOf(match)
    const next: unknown[] = []
    for (const value of found) for (const child of selected(value, selector)) next.push(child)
    if (next.length > MAX_MATCHES) return { ok: false, reason: `a query matches at most ${MAX_MATCHES} values` }
    found = next
  }
  return { ok: true, matches: found }
}

function selectorOf([, dotted, star, index, single, double]: RegExpExecArray): Selector {
  if (star !== undefined || dotted === '*') return { kind: 'all' }
  if (index !== undefined) return { kind: 'index', at: Number(index) }
  return { kind: 'name', name: dotted ?? single ?? double ?? '' }
}

function selected(value: unknown, selector: Selector): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (selector.kind === 'all') return Array.isArray(value) ? value : Object.values(value)
  if (selector.kind === 'name') return Array.isArray(value) ? [] : childOf(value, selector.name)
  if (!Array.isArray(value)) return []
  return childOf(value, String(selector.at < 0 ? value.length + selector.at : selector.at))
}

/** Own members alone: `__proto__` and `length` are names like others here. */
function childOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return []
  if (Array.isArray(value) && !INDEX.test(name)) return []
  return [(value as Record<string, unknown>)[name]]
}
