/** Reads a value of unknown shape by its schema: files, replies of other services, registries and stored documents. The
 *  result is the typed value, or every fault with its place. */
import { JsonError, parseJsonText, parseStrictJson } from '@orch/core'
import Type, { type Static, type TObjectOptions, type TProperties, type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { expectedBy, schemaAt } from './schema-text.ts'

/** An object with these fields and no others. */
export const closed = <T extends TProperties>(properties: T, options: TObjectOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })

const MAX_FAULTS = 32

// The library stops at eight faults by itself, and it reports a surplus field of a closed object twice.
Settings.Set({ maxErrors: 4 * MAX_FAULTS })

export type Place = readonly (string | number)[]

export interface ShapeFault {
  /** The place as a person writes it, the caller's prefix included: `tools[3].name`; empty for the value itself. */
  at: string
  /** The same place step by step, without the prefix. */
  place: Place
  /** What the place must be, without its name: `must be a whole number from 1 to 5`. */
  message: string
  kind: 'missing' | 'surplus' | 'invalid'
  /** The rule of the schema that refused. */
  keyword: string
  /** The part of the schema that refused; what a caller annotated it with is found here. */
  schema: TSchema
}

export type Shaped<T> = { ok: true; value: T } | { ok: false; faults: [ShapeFault, ...ShapeFault[]] }

/** A schema is compiled when the first value comes: compiling all of them would take a start longer than the rest of it. */
const compiled = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const validator = Compile(schema) as Validator
  compiled.set(schema, validator)
  return validator
}

/** `path` is put before the place of each fault: the name of a file, or where the value lies in something larger. At most
 *  32 faults are given, in the order of the schema. */
export function read<S extends TSchema>(schema: S, value: unknown, path = ''): Shaped<Static<S>> {
  const validator = validatorOf(schema)
  if (validator.Check(value)) return { ok: true, value: value as Static<S> }
  const faults = new Map<string, ShapeFault>()
  for (const { keyword, instancePath, params } of validator.Errors(value))
    for (const fault of toFaults(schema, placeOf(instancePath, value), keyword, params))
      remember(faults, at(path, fault))
  const [first = at(path, invalid(schema, [], 'type')), ...rest] = faults.values()
  return { ok: false, faults: [first, ...rest] }
}

function remember(faults: Map<string, ShapeFault>, fault: ShapeFault): void {
  const key = JSON.stringify([fault.place, fault.message])
  if (faults.size < MAX_FAULTS && !faults.has(key)) faults.set(key, fault)
}

/** The same for JSON text that this service wrote itself. Text from elsewhere goes through `parseStrictly` first. */
export function readJson<S extends TSchema>(schema: S, text: string, path = ''): Shaped<Static<S>> {
  try {
    return read(schema, parseJsonText(text), path)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const fault = { at: path, place: [], message: 'must be JSON', kind: 'invalid', keyword: 'json', schema } as const
    return { ok: false, faults: [fault] }
  }
}

/** Strict JSON that somebody else wrote, as a value; undefined for text that is none. */
export function parseStrictly(text: string | Uint8Array): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** All faults in one line, for an error message. */
export const faultText = (faults: readonly ShapeFault[]): string =>
  faults.map(({ at, message }) => (at === '' ? message : `${at} ${message}`)).join('; ')

type Fault = Omit<ShapeFault, 'at'>

function toFaults(root: TSchema, place: Place, keyword: string, params: object): Fault[] {
  // A surplus field is reported once with the object it lies in and once by itself, as a schema that is false.
  if (keyword === 'boolean') return [surplus(root, place)]
  const { additionalProperties: extra = [], requiredProperties: required = [] } = params as Record<string, string[]>
  if (keyword === 'additionalProperties') return extra.map((name) => surplus(root, [...place, name]))
  if (keyword === 'required') return required.map((name) => missing(root, [...place, name]))
  return [invalid(root, place, keyword)]
}

function invalid(root: TSchema, place: Place, keyword: string): Fault {
  const schema = schemaAt(root, place)
  return { place, kind: 'invalid', keyword, schema, message: `must be ${expectedBy(schema)}` }
}
function missing(root: TSchema, place: Place): Fault {
  const { message, ...fault } = invalid(root, place, 'required')
  return { ...fault, kind: 'missing', message: `${message}; it is missing` }
}
const surplus = (root: TSchema, place: Place): Fault => ({
  place,
  kind: 'surplus',
  keyword: 'additionalProperties',
  schema: schemaAt(root, place),
  message: 'is not a field that is known here',
})

function at(path: string, fault: Fault): ShapeFault {
  const text = fault.place.reduce<string>(
    (before, step) => (typeof step === 'number' ? `${before}[${step}]` : before === '' ? step : `${before}.${step}`),
    '',
  )
  return { ...fault, at: path === '' || text === '' ? path + text : `${path}: ${text}` }
}

/** A JSON pointer as steps: positions of lists as numbers, and a key that merely looks like one as it is. */
function placeOf(pointer: string, root: unknown): Place {
  let value = root
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(value) ? Number(key) : key
      value = (value as Record<string | number, unknown> | null | undefined)?.[step]
      return step
    })
}
