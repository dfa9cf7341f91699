/** The smallest changes that make a value fit, one fault after the other, until it fits or nothing helps. */
import type { ErrorObject } from 'ajv'
import fastJsonPatch, { type Operation } from 'fast-json-patch'
import { distance } from 'fastest-levenshtein'
import { compileSchema, type JsonSchema } from './validator.ts'

const MAX_PASSES = 200
const MAX_CHARACTERS = 65_536

export interface Repaired {
  patch: Operation[]
  value: unknown
  valid: boolean
}

export function repairValue(schema: JsonSchema, candidate: unknown): Repaired {
  const validate = compileSchema(schema)
  // Below a name, so that the whole value can be replaced like any part of it.
  const box = { value: structuredClone(candidate) }
  for (let round = 0; round < MAX_PASSES && !validate(box.value); round += 1)
    if (!validate.errors!.some((fault) => mend(box, fault))) break
  const patch = fastJsonPatch.compare({ value: candidate as object }, box as { value: object })
  const unboxed = patch.map((change) => ({ ...change, path: change.path.slice('/value'.length) }))
  const isLong = JSON.stringify(unboxed).length > 2 * MAX_CHARACTERS
  const whole: Operation[] = [{ op: 'replace', path: '', value: box.value }]
  return { patch: isLong ? whole : unboxed, value: box.value, valid: validate(box.value) }
}

type Holder = Record<string | number, unknown>
type Keywords = Record<string, unknown>

/** True where it changed something. */
function mend(box: { value: unknown }, fault: ErrorObject): boolean {
  const names = [
    'value',
    ...fault.instancePath
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
  ]
  const last = names.pop()!
  const holder = names.reduce<Holder>((value, name) => value[name] as Holder, box)
  const before = JSON.stringify(box)
  if (before.length > MAX_CHARACTERS) return false
  const original = holder[last]
  if (fault.keyword === 'false schema' && !Array.isArray(holder) && (holder as unknown) !== box) delete holder[last]
  else MEND[fault.keyword]?.(holder, last, fault, fault.params, (fault.parentSchema ?? {}) as Keywords)
  // A number that no double holds is not an answer.
  if (typeof holder[last] === 'number' && !Number.isFinite(holder[last])) holder[last] = original
  return JSON.stringify(box) !== before
}

// biome-ignore lint/suspicious/noExplicitAny: what the validator tells depends on the keyword
type Mend = (holder: any, at: string, fault: ErrorObject, told: any, schema: Keywords) => void

const drop: Mend = (holder, at, _fault, { additionalProperty, unevaluatedProperty }) => {
  delete holder[at][additionalProperty ?? unevaluatedProperty]
}
const fill: Mend = (holder, at, _fault, { missingProperty }, { properties }) => {
  holder[at][missingProperty] = smallest((properties as Keywords | undefined)?.[missingProperty])
}
/** Whole numbers stay whole. */
const beyond =
  (direction: 1 | -1): Mend =>
  (holder, at, _fault, { limit }, { type }) => {
    const next = direction > 0 ? Math.floor(limit) + 1 : Math.ceil(limit) - 1
    holder[at] = type === 'integer' ? next : limit + direction * 1e-6
  }
const toLimit: Mend = (holder, at, _fault, { limit }, { type }) => {
  holder[at] = type !== 'integer' ? limit : holder[at] < limit ? Math.ceil(limit) : Math.floor(limit)
}

const MEND: Record<string, Mend> = {
  type: (holder, at, _fault, { type }) => {
    holder[at] = coerce(holder[at], [type].flat())
  },
  additionalProperties: drop,
  unevaluatedProperties: drop,
  required: fill,
  dependentRequired: fill,
  minimum: toLimit,
  maximum: toLimit,
  exclusiveMinimum: beyond(1),
  exclusiveMaximum: beyond(-1),
  multipleOf: (holder, at, _fault, { multipleOf }) => {
    holder[at] = Math.round(holder[at] / multipleOf) * multipleOf
  },
  minLength: (holder, at, _fault, { limit }) => {
    holder[at] += 'x'.repeat(Math.max(0, Math.min(limit, 4096) - [...holder[at]].length))
  },
  maxLength: (holder, at, _fault, { limit }) => {
    holder[at] = [...holder[at]].slice(0, limit).join('')
  },
  minItems: (holder, at, _fault, _reported, { items, prefixItems }) => {
    holder[at].push(smallest((prefixItems as unknown[] | undefined)?.[holder[at].length] ?? items))
  },
  maxItems: (holder, at, _fault, { limit }) => {
    holder[at].length = limit
  },
  uniqueItems: (holder, at, _fault, { i, j }) => {
    holder[at].splice(Math.max(i, j), 1)
  },
  enum: (holder, at, _fault, { allowedValues }) => {
    holder[at] = nearest(holder[at], allowedValues)
  },
  const: (holder, at, _fault, { allowedValue }) => {
    holder[at] = structuredClone(allowedValue)
  },
}

const SMALLEST: Record<string, unknown> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  null: null,
  array: [],
  object: {},
}

/** What the schema names itself, else the emptiest value of its type. */
function smallest(schema: unknown): unknown {
  const {
    default: given,
    const: only,
    enum: listed,
    type,
  } = (typeof schema === 'object' && schema !== null ? schema : {}) as Keywords
  return structuredClone(
    given ?? only ?? (listed as unknown[] | undefined)?.[0] ?? SMALLEST[[type].flat()[0] as string] ?? null,
  )
}

/** The same thing in one of the types, where it can be told in it. */
function coerce(value: unknown, types: string[]): unknown {
  for (const type of types) {
    const number =
      typeof value === 'boolean'
        ? Number(value)
        : typeof value === 'string' && value.trim() !== ''
          ? Number(value)
          : value
    if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
    if (type === 'number' && Number.isFinite(number)) return number
    if (type === 'integer' && Number.isFinite(number)) return Math.round(number as number)
    if (type === 'boolean' && (value === 'true' || value === 1)) return true
    if (type === 'boolean' && (value === 'false' || value === 0)) return false
    if (type === 'array' && value !== null) return [value]
  }
  return structuredClone(SMALLEST[types[0]!])
}

function nearest(value: unknown, allowed: readonly unknown[]): unknown {
  const text = (thing: unknown): string => (typeof thing === 'string' ? thing.toLowerCase() : JSON.stringify(thing))
  const far = (other: unknown): number =>
    typeof value === 'number' && typeof other === 'number'
      ? Math.abs(value - other)
      : distance(text(value), text(other))
  return structuredClone(allowed.reduce((best, other) => (far(other) < far(best) ? other : best)))
}
