/** The body as a value: strict JSON with an object at its root, or the problem that keeps it from being one. */
import { JsonError, type JsonErrorCode, parseStrictJson, placeOf } from '@orch/core'
import { documentKeys, type KeyOrder } from './key-order.ts'
import { Problems, type ProblemType } from './problems.ts'

const TYPE_OF: Readonly<Record<JsonErrorCode, ProblemType>> = {
  invalid_utf8: 'encoding_invalid',
  lone_surrogate: 'encoding_invalid',
  duplicate_key: 'json_duplicate_key',
  syntax: 'json_invalid',
  depth: 'json_invalid',
  number_range: 'json_invalid',
  values: 'json_invalid',
}

export interface Document {
  root: Record<string, unknown>
  keys: KeyOrder
}

const decoder = new TextDecoder()

export function readDocument(bytes: Uint8Array): Document {
  const problems = new Problems()
  if (bytes.length === 0) problems.add([], 'json_invalid', 'this operation needs a JSON body, and none was sent')
  problems.refuse()
  const root = parsed(bytes, problems)
  if (problems.list.length === 0 && !isObject(root)) problems.add([], 'object_type', 'must be a JSON object')
  problems.refuse()
  return { root: root as Record<string, unknown>, keys: documentKeys(() => decoder.decode(bytes), root) }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function parsed(bytes: Uint8Array, problems: Problems): unknown {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    problems.add(error.path, TYPE_OF[error.code], `${error.message}${placeOf(error, bytes)}`)
    return undefined
  }
}
