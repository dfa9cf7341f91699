/** The interface description as the documentation shows it: operations with what they take, answer and refuse, found by
 *  path and by word. */
import type { JsonSchema } from '../../schema-form/schema.ts'
import { hasWords, wordsOf } from '../../words.ts'

type Place = 'path' | 'query' | 'header'

interface Parameter {
  name: string
  in: Place
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

interface Refusal {
  status: string
  code: string
  meaning: string
}

export interface Described {
  id: string
  method: string
  path: string
  /** Further paths that answer the same. */
  aliases: readonly string[]
  group: string
  summary: string
  description: string | null
  /** What it is also found by. */
  words: string
  parameters: readonly Parameter[]
  body: { schema: JsonSchema; example: unknown; isRequired: boolean; note: string } | null
  reply: { type: string; schema: JsonSchema; example: unknown; note: string | null }
  refusals: readonly Refusal[]
  scopes: readonly string[]
  labels: readonly string[]
}

type Json = Record<string, unknown>
interface RawOperation {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: {
    required: boolean
    description: string
    content: { 'application/json': { schema: unknown; example?: unknown } }
  }
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: unknown; examples?: Json }> }>
  'x-orch-scopes': string[]
  'x-orch-labels': string[]
  'x-orch-alias-of'?: string
}
export interface ApiDocument {
  paths: Record<string, Record<string, RawOperation>>
  tags: { name: string; description: string }[]
  components: {
    schemas: Json
    responses: Record<string, { description: string }>
    examples?: Record<string, { value: unknown; description?: string }>
  }
}

export function operationsOf({ paths, components }: ApiDocument): Described[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => ({ path, method: method.toUpperCase(), raw })),
  )
  const isAlias = ({ raw }: (typeof all)[number]) => raw['x-orch-alias-of'] !== undefined
  return all
    .filter((one) => !isAlias(one))
    .map(({ path, method, raw }) => {
      const aliases = all.filter((one) => one.raw['x-orch-alias-of'] === raw.operationId).map((one) => one.path)
      return describe(path, method, raw, aliases, components)
    })
}

function describe(
  path: string,
  method: string,
  raw: RawOperation,
  aliases: string[],
  components: ApiDocument['components'],
): Described {
  const inlined = (schema: unknown): JsonSchema => inline(schema, components.schemas, []) as JsonSchema
  const sent = raw.requestBody?.content['application/json']
  const [type, reply] = Object.entries(raw.responses['200']?.content ?? {})[0] ?? ['', { schema: {} }]
  const name = (Object.values(reply.examples ?? {})[0] as { $ref?: string } | undefined)?.$ref?.split('/').at(-1)
  const recorded = name === undefined ? undefined : components.examples?.[name]
  return {
    ...{ id: raw.operationId, method, path, aliases, group: raw.tags[0], summary: raw.summary },
    description: raw.description ?? null,
    words: [raw.description ?? '', raw.tags[0], ...(raw.parameters ?? []).map(({ name: called }) => called)].join(' '),
    get parameters() {
      return (raw.parameters ?? []).map((one) => ({ ...one, schema: inlined(one.schema) }))
    },
    get body() {
      if (sent === undefined || raw.requestBody === undefined) return null
      const { required, description } = raw.requestBody
      return { schema: inlined(sent.schema), example: sent.example, isRequired: required, note: description }
    },
    get reply() {
      const { value, description = null } = recorded ?? {}
      return { type, schema: inlined(reply.schema), example: value, note: description }
    },
    refusals: Object.entries(raw.responses).flatMap(([status, { $ref }]) => refusalsOf(status, $ref, components)),
    ...{ scopes: raw['x-orch-scopes'], labels: raw['x-orch-labels'] },
  }
}

/** A response that is shared says "code: meaning; code: meaning". */
function refusalsOf(status: string, ref: string | undefined, { responses }: ApiDocument['components']): Refusal[] {
  const name = ref?.replace('#/components/responses/', '')
  if (name === undefined) return []
  return (responses[name]?.description ?? '').split(/; (?=[a-z_]+: )/).map((said) => {
    const [, code = name, meaning = said] = /^([a-z_]+): ([\s\S]*)$/.exec(said) ?? []
    return { status, code, meaning }
  })
}

/** Every reference replaced by what it names. A schema inside itself is any object there. */
function inline(schema: unknown, schemas: Json, inside: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((one) => inline(one, schemas, inside))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...rest } = schema as Json & { $ref?: string }
  if ($ref === undefined)
    return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inline(value, schemas, inside)]))
  const name = $ref.replace('#/components/schemas/', '')
  if (inside.includes(name)) return { type: 'object', ...rest }
  return { ...(inline(schemas[name], schemas, [...inside, name]) as Json), ...rest }
}

const asPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '.+')}$`)

/** Each as a word of its own. */
const hasWholeWords = (text: string, query: string): boolean => {
  const own = new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
  return wordsOf(query).every((word) => own.has(word))
}

/** Higher is nearer; 0 is not found. A path is found as it is described and as it is called. */
function nearness({ id, method, path, aliases, summary, words: others }: Described, query: string): number {
  const asked = query.replace(/^(?:get|post|put|delete)\s+/i, '')
  const paths = [path, ...aliases]
  if (paths.some((one) => one === asked || (asked.startsWith('/') && asPattern(one).test(asked)))) return 7
  const [name, called] = [id.toLowerCase(), query.toLowerCase()]
  if (name === called || name.split('.').at(-1) === called) return 6
  if (name.startsWith(called)) return 5
  const near = `${id} ${method} ${paths.join(' ')} ${summary}`
  if (hasWholeWords(`${id} ${summary}`, query)) return 4
  if (hasWords(summary, query) || hasWords(id, query)) return 3
  if (hasWords(near, query)) return 2
  return hasWords(`${near} ${others}`, query) ? 1 : 0
}

interface Titled {
  name: string
  title: string
  headings: readonly string[]
}

function documentNearness({ name, title, headings }: Titled, query: string): number {
  if ([name, title].some((one) => one.toLowerCase() === query.toLowerCase())) return 6
  if (hasWholeWords(`${name} ${title}`, query)) return 4
  if (hasWords(`${name} ${title}`, query)) return 3
  return hasWords(`${name} ${title} ${headings.join(' ')}`, query) ? 1 : 0
}

/** What matches, nearest first, and how near the nearest is. */
function nearestFirst<One>(items: readonly One[], near: (item: One) => number): { items: One[]; best: number } {
  const rows = items.map((item) => ({ item, score: near(item) })).filter(({ score }) => score > 0)
  rows.sort((one, other) => other.score - one.score)
  return { items: rows.map(({ item }) => item), best: rows[0]?.score ?? 0 }
}

export const found = (operations: readonly Described[], query: string) =>
  nearestFirst(operations, (one) => nearness(one, query.trim()))

export const foundDocuments = <One extends Titled>(documents: readonly One[], query: string) =>
  nearestFirst(documents, (one) => documentNearness(one, query.trim()))
