/** Reading both requests. Absence of an optional field is a finding for the rubric, never a misfit. */

import { JsonError, type JsonErrorCode, parseStrictJson, placeOf } from '@orch/core'
import type { TSchema } from 'typebox'
import { isRecord } from '../../../domain/stored-receipt.ts'
import { codePoints } from '../../../domain/text/code-points.ts'
import { expectedBy } from '../../../platform/schema-text.ts'
import { AtomizeRequest, EvaluateRequest } from '../schemas.ts'
import { checkReferences } from './cross-record.ts'
import { documentKeys, type KeyOrder } from './key-order.ts'
import { type Path, Problems, type ProblemType } from './problems.ts'

export const readAtomizeRequest = (bytes: Uint8Array): AtomizeRequest =>
  fitted(bytes, AtomizeRequest).root as unknown as AtomizeRequest

export function readEvaluateRequest(bytes: Uint8Array): EvaluateRequest {
  const { root, keys } = fitted(bytes, EvaluateRequest)
  const request = root as unknown as EvaluateRequest
  checkReferences(request, keys)
  return request
}

function fitted(bytes: Uint8Array, schema: TSchema) {
  const document = readDocument(bytes)
  const problems = new Problems()
  walk(schema, document.root, { problems, keys: document.keys })
  problems.refuse()
  return document
}

const TYPE_OF: Readonly<Record<JsonErrorCode, ProblemType>> = {
  invalid_utf8: 'encoding_invalid',
  lone_surrogate: 'encoding_invalid',
  duplicate_key: 'json_duplicate_key',
  syntax: 'json_invalid',
  depth: 'json_invalid',
  number_range: 'json_invalid',
  values: 'json_invalid',
}

const decoder = new TextDecoder()
const EXAMPLE = '{"text":"It rose."} or {"claims":[]}'

/** Strict JSON with an object at its root. */
function readDocument(bytes: Uint8Array) {
  const problems = new Problems()
  if (bytes.length === 0)
    problems.add([], 'json_invalid', `this operation needs a JSON body, and none was sent; send one such as ${EXAMPLE}`)
  problems.refuse()
  const root = parsed(bytes, problems)
  if (problems.list.length === 0 && !isRecord(root))
    problems.add([], 'object_type', `must be a JSON object such as ${EXAMPLE}`)
  problems.refuse()
  return { root: root as Record<string, unknown>, keys: documentKeys(() => decoder.decode(bytes), root) }
}

function parsed(bytes: Uint8Array, problems: Problems): unknown {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    problems.add(error.path, TYPE_OF[error.code], `${error.message}${placeOf(error, bytes)}`)
    return undefined
  }
}

/** The walk that checks a request against its published schema. It reports every problem in the order of the document and
 *  in the closed words of the contract, which no validator does; nothing is coerced and nothing is repaired. It knows the
 *  kinds of schema the two requests are made of and no others. */
interface Walk {
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

const walk = (schema: TSchema, value: unknown, into: Walk): void => visit(schema as Keywords, value, [], into)

function visit(schema: Keywords, value: unknown, path: Path, into: Walk): void {
  const allowed = schema.enum ?? schema.anyOf?.map((one) => one.const)
  if (allowed?.every((one) => one !== undefined)) word(allowed, value, path, into)
  else if (schema.anyOf === undefined) KINDS[schema.type!]!(schema, value, path, into)
  // The only other union is that with null.
  else if (value !== null) visit(schema.anyOf.find(({ type }) => type !== 'null')!, value, path, into)
}

const string: Kind = (schema, value, path, { problems }) => {
  const { maxLength, pattern } = schema
  if (typeof value !== 'string') return problems.add(path, 'string_type', `must be ${expected(schema)}`)
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength)
    return problems.add(path, 'string_too_long', `must have at most ${maxLength} code points`)
  if (pattern === undefined || new RegExp(pattern).test(value)) return
  // What has no limit is a digest, whose pattern says how long it is.
  if (maxLength === undefined) problems.add(path, 'pattern', `must be exactly 64 hex characters: ${expected(schema)}`)
  else problems.add(path, 'blank', `must hold a character that is not whitespace: ${expected(schema)}`)
}

const boolean: Kind = (_, value, path, { problems }) => {
  if (typeof value !== 'boolean') problems.add(path, 'boolean_type', 'must be true or false')
}

const number: Kind = ({ minimum = 0, maximum = 0 }, value, path, { problems }) => {
  if (typeof value !== 'number') problems.add(path, 'number_type', `must be a number from ${minimum} to ${maximum}`)
  else if (!(value >= minimum && value <= maximum))
    problems.add(path, 'out_of_range', `must be from ${minimum} to ${maximum}, both included`)
}

function word(words: readonly (string | undefined)[], value: unknown, path: Path, { problems }: Walk): void {
  if (typeof value !== 'string') problems.add(path, 'string_type', `must be one of ${words.join(', ')}`)
  else if (!words.includes(value)) problems.add(path, 'enum', `must be one of ${words.join(', ')}`)
}

const array: Kind = (schema, value, path, into) => {
  const { items, maxItems = 0 } = schema
  if (!Array.isArray(value)) return into.problems.add(path, 'array_type', `must be ${expected(schema)}`)
  if (value.length > maxItems) into.problems.add(path, 'too_many_items', `must have at most ${maxItems} items`)
  for (const [at, entry] of value.entries()) {
    if (into.problems.full) return
    visit(items!, entry, [...path, at], into)
  }
}

const object: Kind = (schema, value, path, into) => {
  if (!isRecord(value)) return into.problems.add(path, 'object_type', `must be ${expected(schema)}`)
  const keys = into.keys(value)
  if (schema.maxProperties !== undefined && keys.length > schema.maxProperties)
    into.problems.add(path, 'too_many_properties', `must have at most ${schema.maxProperties} properties`)
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name))
      into.problems.add([...path, name], 'missing', `this property is required: ${expected(schema.properties![name]!)}`)
  const entry = Object.values(schema.patternProperties ?? {})[0]
  for (const name of keys) {
    if (into.problems.full) return
    if (schema.propertyNames !== undefined) visit(schema.propertyNames, name, [...path, name], into)
    // Own fields alone: a property called `constructor` is as foreign as any other.
    const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties![name] : entry
    if (field !== undefined) visit(field, value[name], [...path, name], into)
    else
      into.problems.add(
        [...path, name],
        'extra_forbidden',
        `this property is not part of the contract; allowed: ${Object.keys(schema.properties ?? {}).join(', ')}`,
      )
  }
}

/** What the place takes, in words and with an example or its bounds. */
function expected(schema: Keywords): string {
  const fields = Object.keys(schema.properties ?? {})
  const whole = expectedBy(schema as TSchema)
  return fields.length === 0 ? whole : `${whole}; allowed: ${fields.join(', ')}`
}

const KINDS: Readonly<Record<string, Kind>> = { string, boolean, number, array, object }
