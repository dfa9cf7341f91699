/** Reads spans of OTLP in JSON. What is wrong with one span is said of that span; the others are taken. */
import { cutText } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Text, words } from '../../../domain/wire.ts'
import { type Place, read } from '../../../platform/shape.ts'
import type { AttributeValue } from './conventions.ts'

export const MAX_SPANS = 500
const MAX_NAME = 256
const MAX_ATTRIBUTES = 64
const MAX_VALUE = 8192
const MAX_NANOS = 2n ** 64n - 1n

/** Fields that OTLP has and nobody here reads are let in, here and below. */
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

const hexId = (digits: number) =>
  Type.String({
    pattern: `^(?!0+$)[0-9a-fA-F]{${digits}}$`,
    description: `${digits} hex digits that are not all zero`,
  })
const Nanos = Type.Union([
  Type.String({ pattern: '^[0-9]{1,20}$', description: 'nanoseconds since the epoch in decimal digits' }),
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
])
const Whole = Type.String({ pattern: '^-?[0-9]{1,20}$', description: 'a whole number' })
const SCALARS = {
  stringValue: Type.Optional(Type.String()),
  boolValue: Type.Optional(Type.Boolean()),
  intValue: Type.Optional(Type.Union([Type.Integer(), Whole])),
  // JSON has no other way to write these three.
  doubleValue: Type.Optional(Type.Union([Type.Number(), words(['NaN', 'Infinity', '-Infinity'])])),
  bytesValue: Type.Optional(Type.String()),
}
const Scalar = Type.Object(SCALARS)
const List = Type.Object({ values: Type.Optional(Type.Array(Scalar)) })
const Attributes = Type.Array(
  Type.Object({
    key: Type.String({ minLength: 1, maxLength: 128 }),
    value: Type.Optional(Type.Object({ ...SCALARS, arrayValue: Type.Optional(List) })),
  }),
  { maxItems: MAX_ATTRIBUTES },
)
const OtlpSpan = Type.Object({
  traceId: hexId(32),
  spanId: hexId(16),
  parentSpanId: Type.Optional(Type.Union([Type.Literal(''), hexId(16)])),
  name: Type.Optional(Type.String({ maxLength: MAX_NAME })),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  status: Type.Optional(Type.Object({ code: Type.Optional(Type.Union([Type.Integer(), Type.String()])) })),
  attributes: Type.Optional(Attributes),
  events: Type.Optional(Type.Array(Type.Unknown())),
  links: Type.Optional(Type.Array(Type.Unknown())),
})

export const Span = Type.Object({
  span_id: Type.String(),
  parent_id: Text,
  name: Type.String(),
  service: Text,
  /** Nanoseconds since the epoch, in decimal digits. */
  start: Type.String(),
  end: Type.String(),
  status: words(['unset', 'ok', 'error']),
  attributes: Type.Unsafe<Record<string, AttributeValue>>(Type.Record(Type.String(), Type.Unknown())),
})
export type Span = Static<typeof Span>

/** A span and where in the request it stands. */
export interface PlacedSpan {
  traceId: string
  span: Span
  index: number
  place: Place
}
export interface RejectedSpan {
  index: number
  /** Of what is wrong with it. */
  place: Place
  reason: string
}

export const countSpans = (resourceSpans: ResourceSpans): number => spansIn(resourceSpans).length

const spansIn = (resourceSpans: ResourceSpans) =>
  resourceSpans.flatMap(({ resource, scopeSpans = [] }, r) =>
    scopeSpans.flatMap(({ spans = [] }, s) =>
      spans.map((raw, n) => ({ raw, resource, place: ['resourceSpans', r, 'scopeSpans', s, 'spans', n] })),
    ),
  )

/** In the order of the request. */
export function readSpans(resourceSpans: ResourceSpans) {
  const accepted: PlacedSpan[] = []
  const rejected: RejectedSpan[] = []
  let surplus = 0
  for (const [index, { raw, resource, place }] of spansIn(resourceSpans).entries()) {
    const shaped = read(OtlpSpan, withoutNulls(raw))
    const fault = shaped.ok ? valueFault(shaped.value) : shaped.faults[0]
    if (fault !== null) {
      const at = fault.place.join('.')
      rejected.push({ index, place: [...place, ...fault.place], reason: `${at || 'the span'} ${fault.message}` })
    } else if (shaped.ok) {
      surplus += (shaped.value.events?.length ?? 0) + (shaped.value.links?.length ?? 0)
      const span = toSpan(shaped.value, serviceName(resource?.attributes))
      accepted.push({ traceId: shaped.value.traceId.toLowerCase(), span, index, place })
    }
  }
  return { accepted, rejected, surplus }
}

/** Whoever writes JSON of protocol buffers may write null for what is not set. */
const withoutNulls = (raw: unknown): unknown =>
  raw === null || typeof raw !== 'object' || Array.isArray(raw)
    ? raw
    : Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))

function valueFault({ startTimeUnixNano, endTimeUnixNano, attributes = [] }: Static<typeof OtlpSpan>) {
  for (const [field, nanos] of Object.entries({ startTimeUnixNano, endTimeUnixNano }))
    if (BigInt(nanos) > MAX_NANOS) return { place: [field], message: `must be at most ${MAX_NANOS}` }
  const long = attributes.findIndex(({ value }) => JSON.stringify(toValue(value)).length > MAX_VALUE + 2)
  return long < 0
    ? null
    : { place: ['attributes', long, 'value'], message: `must have at most ${MAX_VALUE} characters` }
}

function toSpan(raw: Static<typeof OtlpSpan>, service: string | null): Span {
  const { spanId, parentSpanId = '', name = '', startTimeUnixNano, endTimeUnixNano, status, attributes = [] } = raw
  return {
    ...{ span_id: spanId.toLowerCase(), parent_id: parentSpanId.toLowerCase() || null, name, service },
    ...{ start: String(BigInt(startTimeUnixNano)), end: String(BigInt(endTimeUnixNano)) },
    status: STATUSES.get(status?.code) ?? 'unset',
    attributes: toAttributes(attributes),
  }
}

/** The codes of OTLP, as numbers or by their names. */
const STATUSES = new Map<unknown, Span['status']>([
  [1, 'ok'],
  ['STATUS_CODE_OK', 'ok'],
  [2, 'error'],
  ['STATUS_CODE_ERROR', 'error'],
])

const toAttributes = (list: Static<typeof Attributes>): Record<string, AttributeValue> =>
  Object.fromEntries(list.map(({ key, value }) => [key, toValue(value)]))

function toValue(value: Static<typeof Attributes>[number]['value'] = {}): AttributeValue {
  return value.arrayValue === undefined ? toScalar(value) : (value.arrayValue.values ?? []).map(toScalar)
}

/** Lists in lists, and maps, are kept as their JSON. */
function toScalar({ stringValue, boolValue, intValue, doubleValue, bytesValue, ...other }: Static<typeof Scalar>) {
  const scalar = stringValue ?? boolValue ?? toInteger(intValue) ?? doubleValue ?? bytesValue
  return scalar ?? (Object.keys(other).length === 0 ? '' : JSON.stringify(Object.values(other)[0]))
}

/** What no double holds exactly stays the text it is. */
const toInteger = (value: number | string | undefined): number | string | undefined =>
  value !== undefined && Number.isSafeInteger(Number(value)) ? Number(value) : value

function serviceName(attributes: unknown): string | null {
  const named = Array.isArray(attributes) ? attributes.filter((one) => one?.key === 'service.name') : []
  const shaped = read(Attributes, named)
  const name = shaped.ok ? toAttributes(shaped.value)['service.name'] : undefined
  return typeof name === 'string' ? cutText(name, MAX_NAME) : null
}
