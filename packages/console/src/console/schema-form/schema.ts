/** What a JSON Schema says a form should ask, and what is wrong with an answer before it is sent. Only bounds that a
 *  reader can be told at the field are checked here; the service checks everything. */

export interface JsonSchema {
  type?: string | string[]
  const?: unknown
  enum?: readonly unknown[]
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  items?: JsonSchema
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  default?: unknown
  description?: string
}

export type Place = readonly (string | number)[]

export interface Fault {
  place: Place
  message: string
}

type FieldKind = 'fixed' | 'choice' | 'flag' | 'number' | 'text' | 'choices' | 'list' | 'group' | 'branches' | 'json'

export const branchesOf = ({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] => anyOf ?? oneOf ?? []

/** The values to choose from, where there is a closed list of them. */
export function choicesOf(schema: JsonSchema): readonly unknown[] | null {
  if (schema.enum !== undefined) return schema.enum
  const branches = branchesOf(schema)
  return branches.length > 0 && branches.every((branch) => 'const' in branch)
    ? branches.map((branch) => branch.const)
    : null
}

export function kindOf(schema: JsonSchema): FieldKind {
  if ('const' in schema) return 'fixed'
  if (choicesOf(schema) !== null) return 'choice'
  if (branchesOf(schema).length > 0) return 'branches'
  switch (schema.type) {
    case 'boolean':
      return 'flag'
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
      return 'text'
    case 'array':
      if (schema.items === undefined) return 'json'
      return schema.uniqueItems === true && choicesOf(schema.items) !== null ? 'choices' : 'list'
    case 'object':
      return schema.properties === undefined ? 'json' : 'group'
    default:
      return 'json'
  }
}

const span = (low: number | undefined, high: number | undefined, unit: string): string | null => {
  if (low === undefined && high === undefined) return null
  const words = [low, high].map((bound) => bound?.toLocaleString('en', { maximumFractionDigits: 12 }))
  if (low === undefined) return `at most ${words[1]}${unit}`
  return high === undefined ? `at least ${words[0]}${unit}` : `${words[0]} to ${words[1]}${unit}`
}

/** Beside the name of a field: "required, 1 to 32,768 characters". */
export function hintOf(schema: JsonSchema, isRequired: boolean): string {
  const parts = [
    isRequired ? 'required' : null,
    span(schema.minimum ?? schema.exclusiveMinimum, schema.maximum ?? schema.exclusiveMaximum, ''),
    span(schema.minLength, schema.maxLength, ' characters'),
    span(schema.minItems, schema.maxItems, ' items'),
    defaultWords(schema),
    kindOf(schema) === 'json' ? 'as JSON' : null,
    schema.description ?? null,
  ]
  return parts.filter((part) => part !== null).join(', ')
}

function defaultWords({ default: given }: JsonSchema): string | null {
  if (given === undefined) return null
  if (typeof given === 'boolean') return given ? 'on unless you say otherwise' : 'off unless you tick it'
  const isEmpty = typeof given === 'object' && given !== null && Object.keys(given).length === 0
  return isEmpty ? 'empty by default' : `${typeof given === 'object' ? JSON.stringify(given) : given} by default`
}

/** What a new field, item or branch begins with. */
export function startOf(schema: JsonSchema): unknown {
  if ('const' in schema) return schema.const
  if (schema.default !== undefined) return schema.default
  switch (kindOf(schema)) {
    case 'choice':
      return choicesOf(schema)?.[0]
    case 'flag':
      return false
    case 'text':
      return ''
    case 'number':
      return schema.minimum ?? 0
    case 'list':
    case 'choices':
      return []
    case 'branches':
      return startOf(branchesOf(schema)[0] as JsonSchema)
    case 'group':
      return startOfFields(schema)
    default:
      return schema.type === 'null' ? null : {}
  }
}

export const startOfFields = ({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(required.map((name) => [name, startOf(properties[name] ?? {})]))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value has the outer form of a branch: enough to know which one a reader filled in. */
function fits(schema: JsonSchema, value: unknown): boolean {
  if ('const' in schema) return schema.const === value
  if (schema.enum !== undefined) return schema.enum.includes(value)
  const branches = branchesOf(schema)
  if (branches.length > 0) return branches.some((branch) => fits(branch, value))
  const { properties = {}, required = [] } = schema
  switch (schema.type) {
    case 'object':
      if (!isRecord(value) || !required.every((name) => name in value)) return false
      return Object.entries(properties).every(
        ([name, field]) => !('const' in field) || !(name in value) || field.const === value[name],
      )
    case 'array':
      return Array.isArray(value)
    case 'integer':
    case 'number':
      return typeof value === 'number'
    case 'null':
      return value === null
    default:
      return schema.type === undefined || schema.type === typeof value
  }
}

export function branchOf(schema: JsonSchema, value: unknown): number {
  const found = branchesOf(schema).findIndex((branch) => fits(branch, value))
  return Math.max(0, found)
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
  null: 'nothing',
  array: 'a list',
}
const MAX_NAMED = 3

/** One of several forms of a value, in words. */
export function branchName(schema: JsonSchema): string {
  if ('const' in schema) return String(schema.const)
  const choices = choicesOf(schema)
  if (choices !== null) return `one of ${listed(choices)}`
  const fixed = Object.values(schema.properties ?? {}).find((field) => 'const' in field)
  if (fixed !== undefined) return String(fixed.const)
  const names = schema.required ?? Object.keys(schema.properties ?? {})
  if (names.length > 0) return `${names.length === 1 ? 'a field' : 'fields'} ${listed(names)}`
  return (typeof schema.type === 'string' ? TYPE_WORDS[schema.type] : undefined) ?? 'anything, as JSON'
}

const listed = (values: readonly unknown[]): string =>
  `${values.slice(0, MAX_NAMED).join(', ')}${values.length > MAX_NAMED ? ` and ${values.length - MAX_NAMED} more` : ''}`

export function faultsOf(schema: JsonSchema, value: unknown, place: Place = []): Fault[] {
  const fault = (message: string): Fault[] => [{ place, message }]
  switch (kindOf(schema)) {
    case 'number':
      return numberFaults(schema, value).flatMap(fault)
    case 'text': {
      const length = typeof value === 'string' ? [...value].length : 0
      if (length < (schema.minLength ?? 0))
        return fault(length === 0 ? 'Must not be empty.' : `Must have at least ${schema.minLength} characters.`)
      return schema.maxLength !== undefined && length > schema.maxLength
        ? fault(`Must have at most ${schema.maxLength.toLocaleString('en')} characters.`)
        : []
    }
    case 'choices':
    case 'list': {
      const items = Array.isArray(value) ? value : []
      const own = [
        ...(items.length < (schema.minItems ?? 0) ? fault(`Must have at least ${itemsWords(schema.minItems)}.`) : []),
        ...(items.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)
          ? fault(`Must have at most ${itemsWords(schema.maxItems)}.`)
          : []),
      ]
      return [...own, ...items.flatMap((item, at) => faultsOf(schema.items as JsonSchema, item, [...place, at]))]
    }
    case 'group':
      return groupFaults(schema, isRecord(value) ? value : {}, place)
    case 'branches':
      return faultsOf(branchesOf(schema)[branchOf(schema, value)] as JsonSchema, value, place)
    default:
      return value instanceof BadJson ? fault('Is not JSON.') : []
  }
}

const itemsWords = (count = 0): string => (count === 1 ? '1 item' : `${count.toLocaleString('en')} items`)

function numberFaults(schema: JsonSchema, value: unknown): string[] {
  if (typeof value !== 'number') return ['Must be a number.']
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (schema.type === 'integer' && !Number.isInteger(value)) return ['Must be a whole number.']
  if (minimum !== undefined && value < minimum) return [`Must be at least ${minimum}.`]
  if (maximum !== undefined && value > maximum) return [`Must be at most ${maximum}.`]
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return [`Must be over ${exclusiveMinimum}.`]
  return exclusiveMaximum !== undefined && value >= exclusiveMaximum ? [`Must be under ${exclusiveMaximum}.`] : []
}

function groupFaults(
  { properties = {}, required = [] }: JsonSchema,
  value: Record<string, unknown>,
  place: Place,
): Fault[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const here = [...place, name]
    if (value[name] !== undefined) return faultsOf(field, value[name], here)
    return required.includes(name) && !('const' in field) ? [{ place: here, message: 'Is required.' }] : []
  })
}

/** What somebody typed where JSON is asked for and that is not JSON yet. */
export class BadJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const isAt = (place: Place, other: Place): boolean =>
  place.length === other.length && place.every((part, at) => String(part) === String(other[at]))

export const isBelow = (place: Place, other: Place): boolean =>
  place.length >= other.length && other.every((part, at) => String(part) === String(place[at]))
