import { JsonError, parseStrictJson } from '@orch/core'
import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { InputError, type InputFault } from '../errors.ts'
import { MAX_DEPTH } from '../operation.ts'

const MAX_FAULTS = 32

export type Part = 'path' | 'query' | 'body'

/** Compiled once per operation: hands the value back, or throws every fault it found, up to 32. */
export function validator(part: Part, schema: TSchema): (value: unknown) => unknown {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return value
    throw new InputError(faultsOf(part, compiled.Errors(value)))
  }
}

interface SchemaFault {
  keyword: string
  instancePath: string
  params: object
  message: string
}

function faultsOf(part: Part, found: Iterable<SchemaFault>): InputFault[] {
  const faults: InputFault[] = []
  const seen = new Set<string>()
  for (const fault of found) {
    for (const entry of toFaults(part, fault)) {
      const key = JSON.stringify([entry.loc, entry.type])
      if (seen.has(key)) continue
      seen.add(key)
      faults.push(entry)
    }
    if (faults.length >= MAX_FAULTS) break
  }
  return faults.slice(0, MAX_FAULTS)
}

function toFaults(part: Part, { keyword, instancePath, params, message }: SchemaFault): InputFault[] {
  const loc = [part, ...pointer(instancePath)]
  // A closed object reports its surplus twice: once as a whole, naming the keys, and once per key as a false schema.
  if (keyword === 'boolean') return [{ loc, msg: 'this property is not part of the contract', type: 'extra_forbidden' }]
  if (keyword === 'additionalProperties')
    return named(params, 'additionalProperties', loc, 'this property is not part of the contract', 'extra_forbidden')
  if (keyword === 'required') return named(params, 'requiredProperties', loc, 'this property is required', 'missing')
  return [{ loc, msg: message, type: keyword }]
}

function named(params: object, key: string, loc: (string | number)[], msg: string, type: string): InputFault[] {
  const names = (params as Record<string, unknown>)[key]
  return (Array.isArray(names) ? names : []).map((name) => ({ loc: [...loc, String(name)], msg, type }))
}

/** A JSON pointer as a location: array positions as numbers. */
function pointer(path: string): (string | number)[] {
  if (path === '') return []
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part))
}

/** A query string has no types of its own: each value is read by its declared one, strictly, and never twice. */
export function queryReader(schema: TObject): (query: Record<string, unknown>) => unknown {
  const check = validator('query', schema)
  const fields = Object.entries(schema.properties as Record<string, TSchema & { type?: string; default?: unknown }>)
  return (query) => {
    const values: Record<string, unknown> = {}
    for (const [name, field] of fields) {
      const raw = query[name]
      if (raw !== undefined) values[name] = readQueryValue(name, raw, field.type)
      else if (field.default !== undefined) values[name] = field.default
    }
    return check(values)
  }
}

function readQueryValue(name: string, raw: unknown, type: string | undefined): unknown {
  const fault = (msg: string, kind: string) => new InputError([{ loc: ['query', name], msg, type: kind }])
  if (typeof raw !== 'string') throw fault('this parameter may be given once', 'duplicate')
  if (type === 'integer') {
    if (/^-?\d{1,15}$/.test(raw)) return Number(raw)
    throw fault('must be a whole number', 'type')
  }
  if (type === 'number') {
    if (/^-?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:e[+-]?\d{1,3})?$/i.test(raw) && Number.isFinite(Number(raw)))
      return Number(raw)
    throw fault('must be a number', 'type')
  }
  if (type === 'boolean') {
    if (raw === 'true' || raw === '1') return true
    if (raw === 'false' || raw === '0') return false
    throw fault('must be true or false', 'type')
  }
  return raw
}

/** The bytes of a body as a value, or a 422 that says where they stop being strict JSON. */
export function readJsonBody(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, { maxDepth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new InputError([{ loc: ['body', ...error.path], msg: error.message, type: `json_${error.code}` }])
  }
}
