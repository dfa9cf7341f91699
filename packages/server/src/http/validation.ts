import { isUtf8 } from 'node:buffer'
import { JsonError, nearest, parseStrictJson, placeOf } from '@orch/core'
import type { TObject, TSchema } from 'typebox'
import { InputError, type InputFault } from '../errors.ts'
import { MAX_DEPTH } from '../operation.ts'
import { expectedBy, fieldsOf, schemaAt } from '../platform/schema-text.ts'
import { read, type ShapeFault } from '../platform/shape.ts'

const MAX_FAULTS = 32
/** Characters of a name that are compared with the known ones: comparing costs their product. */
const MAX_COMPARED = 64
/** Of a body, counted before it is built. 64 KiB cannot hold more; 4 MiB could, and would keep the loop with them. */
const MAX_VALUES = 32_768

export type Part = 'path' | 'query' | 'body' | 'header'

/** Hands the value back, or throws every fault it found, up to 32. */
export function validator(part: Part, schema: TSchema): (value: unknown) => unknown {
  const limits = listLimits(schema)
  return (value) => {
    refuseLongLists(part, value, limits)
    const shaped = read(schema, value)
    if (shaped.ok) return value
    throw new InputError(shaped.faults.map((fault) => toInputFault(part, schema, fault)))
  }
}

type ListLimits = readonly (readonly [name: string, most: number])[]

const listLimits = (schema: TSchema): ListLimits =>
  Object.entries((schema as { properties?: Record<string, { maxItems?: number }> }).properties ?? {}).flatMap(
    ([name, { maxItems }]) => (maxItems === undefined ? [] : [[name, maxItems] as const]),
  )

/** Refused before anything in the list is looked at: to search each of a hundred thousand entries for faults would keep
 *  everybody else waiting. */
function refuseLongLists(part: Part, value: unknown, limits: ListLimits): void {
  for (const [name, most] of limits) {
    const list = (value as Record<string, unknown> | null | undefined)?.[name]
    if (!Array.isArray(list) || list.length <= most) continue
    const msg = `must be a list of at most ${most} items; this one has ${list.length}`
    throw new InputError([{ loc: [part, name], msg, type: 'maxItems' }])
  }
}

/** A choice between values is reported as one, whichever way its schema spells it. */
const KEYWORDS: Readonly<Record<string, string>> = { anyOf: 'enum', const: 'enum' }

function toInputFault(part: Part, root: TSchema, { place, kind, keyword, schema, message }: ShapeFault): InputFault {
  const loc = [part, ...place]
  if (kind === 'missing') return { loc, msg: `this property is required: ${expectedBy(schema)}`, type: 'missing' }
  if (kind === 'invalid') return { loc, msg: message, type: KEYWORDS[keyword] ?? keyword }
  const known = fieldsOf(schemaAt(root, place.slice(0, -1)))
  const msg = `this property is not part of the contract${suggestion(String(place.at(-1)), known)}`
  return { loc, msg, type: 'extra_forbidden' }
}

const MAX_LISTED_NAMES = 20

/** What was probably meant, else what there is. A name is the caller's own: only its beginning is compared. */
function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name.slice(0, MAX_COMPARED), known)
  if (near !== null) return `; did you mean ${near}?`
  return known.length === 0 || known.length > MAX_LISTED_NAMES ? '' : `; allowed: ${known.join(', ')}`
}

/** A query string has no types: each value is read by its declared one, strictly, and never twice. An undeclared name
 *  is refused where it would have narrowed the answer, for a typo must not widen an audit, and ignored elsewhere. */
export function queryReader(schema: TObject, narrows: boolean): (query: Record<string, unknown>) => unknown {
  const check = validator('query', schema)
  const fields = Object.entries(schema.properties as Record<string, TSchema & { type?: string; default?: unknown }>)
  const names = fields.map(([name]) => name)
  return (query) => {
    const values: Record<string, unknown> = {}
    const faults: InputFault[] = narrows ? undeclared(query, names) : []
    for (const [name, field] of fields) {
      const raw = query[name]
      if (raw === undefined) {
        if (field.default !== undefined) values[name] = field.default
        continue
      }
      const found = readQueryValue(raw, field)
      if ('value' in found) values[name] = found.value
      else faults.push({ loc: ['query', name], ...found })
    }
    if (faults.length > 0) throw new InputError(faults.slice(0, MAX_FAULTS))
    return check(values)
  }
}

function undeclared(query: Record<string, unknown>, names: readonly string[]): InputFault[] {
  const foreign = Object.keys(query).filter((name) => !names.includes(name))
  return foreign.slice(0, MAX_FAULTS).map((name) => ({
    loc: ['query', name],
    msg: `no such parameter, and it would not narrow the answer${suggestion(name, names)}`,
    type: 'extra_forbidden',
  }))
}

/** The headers an operation goes by, out of all there are. */
export function headerReader(schema: TObject): (headers: Record<string, unknown>) => void {
  const check = validator('header', schema)
  const names = Object.keys(schema.properties)
  return (headers) => {
    const given = names.filter((name) => headers[name] !== undefined)
    check(Object.fromEntries(given.map((name) => [name, headers[name]])))
  }
}

/** Reads a request and checks its headers, and throws the faults of both at once. */
export function readTogether<T>(read: () => T, checkHeaders: () => void): T {
  const faults: InputFault[] = []
  const attempt = <R>(work: () => R): R | undefined => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      faults.push(...error.detail)
      return undefined
    }
  }
  const found = attempt(read)
  attempt(checkHeaders)
  if (faults.length > 0) throw new InputError(faults.slice(0, MAX_FAULTS))
  return found as T
}

const NUMBER = /^-?(?:\d{1,64}(?:\.\d{0,64})?|\.\d{1,64})(?:e[+-]?\d{1,3})?$/i

function readQueryValue(
  raw: unknown,
  field: TSchema & { type?: string },
): { value: unknown } | Omit<InputFault, 'loc'> {
  if (typeof raw !== 'string')
    return { msg: `this parameter is given more than once; give it once: ${expectedBy(field)}`, type: 'duplicate' }
  const read = QUERY_TYPES[field.type ?? '']
  const value = read === undefined ? raw : read(raw)
  return value === undefined ? { msg: `must be ${expectedBy(field)}`, type: 'type' } : { value }
}

const QUERY_TYPES: Readonly<Record<string, (raw: string) => unknown>> = {
  // As in a body, -0 is 0.
  integer: (raw) => (/^-?\d{1,15}$/.test(raw) ? Number(raw) + 0 : undefined),
  number: (raw) => (NUMBER.test(raw) && Number.isFinite(Number(raw)) ? Number(raw) + 0 : undefined),
  boolean: (raw) => QUERY_BOOLEANS.get(raw),
}

const QUERY_BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** The bytes of a body as a value, or a 422 that says where they stop being strict JSON. */
export function readJsonBody(bytes: Uint8Array, maxValues = MAX_VALUES): unknown {
  try {
    // The native check and conversion are quicker than a decoder; bytes that fail it go on as they are, to be located.
    return parseStrictJson(isUtf8(bytes) ? asText(bytes) : bytes, { maxDepth: MAX_DEPTH, maxValues })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const msg = `${error.message}${limitOf(error, maxValues)}${placeOf(error, bytes)}`
    throw new InputError([{ loc: ['body', ...error.path], msg, type: `json_${error.code}` }])
  }
}

const limitOf = ({ code }: JsonError, maxValues: number): string =>
  code === 'depth' ? ` (at most ${MAX_DEPTH} levels)` : code === 'values' ? ` (at most ${maxValues})` : ''

const asText = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('utf8')
