import { readFileSync } from 'node:fs'
import { BUILD_VERSION, INTERFACE_VERSION } from '@orch/core'
import Type, { type TObject, type TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { DEFAULT_BODY_LIMIT, type Operation, pathsOf, scopesOf } from '../operation.ts'
import type { CatalogEntry } from '../ports.ts'
import { GROUP_TEXTS, ownText, requestText } from './request-texts.ts'

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

/** One reply of each operation, recorded by `scripts/record-examples.ts`. */
type Recorded = Readonly<Record<string, { value: unknown; note?: string }>>
const RECORDED = new URL('./reply-examples.json', import.meta.url)

/** The interface description, derived from the table of operations and from nothing else but the recorded replies. */
export function openApi(operations: readonly Operation[]): Json {
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Recorded
  const shared: Shared = { schemas: { ...SHARED }, responses: {}, examples: examplesOf(operations, recorded) }
  const paths: Record<string, Json> = {}
  for (const op of operations) {
    const [first, ...others] = pathsOf(op).map(braced)
    const described = describe(op, shared)
    at(paths, first!)[op.method.toLowerCase()] = described
    for (const path of others)
      at(paths, path)[op.method.toLowerCase()] = {
        ...described,
        operationId: aliasId(op.id, path),
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
    tags: [...new Set(operations.map((op) => op.group))].map((name) => ({ name, description: GROUP_TEXTS[name] })),
    paths: byName(paths),
    components: {
      schemas: byName(shared.schemas),
      responses: byName(shared.responses),
      examples: byName(shared.examples),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

/** What is written once under `components` and referred to from everywhere else. */
interface Shared {
  schemas: Json
  responses: Json
  examples: Json
}

const examplesOf = (operations: readonly Operation[], recorded: Recorded): Json =>
  Object.fromEntries(
    operations.flatMap(({ id }) => {
      const { value, note } = recorded[id] ?? {}
      if (value === undefined) return []
      return [[id, { summary: 'A recorded reply', ...withText(note), value }]]
    }),
  )

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

/** Generators make names of ids: letters, digits and dots alone. */
const aliasId = (id: string, path: string): string =>
  `${id}.at${path.replace(/[^A-Za-z0-9]*([A-Za-z0-9]+)[^A-Za-z0-9]*/g, (_, word: string) => word[0]!.toUpperCase() + word.slice(1))}`

const at = (paths: Record<string, Json>, path: string): Json => {
  paths[path] ??= {}
  return paths[path]
}
export const braced = (path: string): string => path.replace(/:([a-z0-9_]+)/g, '{$1}').replace(/\*$/, `{${REST}}`)

/** The name a description gives to what a `*` at the end of a path takes: all that is left, slashes included. */
const REST = 'rest'

function describe(op: Operation, { schemas, responses, examples }: Shared): Json {
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
    responses: describeResponses(op, schemas, responses, examples),
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
    ...withText(ownText(op.id, name) ?? field.description ?? requestText(op.id, name)),
    schema: hoist(field, schemas),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }))
}

/** What a member says beside the reference to its schema. */
const DESCRIPTION_KEY = '~description'

const withText = (description: string | undefined) => (description === undefined ? {} : { description })

/** The schema of a request with a sentence for every member that has none of its own. */
function describeMembers(schema: unknown, operationId: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => describeMembers(item, operationId))
  if (schema === null || typeof schema !== 'object') return schema
  const member = ([name, value]: [string, unknown]) => {
    const known = describeMembers(value, operationId) as Json
    const said = requestText(operationId, name)
    if (said === undefined || (known.description && ownText(operationId, name) === undefined)) return [name, known]
    // A schema that is written once elsewhere means something of its own in this place.
    return [
      name,
      typeof known.$id === 'string' ? { ...known, [DESCRIPTION_KEY]: said } : { ...known, description: said },
    ]
  }
  const entries = Object.entries(schema).map(([key, value]) => [
    key,
    key === 'properties'
      ? Object.fromEntries(Object.entries(value as Json).map(member))
      : describeMembers(value, operationId),
  ])
  return Object.fromEntries(entries)
}

/** A schema that also took `{}` would be a union to every generator, so what nothing means is said beside it. */
const EMPTY_BODY: Readonly<Record<NonNullable<Operation['emptyBody']>, string>> = {
  example:
    ' An empty object or no body runs the documented example, and the reply says so (`x-orch-default-example: 1`); a body with any property needs all that are required.',
  optional: ' It may be left out.',
  refuse: '',
}

const bodyOf = (op: Operation, schemas: Json): Json => ({
  required: op.emptyBody !== 'example' && op.emptyBody !== 'optional',
  description: `At most ${op.bodyLimit ?? DEFAULT_BODY_LIMIT} bytes of strict JSON.${EMPTY_BODY[op.emptyBody ?? 'refuse']}`,
  'x-orch-empty-body': op.emptyBody ?? 'refuse',
  content: {
    'application/json': {
      schema: { ...(hoist(describeMembers(op.body, op.id), schemas, true) as Json), ...op.bodyRule },
      ...(op.example?.body === undefined ? {} : { example: op.example.body }),
    },
  },
})

function describeResponses(op: Operation, schemas: Json, shared: Json, examples: Json): Json {
  const recorded = op.id in examples ? { examples: { recorded: { $ref: `#/components/examples/${op.id}` } } } : {}
  const text = (op.otherForms ?? []).map((form) => [form, { schema: { type: 'string' } }])
  const success = {
    [op.produces ?? 'application/json']: { schema: hoist(op.reply, schemas), ...recorded },
    ...Object.fromEntries(text),
  }
  const responses: Json = { 200: { description: 'Success', content: success } }
  for (const [status, description] of Object.entries(op.ownStatuses ?? {})) responses[status] = { description }
  const takesInput = Boolean(op.params || op.query || op.narrows || op.body || op.requestHeaders)
  const ofLayer = [op.body ? ON_BODY : [], op.anyHost ? [] : ON_HOST, op.scope ? ON_SCOPE : [], ALWAYS]
  const codes = [...new Set([...(op.errors ?? []), ...ofLayer.flat()])]
  const statuses = new Set([...(takesInput ? [MISFIT] : []), ...codes.map((code) => ERRORS[code].status)])
  for (const status of [...statuses].sort()) {
    const listed = codes.filter((code) => ERRORS[code].status === status)
    const meanings = listed.map((code) => `${code}: ${ERRORS[code].meaning}`)
    const isMisfit = status === MISFIT && takesInput
    responses[status] = share(
      shared,
      [...(isMisfit ? ['invalid_input'] : []), ...listed].join('.'),
      [...(isMisfit ? ['invalid_input: the input does not fit the contract'] : []), ...meanings].join('; '),
      [...(isMisfit ? ['HTTPValidationError'] : []), ...(listed.length > 0 ? ['ServiceError'] : [])],
    )
  }
  return responses
}

/** Every fault of the input with its place, in a form of its own. */
const MISFIT = 422

/** Operations that refuse with the same codes share one response, which is named by them. */
function share(shared: Json, name: string, description: string, schemas: readonly string[]): Json {
  const forms = schemas.map((schema) => ({ $ref: `#/components/schemas/${schema}` }))
  shared[name] ??= {
    description,
    content: { 'application/json': { schema: forms.length === 1 ? forms[0] : { anyOf: forms } } },
  }
  return { $ref: `#/components/responses/${name}` }
}

/** A schema with an `$id` is written once under components and referred to everywhere else. */
function hoist(schema: unknown, schemas: Json, isRequest = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, schemas, isRequest))
  if (schema === null || typeof schema !== 'object') return schema
  const { $id, [DESCRIPTION_KEY]: description, ...rest } = schema as Json
  const plain = Object.fromEntries(
    Object.entries(rest)
      .filter(([key]) => !key.startsWith('~'))
      .map(([key, value]) => [key, hoist(value, schemas, isRequest)]),
  )
  if (typeof $id !== 'string') return plain
  // A request tells more of the same shape than a reply does.
  if (isRequest || schemas[$id] === undefined) schemas[$id] = plain
  return { $ref: `#/components/schemas/${$id}`, ...withText(description as string | undefined) }
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
