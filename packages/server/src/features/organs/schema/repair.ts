/** The jobs that check and repair: the smallest changes that make a value fit, one fault after the other, until it fits or
 *  nothing helps. */
import { cutText } from '@orch/core'
import type { ErrorObject } from 'ajv'
import fastJsonPatch, { type Operation } from 'fast-json-patch'
import { distance } from 'fastest-levenshtein'
import { type Answer, answering } from './answer.ts'
import type { Candidate, Checked, Repaired } from './organ.ts'
import { compileSchema, pointerSteps } from './validator.ts'

const MAX_ERRORS = 100
const MAX_TEXT = 256
const MAX_PASSES = 200
const MAX_CHARACTERS = 65_536

export const check = ({ schema, candidate }: Candidate): Promise<Answer<Checked>> =>
  answering(() => {
    const validate = compileSchema(schema)
    const valid = validate(candidate)
    const found = validate.errors ?? []
    const errors = found.slice(0, MAX_ERRORS).map(({ instancePath, keyword, message = '' }) => ({
      path: cutText(instancePath, MAX_TEXT),
      keyword,
      message: cutText(message, MAX_TEXT),
    }))
    return { valid, errors, errors_truncated_from: found.length > MAX_ERRORS ? found.length : null }
  })

export const repair = (request: Candidate): Promise<Answer<Repaired>> => answering(() => repairValue(request))

export function repairValue({ schema, candidate }: Candidate): Repaired {
  const validate = compileSchema(schema)
  // Below a name, so that the whole value can be replaced like any part of it.
  const box = { value: structuredClone(candidate) }
  for (let round = 0; round < MAX_PASSES && !validate(box.value); round += 1)
    if (!validate.errors!.some((fault) => mend(box, fault))) break
  const changes = fastJsonPatch.compare({ value: candidate as object }, box as { value: object })
  const patch = changes.map((change) => ({ ...change, path: change.path.slice('/value'.length) }))
  const isLong = JSON.stringify(patch).length > 2 * MAX_CHARACTERS
  const whole: Operation[] = [{ op: 'replace', path: '', value: box.value }]
  return { valid: validate(box.value), value: box.value, patch: (isLong ? whole : patch) as Repaired['patch'] }
}

type Holder = Record<string | number, unknown>
type Keywords = Record<string, unknown>

/** True where it changed something. */
function mend(box: { value: unknown }, fault: ErrorObject): boolean {
  const names = ['value', ...pointerSteps(fault.instancePath)]
  const last = names.pop()!
  const holder = names.reduce<Holder>((value, name) => value[name] as Holder, box)
  const before = JSON.stringify(box)
  if (before.length > MAX_CHARACTERS) return false
  const original = holder[last]
  const { keyword, params, parentSchema = {} } = fault
  if (keyword === 'false schema' && !Array.isArray(holder) && (holder as unknown) !== box) delete holder[last]
  else if (keyword in CHANGE) CHANGE[keyword]!(original, params, parentSchema as Keywords)
  else if (keyword in REPLACE) holder[last] = REPLACE[keyword]!(original, params, parentSchema as Keywords)
  // A number that no double holds is not an answer.
  if (typeof holder[last] === 'number' && !Number.isFinite(holder[last])) holder[last] = original
  return JSON.stringify(box) !== before
}

// biome-ignore lint/suspicious/noExplicitAny: what the validator says depends on the keyword
type Mend<Result> = (value: any, params: any, schema: Keywords) => Result

const drop: Mend<void> = (value, { additionalProperty, unevaluatedProperty }) => {
  delete value[additionalProperty ?? unevaluatedProperty]
}
const fill: Mend<void> = (value, { missingProperty }, { properties }) => {
  value[missingProperty] = smallest((properties as Keywords | undefined)?.[missingProperty])
}

/** What is changed inside a list or an object. */
const CHANGE: Record<string, Mend<void>> = {
  additionalProperties: drop,
  unevaluatedProperties: drop,
  required: fill,
  dependentRequired: fill,
  minItems: (value, _params, { items, prefixItems }) =>
    void value.push(smallest((prefixItems as unknown[] | undefined)?.[value.length] ?? items)),
  maxItems: (value, { limit }) => {
    value.length = limit
  },
  uniqueItems: (value, { i, j }) => void value.splice(Math.max(i, j), 1),
}

/** Whole numbers stay whole. */
const toLimit: Mend<number> = (value, { limit }, { type }) =>
  type !== 'integer' ? limit : value < limit ? Math.ceil(limit) : Math.floor(limit)

/** What is put in the place of a value. */
const REPLACE: Record<string, Mend<unknown>> = {
  type: (value, { type }, schema) => coerce(value, [type].flat(), schema),
  minimum: toLimit,
  maximum: toLimit,
  exclusiveMinimum: (_value, { limit }, { type }) => (type === 'integer' ? Math.floor(limit) + 1 : limit + 1e-6),
  exclusiveMaximum: (_value, { limit }, { type }) => (type === 'integer' ? Math.ceil(limit) - 1 : limit - 1e-6),
  multipleOf: (value, { multipleOf }) => Math.round(value / multipleOf) * multipleOf,
  minLength: (value, { limit }) => value + 'x'.repeat(Math.max(0, Math.min(limit, 4096) - [...value].length)),
  maxLength: (value, { limit }) => [...value].slice(0, limit).join(''),
  enum: (value, { allowedValues }) => nearest(value, allowedValues),
  const: (_value, { allowedValue }) => structuredClone(allowedValue),
}

const SMALLEST: Keywords = { string: '', integer: 0, number: 0, boolean: false, null: null, array: [], object: {} }

/** What the schema names itself, else the emptiest value of its type. */
function smallest(schema: unknown): unknown {
  const words = (typeof schema === 'object' && schema !== null ? schema : {}) as Keywords
  const [listed] = (words.enum as unknown[] | undefined) ?? []
  return structuredClone(words.default ?? words.const ?? listed ?? SMALLEST[[words.type].flat()[0] as string] ?? null)
}

const YES = /^(?:true|yes|y|on|1)$/i
const NO = /^(?:false|no|n|off|0)$/i

/** The same thing in one of the types, where it can be told in it; else what the schema takes for granted. */
function coerce(value: unknown, types: string[], { default: standard }: Keywords): unknown {
  const isText = typeof value === 'string' && value.trim() !== ''
  const number = isText || typeof value === 'boolean' ? Number(value) : value
  const word = isText || typeof value === 'number' ? String(value).trim() : ''
  for (const type of types) {
    if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
    if (type === 'number' && Number.isFinite(number)) return number
    if (type === 'integer' && Number.isFinite(number)) return Math.round(number as number)
    if (type === 'boolean' && YES.test(word)) return true
    if (type === 'boolean' && NO.test(word)) return false
    if (type === 'array' && value !== null) return [value]
  }
  return structuredClone(typesOf(standard).some((type) => types.includes(type)) ? standard : SMALLEST[types[0]!])
}

const typesOf = (value: unknown): string[] =>
  Number.isInteger(value)
    ? ['integer', 'number']
    : [value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value]

function nearest(value: unknown, allowed: readonly unknown[]): unknown {
  const text = (thing: unknown): string => (typeof thing === 'string' ? thing.toLowerCase() : JSON.stringify(thing))
  const far = (other: unknown): number =>
    typeof value === 'number' && typeof other === 'number'
      ? Math.abs(value - other)
      : distance(text(value), text(other))
  return structuredClone(allowed.reduce((best, other) => (far(other) < far(best) ? other : best)))
}
