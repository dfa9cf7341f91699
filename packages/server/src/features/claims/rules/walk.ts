/** The walk that holds a request to its published schema. It tells every problem in the order of the document and in the
 *  closed words of the contract, which no validator does; nothing is coerced and nothing is repaired. It knows the kinds
 *  of schema the two requests are made of and no others. */
import type { TSchema } from 'typebox'
import { countCodePoints } from './code-points.ts'
import { isObject } from './document.ts'
import type { KeyOrder } from './key-order.ts'
import type { Path, Problems } from './problems.ts'

export interface Walk {
  problems: Problems
  keys: KeyOrder
}

/** The keywords this walk reads, under the names JSON Schema has for them. */
interface Keywords {
  type?: string
  enum?: readonly string[]
  const?: string
  anyOf?: readonly Keywords[]
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  items?: Keywords
  maxItems?: number
  properties?: Readonly<Record<string, Keywords>>
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, Keywords>>
  propertyNames?: Keywords
  maxProperties?: number
}

type Kind = (schema: Keywords, value: unknown, path: Path, walk: Walk) => void

export const walk = (schema: TSchema, value: unknown, into: Walk): void => visit(schema as Keywords, value, [], into)

function visit(schema: Keywords, value: unknown, path: Path, into: Walk): void {
  const allowed = schema.enum ?? schema.anyOf?.map((one) => one.const)
  if (allowed?.every((one) => one !== undefined)) word(allowed, value, path, into)
  else if (schema.anyOf === undefined) KINDS[schema.type!]!(schema, value, path, into)
  // The only other union is that with null.
  else if (value !== null) visit(schema.anyOf.find(({ type }) => type !== 'null')!, value, path, into)
}

const tooLong = (text: string, max: number): boolean => text.length > max && countCodePoints(text) > max

const string: Kind = ({ maxLength, pattern }, value, path, { problems }) => {
  if (typeof value !== 'string') return problems.add(path, 'string_type', 'must be a string')
  if (maxLength !== undefined && tooLong(value, maxLength))
    return problems.add(path, 'string_too_long', `must have at most ${maxLength} code points`)
  if (pattern === undefined || new RegExp(pattern).test(value)) return
  // What has no limit is a digest, whose pattern says how long it is.
  if (maxLength === undefined) problems.add(path, 'pattern', 'must be exactly 64 hex characters')
  else problems.add(path, 'blank', 'must hold a character that is not whitespace')
}

const boolean: Kind = (_, value, path, { problems }) => {
  if (typeof value !== 'boolean') problems.add(path, 'boolean_type', 'must be true or false')
}

const number: Kind = ({ minimum = 0, maximum = 0 }, value, path, { problems }) => {
  if (typeof value !== 'number') problems.add(path, 'number_type', 'must be a number')
  else if (!(value >= minimum && value <= maximum))
    problems.add(path, 'out_of_range', `must be from ${minimum} to ${maximum}, both included`)
}

function word(words: readonly (string | undefined)[], value: unknown, path: Path, { problems }: Walk): void {
  if (typeof value !== 'string') problems.add(path, 'string_type', 'must be a string')
  else if (!words.includes(value)) problems.add(path, 'enum', `must be one of ${words.join(', ')}`)
}

const array: Kind = ({ items, maxItems = 0 }, value, path, into) => {
  if (!Array.isArray(value)) return into.problems.add(path, 'array_type', 'must be a list')
  if (value.length > maxItems) into.problems.add(path, 'too_many_items', `must have at most ${maxItems} items`)
  for (const [at, entry] of value.entries()) {
    if (into.problems.full) return
    visit(items!, entry, [...path, at], into)
  }
}

const object: Kind = (schema, value, path, into) => {
  if (!isObject(value)) return into.problems.add(path, 'object_type', 'must be an object')
  const keys = into.keys(value)
  if (schema.maxProperties !== undefined && keys.length > schema.maxProperties)
    into.problems.add(path, 'too_many_properties', `must have at most ${schema.maxProperties} properties`)
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) into.problems.add([...path, name], 'missing', 'this property is required')
  const entry = Object.values(schema.patternProperties ?? {})[0]
  for (const name of keys) {
    if (into.problems.full) return
    if (schema.propertyNames !== undefined) visit(schema.propertyNames, name, [...path, name], into)
    // Own fields alone: a property called `constructor` is as foreign as any other.
    const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties![name] : entry
    if (field !== undefined) visit(field, value[name], [...path, name], into)
    else into.problems.add([...path, name], 'extra_forbidden', 'this property is not part of the contract')
  }
}

const KINDS: Readonly<Record<string, Kind>> = { string, boolean, number, array, object }
