import { isUtf8 } from 'node:buffer'
import { JsonError, nearest, parseStrictJson, placeOf } from '@orch/core'
import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { InputError, type InputFault } from '../errors.ts'
import { MAX_DEPTH } from '../operation.ts'

import { once } from '../platform/once.ts'
import { expectedBy, fieldsOf, schemaAt } from '../platform/schema-text.ts'

const MAX_FAULTS = 32
/** Characters of a name that are compared with the known ones: comparing costs their product. */
const MAX_COMPARED = 64
/** Of a body, counted before it is built. 64 KiB cannot hold more; 4 MiB could, and would keep the loop with them. */
const MAX_VALUES = 32_768

// The library stops at eight by itself, and a closed object reports its surplus twice.
Settings.Set({ maxErrors: 4 * MAX_FAULTS })

export type Part = 'path' | 'query' | 'body' | 'header'

/** Hands the value back, or throws every fault it found, up to 32. The schema is compiled once, when the first value
 *  comes: compiling all of them takes a start longer than everything else on this thread. */
export function validator(part: Part, schema: TSchema): (value: unknown) => unknown {
  const compiled = once(() => Compile(schema))
  const limits = listLimits(schema)
  return (value) => {
    refuseLongLists(part, value, limits)
    if (compiled().Check(value)) return value
    throw new InputError(faultsOf(part, schema, value, compiled().Errors(value)))
  }
}

type ListLimits = readonly (readonly [name: string, most: number])[]

const listLimits = (schema: TSchema): ListLimits =>
  Object.entries((schema as { properties?: Record<string, { maxItems?: number }> }).properties ?? {}).flatMap(
    ([name, { maxItems }]) => (maxItems === undefined ? [] : [[name, maxItems] as const]),
  )

/** Told before anything in the list is looked at: to search each of a hundred thousand entries for faults would keep
 *  everybody else waiting. */
function refuseLongLists(part: Part, value: unknown, limits: ListLimits): void {
  for (const [name, most] of limits) {
    const list = (value as Record<string, unknown> | null | undefined)?.[name]
    if (!Array.isArray(list) || list.length <= most) continue
    const msg = `must be a list of at most ${most} items; this one has ${list.length}`
    throw new InputError([{ loc: [part, name], msg, type: 'maxItems' }])
  }
}

interface SchemaFault {
  keyword: string
  instancePath: string
  params: object
  message: string
}

function faultsOf(part: Part, schema: TSchema, value: unknown, found: Iterable<SchemaFault>): InputFault[] {
  const faults: InputFault[] = []
  const seen = new Set<string>()
  for (const fault of found) {
    for (const entry of toFaults(part, schema, pointer(fault.instancePath, value), fault)) {
      const key = JSON.stringify([entry.loc, entry.msg])
      if (seen.has(key)) continue
      seen.add(key)
      faults.push(entry)
    }
    if (faults.length >= MAX_FAULTS) break
  }
  return faults.slice(0, MAX_FAULTS)
}

function toFaults(
  part: Part,
  root: TSchema,
  path: (string | number)[],
  { keyword, params }: SchemaFault,
): InputFault[] {
  const loc = [part, ...path]
  // A closed object reports its surplus twice: once as a whole, naming the keys, and once per key as a false schema.
  if (keyword === 'boolean') return [surplus(part, root, path)]
  if (keyword === 'additionalProperties')
    return namesIn(params, 'additionalProperties').map((name) => surplus(part, root, [...path, name]))
  if (keyword === 'required')
    return namesIn(params, 'requiredProperties').map((name) => missing(part, root, [...path, name]))
  return [{ loc, msg: `must be ${expectedBy(schemaAt(root, path))}`, type: KEYWORDS[keyword] ?? keyword }]
}

/** A choice between values is told as one, whichever way its schema spells it. */
const KEYWORDS: Readonly<Record<string, string>> = { anyOf: 'enum', const: 'enum' }

function surplus(part: Part, root: TSchema, path: (string | number)[]): InputFault {
  const known = fieldsOf(schemaAt(root, path.slice(0, -1)))
  const msg = `this property is not part of the contract${suggestion(String(path.at(-1)), known)}`
  return { loc: [part, ...path], msg, type: 'extra_forbidden' }
}

const missing = (part: Part, root: TSchema, path: (string | number)[]): InputFault => ({
  loc: [part, ...path],
  msg: `this property is required: ${expectedBy(schemaAt(root, path))}`,
  type: 'missing',
})

const MAX_LISTED_NAMES = 20

/** What was probably meant, else what there is. A name is the caller's own: only its beginning is compared. */
function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name.slice(0, MAX_COMPARED), known)
  if (near !== null) return `; did you mean ${near}?`
  return known.length === 0 || known.length > MAX_LISTED_NAMES ? '' : `; allowed: ${known.join(', ')}`
}

function namesIn(params: object, key: string): string[] {
  const names = (params as Record<string, unknown>)[key]
  return Array.isArray(names) ? names.map(String) : []
}

/** A JSON pointer as a location: positions of lists as numbers, and a key that merely looks like one as it is. */
function pointer(path: string, root: unknown): (string | number)[] {
  if (path === '') return []
  let at = root
  return path
    .slice(1)
    .split('/')
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(at) ? Number(key) : key
      at = (at as Record<string | number, unknown> | null | undefined)?.[step]
      return step
    })
}

/** A query string has no types of its own: each value is read by its declared one, strictly, and never twice. A name that
 *  nobody declared is refused where it would have narrowed the answer, for a typo must not widen an audit, and ignored
 *  elsewhere. */
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
      const read = readQueryValue(raw, field)
      if (read instanceof Misread) faults.push({ loc: ['query', name], msg: read.msg, type: read.type })
      else values[name] = read
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

/** Reads one part after the other and throws the faults of all of them at once. */
export function readTogether(...requestHeaders: readonly (() => void)[]): void {
  const faults: InputFault[] = []
  for (const read of requestHeaders) {
    try {
      read()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      faults.push(...error.detail)
    }
  }
  if (faults.length > 0) throw new InputError(faults.slice(0, MAX_FAULTS))
}

class Misread {
  readonly msg: string
  readonly type: string

  constructor(msg: string, type = 'type') {
    this.msg = msg
    this.type = type
  }
}

const NUMBER = /^-?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:e[+-]?\d{1,3})?$/i

function readQueryValue(raw: unknown, field: TSchema & { type?: string }): unknown {
  if (typeof raw !== 'string') return new Misread('this parameter may be given once', 'duplicate')
  const { type } = field
  const misread = () => new Misread(`must be ${expectedBy(field)}`)
  if (type === 'integer') return /^-?\d{1,15}$/.test(raw) ? Number(raw) : misread()
  if (type === 'number') return NUMBER.test(raw) && Number.isFinite(Number(raw)) ? Number(raw) : misread()
  if (type === 'boolean') return QUERY_BOOLEANS.get(raw) ?? misread()
  return raw
}

const QUERY_BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** The bytes of a body as a value, or a 422 that says where they stop being strict JSON. */
export function readJsonBody(bytes: Uint8Array): unknown {
  try {
    // The native check and conversion are quicker than a decoder; bytes that fail it go on as they are, to be located.
    return parseStrictJson(isUtf8(bytes) ? asText(bytes) : bytes, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const msg = `${error.message}${limitOf(error)}${placeOf(error, bytes)}`
    throw new InputError([{ loc: ['body', ...error.path], msg, type: `json_${error.code}` }])
  }
}

const limitOf = ({ code }: JsonError): string =>
  code === 'depth' ? ` (at most ${MAX_DEPTH} levels)` : code === 'values' ? ` (at most ${MAX_VALUES})` : ''

const asText = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('utf8')
