// What the service says about itself in /openapi.json, in the form the fuzz walks: one target for each path and method.
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: Json
  enum?: Json[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  dependentRequired?: Record<string, string[]>
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  items?: Schema | Schema[]
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minProperties?: number
  maxProperties?: number
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
  example?: Json
}

export interface Target {
  id: string
  method: string
  /** As described, with `{name}` for what a caller fills in. */
  path: string
  parameters: Parameter[]
  body: { schema: Schema; example: Json | undefined; required: boolean; limit: number } | null
  /** What a 200 holds; null where it is not JSON. */
  reply: Schema | null
  streams: boolean
  /** Codes the operation says it refuses with. */
  codes: ReadonlySet<string>
}

interface Response {
  $ref?: string
  description?: string
  content?: Record<string, { schema?: Schema }>
}
interface Described {
  operationId: string
  parameters?: Parameter[]
  requestBody?: {
    required: boolean
    description: string
    content: { 'application/json': { schema: Schema; example?: Json } }
  }
  responses: Record<string, Response>
}
export interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

/** A schema with every reference put in place. A schema within itself ends there in one that takes anything. */
function resolve(schema: Schema, document: Document, open: readonly string[] = []): Schema {
  const { $ref, ...rest } = schema
  if ($ref !== undefined) {
    const name = $ref.slice('#/components/schemas/'.length)
    const found = document.components.schemas[name]
    if (!found || open.includes(name)) return rest
    return { ...resolve(found, document, [...open, name]), ...rest }
  }
  const inner = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(inner)
      : value !== null && typeof value === 'object'
        ? resolve(value as Schema, document, open)
        : value
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, LITERAL.has(key) ? value : inner(value)]))
}

/** Below these stand values, which may look like schemas and are none. */
const LITERAL = new Set(['const', 'enum', 'example', 'examples', 'default'])

export function targetsOf(document: Document): Target[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => targetOf(document, path, method, described)),
  )
}

function targetOf(document: Document, path: string, method: string, described: Described): Target {
  const { operationId, parameters = [], requestBody, responses } = described
  const content = responses[200]?.content ?? {}
  const reply = content['application/json']?.schema
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    parameters: parameters.map((parameter) => ({ ...parameter, schema: resolve(parameter.schema, document) })),
    body: requestBody ? bodyOf(requestBody, document) : null,
    reply: reply ? resolve(reply, document) : null,
    streams: 'text/event-stream' in content,
    codes: codesOf(responses, document),
  }
}

function bodyOf({ required, description, content }: NonNullable<Described['requestBody']>, document: Document) {
  const { schema, example } = content['application/json']
  const limit = /At most (\d+) bytes/.exec(description)?.[1]
  if (limit === undefined) throw new Error(`a body that does not say its limit: ${description}`)
  return { schema: resolve(schema, document), example, required, limit: Number(limit) }
}

/** The description of a refusal lists `code: meaning`, one after the other. */
const codesOf = (responses: Record<string, Response>, { components }: Document): ReadonlySet<string> =>
  new Set(
    Object.values(responses).flatMap(({ $ref, description }) => {
      const shared = $ref && components.responses[$ref.slice('#/components/responses/'.length)]?.description
      const said = shared ?? description ?? ''
      return [...said.matchAll(/(?:^|; )([a-z_]+): /g)].map((match) => match[1] as string)
    }),
  )
