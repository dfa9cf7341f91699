/** Reads spans of OTLP in JSON. What is wrong with one span is said of that span; the others are taken. */
import Type, { type Static } from 'typebox'
import type { Attributes, AttributeValue } from './conventions.ts'

export const MAX_SPANS = 500
const MAX_NAME = 256
const MAX_ATTRIBUTES = 64
const MAX_ATTRIBUTE_NAME = 128
const MAX_VALUE = 8192
const MAX_NANOS = 2n ** 64n - 1n

/** Fields that OTLP has and nobody here reads are let in. */
export const ResourceSpans = Type.Array(
  Type.Object({
    resource: Type.Optional(Type.Object({ attributes: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 128 })) })),
    scopeSpans: Type.Optional(
      Type.Array(
        Type.Object({
          scope: Type.Optional(Type.Object({ name: Type.Optional(Type.String({ maxLength: MAX_NAME })) })),
          spans: Type.Optional(Type.Array(Type.Unknown())),
        }),
        { maxItems: MAX_SPANS },
      ),
    ),
  }),
  { minItems: 1, maxItems: MAX_SPANS },
)
type ResourceSpans = Static<typeof ResourceSpans>

export const Span = Type.Object({
  span_id: Type.String(),
  parent_id: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  kind: Type.Integer(),
  service: Type.Union([Type.String(), Type.Null()]),
  /** Nanoseconds since the epoch, in decimal digits. */
  start: Type.String(),
  end: Type.String(),
  status: Type.Union([Type.Literal('unset'), Type.Literal('ok'), Type.Literal('error')]),
  attributes: Type.Record(
    Type.String(),
    Type.Union([
      Type.String(),
      Type.Number(),
      Type.Boolean(),
      Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    ]),
  ),
})
export type Span = Static<typeof Span>

export interface ReadSpan {
  traceId: string
  span: Span
}

class Rejected extends Error {}

export const countSpans = (resourceSpans: ResourceSpans): number => spansIn(resourceSpans).length

const spansIn = (resourceSpans: ResourceSpans) =>
  resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) => spans.map((raw) => ({ raw, resource }))),
  )

/** In the order of the request. */
export function readSpans(resourceSpans: ResourceSpans) {
  const accepted: (ReadSpan & { index: number })[] = []
  const rejected: { index: number; reason: string }[] = []
  let surplus = 0
  for (const [index, { raw, resource }] of spansIn(resourceSpans).entries())
    try {
      const read = readSpan(raw, serviceName(resource?.attributes))
      surplus += read.surplus
      accepted.push({ ...read, index })
    } catch (error) {
      if (!(error instanceof Rejected)) throw error
      rejected.push({ index, reason: error.message })
    }
  return { accepted, rejected, surplus }
}

function readSpan(raw: unknown, service: string | null): ReadSpan & { surplus: number } {
  const span = asObject(raw, 'the span')
  const name = span.name ?? ''
  if (typeof name !== 'string' || name.length > MAX_NAME)
    throw new Rejected(`name must be a text of at most ${MAX_NAME} characters`)
  const parent = span.parentSpanId ?? ''
  const listed = [span.events, span.links].map((list) => (Array.isArray(list) ? list.length : 0))
  return {
    traceId: readId(span.traceId, 32, 'traceId'),
    span: {
      span_id: readId(span.spanId, 16, 'spanId'),
      parent_id: parent === '' ? null : readId(parent, 16, 'parentSpanId'),
      name,
      kind: Number.isInteger(span.kind) ? (span.kind as number) : 0,
      service,
      start: readNanos(span.startTimeUnixNano, 'startTimeUnixNano'),
      end: readNanos(span.endTimeUnixNano, 'endTimeUnixNano'),
      status: readStatus(span.status),
      attributes: readAttributes(span.attributes),
    },
    surplus: listed[0]! + listed[1]!,
  }
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Rejected(`${what} must be an object`)
  return value as Record<string, unknown>
}

function readId(value: unknown, digits: number, field: string): string {
  if (typeof value !== 'string' || value.length !== digits || !/^[0-9a-f]+$/iu.test(value) || /^0+$/u.test(value))
    throw new Rejected(`${field} must be ${digits} hex digits that are not all zero`)
  return value.toLowerCase()
}

function readNanos(value: unknown, field: string): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,20}$/u.test(text) || BigInt(text) > MAX_NANOS)
    throw new Rejected(`${field} must be nanoseconds since the epoch in decimal digits`)
  return String(BigInt(text))
}

/** The codes of OTLP, as numbers or by their names. */
function readStatus(value: unknown): Span['status'] {
  const code = value === undefined || value === null ? 0 : asObject(value, 'status').code
  if (code === 2 || code === 'STATUS_CODE_ERROR') return 'error'
  return code === 1 || code === 'STATUS_CODE_OK' ? 'ok' : 'unset'
}

function readAttributes(value: unknown): Record<string, AttributeValue> {
  const list = value ?? []
  if (!Array.isArray(list) || list.length > MAX_ATTRIBUTES)
    throw new Rejected(`attributes must be a list of at most ${MAX_ATTRIBUTES}`)
  return Object.fromEntries(
    list.map((one): [string, AttributeValue] => {
      const { key, value: held } = asObject(one, 'an attribute')
      if (typeof key !== 'string' || key === '' || key.length > MAX_ATTRIBUTE_NAME)
        throw new Rejected(`the key of an attribute must have 1 to ${MAX_ATTRIBUTE_NAME} characters`)
      const read = readValue(held)
      if (JSON.stringify(read).length > MAX_VALUE + 2)
        throw new Rejected(`the attribute ${key} must have at most ${MAX_VALUE} characters`)
      return [key, read]
    }),
  )
}

/** Lists of lists and of maps are kept as their JSON. */
function readValue(value: unknown): AttributeValue {
  const held = asObject(value ?? {}, 'the value of an attribute')
  if (typeof held.stringValue === 'string') return held.stringValue
  if (typeof held.boolValue === 'boolean') return held.boolValue
  if (typeof held.intValue === 'number' || typeof held.intValue === 'string') return readInteger(held.intValue)
  if (typeof held.doubleValue === 'number') return held.doubleValue
  if (typeof held.bytesValue === 'string') return held.bytesValue
  if (held.arrayValue !== undefined) {
    const { values = [] } = asObject(held.arrayValue, 'a list of values')
    if (!Array.isArray(values)) throw new Rejected('a list of values must be a list')
    return values.map((one) => {
      const read = readValue(one)
      return Array.isArray(read) ? JSON.stringify(read) : read
    })
  }
  return held.kvlistValue === undefined ? '' : JSON.stringify(held.kvlistValue)
}

/** What no double holds exactly stays the text it is. */
function readInteger(value: number | string): number | string {
  if (!/^-?\d{1,20}$/u.test(String(value))) throw new Rejected('an intValue must be a whole number')
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

function serviceName(attributes: readonly unknown[] | undefined): string | null {
  try {
    const found: Attributes = readAttributes(attributes?.slice(0, MAX_ATTRIBUTES))
    const name = found['service.name']
    return typeof name === 'string' ? name.slice(0, MAX_NAME) : null
  } catch (error) {
    if (error instanceof Rejected) return null
    throw error
  }
}
