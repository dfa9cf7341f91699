/** The description of one organ: its schemas, its ops, its bounds and its example. */
import type { TSchema } from 'typebox'
import { organDoc } from './evidence.ts'
import type { Op } from './organ.ts'
import type { RegisteredOrgan } from './registry.ts'
import { opSchema, PromptRequest } from './request.ts'
import { OrganRun } from './schemas.ts'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

export const describeOrgan = ({ organ, item }: RegisteredOrgan, exampleDigest: string | null) => ({
  schema: 'orch.organ-detail/v1' as const,
  ...item,
  version: organ.version,
  request_schema: {
    $schema: DRAFT,
    anyOf: [...Object.entries(organ.ops).map(([name, op]) => opSchema(name, op)), PromptRequest].map(selfContained),
  },
  response_schema: { $schema: DRAFT, ...responseSchema(Object.values(organ.ops)) },
  ops: Object.entries(organ.ops).map(([name, op], at) => ({
    op: name,
    default: at === 0,
    summary: op.summary,
    isolation: op.isolation,
    deadline_ms: op.deadlineMs,
    max_work: op.maxWork,
    writes_state: op.writesState === true,
  })),
  example: { request: organ.example.request, prompt: organ.example.prompt, result_sha256: exampleDigest },
  limits: Object.assign({}, ...Object.values(organ.ops).map(({ request }) => boundsOf(request))),
  backends: [...(organ.backends ?? [])],
  doc: organDoc(organ.id),
})

function responseSchema(ops: readonly Op[]): Record<string, unknown> {
  const { properties, ...run } = selfContained(OrganRun) as { properties: Record<string, unknown> }
  const results = [...ops.map(({ result }) => selfContained(result)), NEEDED, { type: 'null' }]
  return { ...run, properties: { ...properties, result: { anyOf: results } } }
}

const NEEDED = { type: 'object', required: ['understood', 'missing'] }

/** Plain JSON without identifiers: what stands inside another document refers to nothing outside it. */
function selfContained(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema, (name, value) => (name === '$id' ? undefined : value)))
}

type Bounds = Partial<Record<'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems', number>>
type Bounded = Bounds & { properties?: Record<string, Bounded>; items?: Bounded; anyOf?: Bounded[]; enum?: unknown[] }

/** `field` to what it may be, also of fields inside it. */
function boundsOf(schema: Bounded, path = ''): Record<string, string> {
  const bounds: Record<string, string> = {}
  const text = boundText(schema)
  if (path !== '' && text !== null) bounds[path] = text
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    Object.assign(bounds, boundsOf(field, path === '' ? name : `${path}.${name}`))
  if (schema.items !== undefined) Object.assign(bounds, boundsOf(schema.items, `${path}[]`))
  for (const branch of schema.anyOf ?? []) Object.assign(bounds, boundsOf(branch, path))
  return bounds
}

function boundText(schema: Bounded): string | null {
  if (schema.enum !== undefined) return schema.enum.join(' | ')
  const pairs = [
    [schema.minimum, schema.maximum, ''],
    [schema.minLength, schema.maxLength, ' characters'],
    [schema.minItems, schema.maxItems, ' items'],
  ] as const
  const found = pairs.find(([low, high]) => low !== undefined || high !== undefined)
  return found === undefined ? null : `${found[0] ?? ''}..${found[1] ?? ''}${found[2]}`
}
