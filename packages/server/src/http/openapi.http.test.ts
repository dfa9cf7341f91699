import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { LAYER_OPERATIONS } from '#testing/layer-operations.ts'
import { send } from '#testing/raw-http.ts'
import { ERRORS } from '../errors.ts'
import { allOperations, type FeaturePorts } from '../features/index.ts'
import { pathsOf } from '../operation.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const service = await startApp({ after })
const { json: document } = await send(`${service.url}/openapi.json`)
const METHODS = ['get', 'post', 'put', 'delete']

// biome-ignore lint/suspicious/noExplicitAny: a foreign document is walked by hand
type Any = any
const described: [path: string, method: string, operation: Any][] = Object.entries(document.paths as Any).flatMap(
  ([path, item]) =>
    Object.entries(item as Any).map(([method, operation]) => [path, method, operation] as [string, string, Any]),
)

function walk(value: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>)
  for (const child of Object.values(value)) walk(child, visit)
}

test('whoever has the description already is sent no second one', async () => {
  const { headers } = await send(`${service.url}/openapi.json`)
  const again = await send(`${service.url}/openapi.json`, { headers: { 'if-none-match': headers.etag! } })
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag])
})

test('the document names its version, its title and its licence', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info.version, '2.0.0')
  assert.deepEqual(document.info.license, { name: 'Apache-2.0', identifier: 'Apache-2.0' })
  assert.deepEqual(Object.keys(document).sort(), ['components', 'info', 'openapi', 'paths', 'servers', 'tags'])
})

test('what an empty body means is said with the body, wherever an operation takes one', () => {
  for (const op of allOperations(service.app.ports).filter(({ body }) => body !== undefined)) {
    const [, , { requestBody }] = described.find(([, , { operationId }]) => operationId === op.id)!
    const runsExample = op.emptyBody === 'example'
    assert.equal(requestBody['x-orch-empty-body'], op.emptyBody ?? 'refuse', op.id)
    assert.equal(
      /empty object or no body runs the documented example/.test(requestBody.description),
      runsExample,
      op.id,
    )
  }
})

test('what the example of organs.mcp needs beside its body is said with it', () => {
  const [, , { description }] = described.find(([, , { operationId }]) => operationId === 'organs.mcp')!
  assert.match(description, /`Accept: application\/json, text\/event-stream`/)
})

test('9.6: every operation has an id of its own that any generator takes, a summary, a tag that is listed, and responses', () => {
  const tags = new Set(document.tags.map(({ name }: Any) => name))
  const ids = new Set<string>()
  for (const [path, method, operation] of described) {
    const where = `${method} ${path}`
    assert.ok(METHODS.includes(method), where)
    assert.match(operation.operationId, /^[A-Za-z][A-Za-z0-9.]*$/, where)
    assert.ok(!ids.has(operation.operationId), `${operation.operationId} twice`)
    ids.add(operation.operationId)
    assert.ok(operation.summary.length > 0 && !operation.summary.endsWith('.'), where)
    assert.equal(operation.tags.length, 1)
    assert.ok(tags.has(operation.tags[0]), where)
    assert.ok(operation.responses['200']?.content, where)
    for (const [status, response] of Object.entries(operation.responses as Any)) {
      assert.match(status, /^[2-5]\d\d$/)
      const name = (response as Any).$ref?.replace('#/components/responses/', '')
      const described = name === undefined ? response : document.components.responses[name]
      assert.equal(typeof (described as Any).description, 'string')
    }
  }
})

/** Members of request bodies that nobody described, those of schemas it refers to included. */
function undescribed(schema: Any, seen: ReadonlySet<string> = new Set()): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => undescribed(one, seen))
  if (schema === null || typeof schema !== 'object') return []
  if (typeof schema.$ref === 'string') {
    if (seen.has(schema.$ref)) return []
    const name = schema.$ref.replace('#/components/schemas/', '')
    return undescribed(document.components.schemas[name], new Set([...seen, schema.$ref]))
  }
  const { properties = {}, ...rest } = schema
  const own = Object.entries(properties as Any).flatMap(([name, member]) => [
    ...((member as Any).description ? [] : [name]),
    ...undescribed(member, seen),
  ])
  return [...own, ...['items', 'anyOf', 'oneOf', 'allOf'].flatMap((key) => undescribed(rest[key] ?? null, seen))]
}

/** What lies in them is data. */
const EXAMPLES = new Set(['example', 'examples'])

test('no schema writes a tuple as JSON Schema did before 2020-12', () => {
  const older: unknown[] = []
  const look = (value: unknown, place: readonly string[]): void => {
    if (value === null || typeof value !== 'object') return
    const { items, additionalItems } = value as Any
    if (place.at(-1) !== 'properties' && (Array.isArray(items) || additionalItems !== undefined)) older.push(place)
    for (const [key, inner] of Object.entries(value)) if (!EXAMPLES.has(key)) look(inner, [...place, key])
  }
  look(document, [])
  assert.deepEqual(older, [])
})

test('9.6: every tag, every parameter and every member of a request body has a description', () => {
  for (const { name, description } of document.tags) assert.ok(description?.endsWith('.'), name)
  const own = described.filter(([path]) => !path.includes('/layer/'))
  const bare = own.flatMap(([path, method, { parameters = [], requestBody }]) => [
    ...parameters
      .filter((parameter: Any) => !parameter.description)
      .map(({ name }: Any) => `${method} ${path} ${name}`),
    ...undescribed(requestBody?.content['application/json'].schema ?? null).map((name) => `${method} ${path} ${name}`),
  ])
  assert.deepEqual(bare, [])
})

test('every parameter of a path is declared, required, and nothing else is said to be in it', () => {
  for (const [path, , operation] of described) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()
    const declared = (operation.parameters ?? []).filter((parameter: Any) => parameter.in === 'path')
    assert.deepEqual(declared.map(({ name }: Any) => name).sort(), inPath, path)
    for (const parameter of operation.parameters ?? []) {
      assert.ok(parameter.schema, `${path} ${parameter.name}`)
      if (parameter.in === 'path') assert.equal(parameter.required, true)
    }
  }
})

test('no parameter of a query that has a default is said to be required, and one without still may be', () => {
  const queries = described.flatMap(([path, method, operation]) =>
    (operation.parameters ?? [])
      .filter((parameter: Any) => parameter.in === 'query')
      .map((parameter: Any) => ({ ...parameter, where: `${method} ${path} ${parameter.name}` })),
  )
  const filledIn = queries.filter(({ schema }) => schema.default !== undefined)
  assert.ok(filledIn.length > 20)
  assert.deepEqual(
    filledIn.filter(({ required }) => required).map(({ where }) => where),
    [],
  )
  const digest = queries.find(({ where }) => where === 'get /api/orch/v1/log/proof/inclusion digest')
  assert.equal(digest.required, true)
})

test('every reference leads somewhere and no private key of the schema library is left', () => {
  walk(document, (node) => {
    for (const key of Object.keys(node)) assert.ok(!key.startsWith('~') && key !== '$id', key)
    if (typeof node.$ref !== 'string') return
    const steps = node.$ref.split('/')
    assert.equal(steps.shift(), '#')
    let at: Any = document
    for (const step of steps) at = at?.[step]
    assert.ok(at, node.$ref)
  })
})

test('the refusal every operation shares lists exactly the closed codes', () => {
  assert.deepEqual(
    document.components.schemas.ServiceError.properties.error.properties.code.enum.sort(),
    Object.keys(ERRORS).sort(),
  )
})

/** The status alone: a stream of events has no end to wait for. */
async function statusOf(path: string, method: string): Promise<number> {
  const outgoing = request(service.url + path, {
    method,
    agent: false,
    headers: { 'content-type': 'application/json' },
  })
  outgoing.end(method === 'GET' ? undefined : '{')
  const [response] = await once(outgoing, 'response')
  response.destroy()
  return response.statusCode
}

test('5a what is described is served, and with the method it is described with', async () => {
  const failsByDesign = /throwing|unsendable/
  for (const [path, method] of described) {
    if (failsByDesign.test(path)) continue
    const status = await statusOf(path.replaceAll(/\{\w+\}/g, 'x'), method.toUpperCase())
    // With an id nobody has, 404 is the operation's own answer.
    assert.ok(![405, 500].includes(status) && (status !== 404 || path.includes('{')), `${method} ${path}: ${status}`)
  }
})

test('5a what is served is described, aliases included', () => {
  const table = [...allOperations({} as FeaturePorts), ...LAYER_OPERATIONS]
  const served = table.flatMap((op) =>
    pathsOf(op).map((path) => `${op.method} ${path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}')}`),
  )
  assert.equal(new Set(served).size, served.length, 'a path is served twice')
  assert.deepEqual(described.map(([path, method]) => `${method.toUpperCase()} ${path}`).sort(), served.sort())
})

test('the catalog lists each described operation once, on its canonical path', () => {
  const { catalog } = service.app.ports
  const canonical = described.filter(([, , operation]) => operation['x-orch-alias-of'] === undefined)
  assert.deepEqual(
    catalog.map(({ id, method, path, scopes, labels }) => [id, method, path, scopes, labels]).sort(),
    canonical
      .map(([path, method, operation]) => [
        ...[operation.operationId, method.toUpperCase(), path],
        ...[operation['x-orch-scopes'], operation['x-orch-labels']],
      ])
      .sort(),
  )
})

test('a path is either fixed or has parameters in snake case, and no two templates differ by a name alone', () => {
  const shapes = new Map<string, string>()
  for (const [path] of described) {
    const shape = path.replaceAll(/\{\w+\}/g, '{}')
    assert.equal(shapes.get(shape) ?? path, path)
    shapes.set(shape, path)
    if (path !== '/') assert.match(path, /^(\/([\w.-]+|\{[a-z][a-z0-9_]*\}))+$/)
  }
})

test('the committed document is the one this code describes', () => {
  const printed = execFileSync(process.execPath, [join(ROOT, 'scripts/print-openapi.ts')], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  assert.equal(
    readFileSync(join(ROOT, 'openapi.json'), 'utf8'),
    printed,
    'write it anew: node scripts/print-openapi.ts > openapi.json',
  )
})
