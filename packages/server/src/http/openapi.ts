import { BUILD_VERSION, INTERFACE_VERSION } from '@orch/core'
import Type, { type TObject, type TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { DEFAULT_BODY_LIMIT, type Operation, pathsOf, scopesOf } from '../operation.ts'
import type { CatalogEntry } from '../ports.ts'

type Json = Record<string, unknown>

/** Codes that any operation can be answered with: those of the layer itself, and of a store that is away or damaged. */
const ALWAYS: readonly ErrorCode[] = [
  'request_timeout',
  'rate_limited',
  'internal_error',
  'draining',
  'store_unavailable',
  'ledger_unavailable',
]
const ON_BODY: readonly ErrorCode[] = ['request_body_too_large', 'unsupported_media_type']
const ON_HOST: readonly ErrorCode[] = ['cross_origin_refused']
const ON_SCOPE: readonly ErrorCode[] = [
  'missing_authorization',
  'invalid_authorization',
  'invalid_bearer_token',
  'credential_revoked',
  'missing_scopes',
  'credential_registry_unavailable',
]

/** The interface description, derived from the table of operations and from nothing else. */
export function openApi(operations: readonly Operation[]): Json {
  const shared: Shared = { schemas: { ...SHARED }, responses: {} }
  const paths: Record<string, Json> = {}
  for (const op of operations) {
    const [first, ...others] = pathsOf(op).map(braced)
    const described = describe(op, shared)
    at(paths, first!)[op.method.toLowerCase()] = described
    for (const path of others)
      at(paths, path)[op.method.toLowerCase()] = {
        ...described,
        operationId: `${op.id}@${path}`,
        'x-orch-alias-of': op.id,
      }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'orch',
      version: INTERFACE_VERSION,
      summary: 'Governs what agents do and leaves a signed, chained, offline-verifiable receipt of every decision',
      description: `Build ${BUILD_VERSION}. Every data claim carries an honesty label; what was not measured is empty and says so.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map((op) => op.group))].map((name) => ({ name })),
    paths: byName(paths),
    components: {
      schemas: byName(shared.schemas),
      responses: byName(shared.responses),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

/** What is written once under `components` and referred to from everywhere else. */
interface Shared {
  schemas: Json
  responses: Json
}

const byName = (entries: Json): Json => Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The operations as the features may know them: each once, on its canonical path. */
export const toCatalog = (operations: readonly Operation[]): CatalogEntry[] =>
  operations.map((op) => ({
    id: op.id,
    method: op.method,
    path: braced(pathsOf(op)[0]!),
    summary: op.summary,
    scopes: scopesOf(op),
    labels: op.labels ?? [],
  }))

const at = (paths: Record<string, Json>, path: string): Json => {
  paths[path] ??= {}
  return paths[path]
}
export const braced = (path: string): string => path.replace(/:([a-z0-9_]+)/g, '{$1}').replace(/\*$/, `{${REST}}`)

/** The name a description gives to what a `*` at the end of a path takes: all that is left, slashes included. */
const REST = 'rest'

function describe(op: Operation, { schemas, responses }: Shared): Json {
  const parameters = [
    ...parametersOf('path', op.params, op, schemas),
    ...parametersOf('query', op.query, op, schemas),
    ...parametersOf('header', op.requestHeaders, op, schemas),
  ]
  return {
    operationId: op.id,
    tags: [op.group],
    summary: op.summary,
    ...(op.description ? { description: op.description } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(op.body ? { requestBody: bodyOf(op, schemas) } : {}),
    responses: describeResponses(op, schemas, responses),
    ...(op.scope === null ? {} : { security: [{}, { bearer: [] }] }),
    'x-orch-scopes': scopesOf(op),
    'x-orch-labels': op.labels ?? [],
  }
}

function parametersOf(
  place: 'path' | 'query' | 'header',
  schema: TObject | undefined,
  op: Operation,
  schemas: Json,
): Json[] {
  if (!schema) return []
  const required = new Set((schema.required as string[] | undefined) ?? [])
  const examples = (place === 'header' ? {} : (op.example?.[place === 'path' ? 'params' : 'query'] ?? {})) as Json
  type Field = TSchema & { description?: string; default?: unknown }
  // A query is read with its defaults filled in: what has one may be left out, whatever its schema says.
  const isFilledIn = (field: Field) => place === 'query' && field.default !== undefined
  return Object.entries(schema.properties as Record<string, Field>).map(([name, field]) => ({
    name: name === '*' ? REST : name,
    in: place,
    required: place === 'path' || (required.has(name) && !isFilledIn(field)),
    ...(field.description ? { description: field.description } : {}),
    schema: hoist(field, schemas),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }))
}

const bodyOf = (op: Operation, schemas: Json): Json => ({
  required: op.emptyBody !== 'example' && op.emptyBody !== 'optional',
  description: `At most ${op.bodyLimit ?? DEFAULT_BODY_LIMIT} bytes of strict JSON.`,
  content: {
    'application/json': {
      schema: hoist(op.body, schemas),
      ...(op.example?.body === undefined ? {} : { example: op.example.body }),
    },
  },
})

function describeResponses(op: Operation, schemas: Json, shared: Json): Json {
  const success = { [op.produces ?? 'application/json']: { schema: hoist(op.reply, schemas) } }
  const responses: Json = { 200: { description: 'Success', content: success } }
  if (op.params || op.query || op.narrows || op.body || op.requestHeaders)
    responses[422] = share(shared, 'invalid_input', 'The input does not fit the contract', 'HTTPValidationError')
  const ofLayer = [op.body ? ON_BODY : [], op.anyHost ? [] : ON_HOST, op.scope ? ON_SCOPE : [], ALWAYS]
  const codes = [...new Set([...(op.errors ?? []), ...ofLayer.flat()])]
  for (const status of [...new Set(codes.map((code) => ERRORS[code].status))].sort()) {
    const listed = codes.filter((code) => ERRORS[code].status === status)
    const meanings = listed.map((code) => `${code}: ${ERRORS[code].meaning}`).join('; ')
    responses[status] = share(shared, listed.join('.'), meanings, 'ServiceError')
  }
  return responses
}

/** Operations that refuse with the same codes share one response, which is named by them. */
function share(shared: Json, name: string, description: string, schema: string): Json {
  shared[name] ??= {
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  }
  return { $ref: `#/components/responses/${name}` }
}

/** A schema with an `$id` is written once under components and referred to everywhere else. */
function hoist(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas))
  if (schema === null || typeof schema !== 'object') return schema
  const { $id, ...rest } = schema as Json
  const plain = Object.fromEntries(
    Object.entries(rest)
      .filter(([key]) => !key.startsWith('~'))
      .map(([key, value]) => [key, hoist(value, schemas)]),
  )
  if (typeof $id !== 'string') return plain
  schemas[$id] ??= plain
  return { $ref: `#/components/schemas/${$id}` }
}

const SHARED: Json = {
  HTTPValidationError: Type.Object({
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Unsafe({ type: ['string', 'integer'] })),
        msg: Type.String(),
        type: Type.String(),
        ctx: Type.Optional(Type.Record(Type.String(), Type.Number())),
      }),
    ),
  }),
  ServiceError: Type.Object({
    error: Type.Object({
      code: Type.Unsafe({ type: 'string', enum: Object.keys(ERRORS) }),
      message: Type.String(),
      request_id: Type.String(),
    }),
  }),
}
