/** What a schema asks for, in the words of a refusal: allowed values, bounds, or an example, never the name of a rule. */
import type { TSchema } from 'typebox'

/** The parts of JSON Schema that the operations use. */
type Texts = Partial<Record<'type' | 'pattern' | 'format' | 'description', string>>
type Bounds =
  | ('minimum' | 'maximum' | 'exclusiveMinimum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems')
  | ('minProperties' | 'maxProperties')
interface Shape extends Texts, Partial<Record<Bounds, number>> {
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Shape[]
  properties?: Readonly<Record<string, Shape>>
  patternProperties?: Readonly<Record<string, Shape>>
  additionalProperties?: Shape | boolean
  items?: Shape
  uniqueItems?: boolean
  examples?: readonly unknown[]
}

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = { 'date-time': '2026-01-31T12:00:00.000Z' }

/** The part of a schema that judges the value at a path; where several alternatives could, the alternatives. */
export function schemaAt(schema: TSchema, path: readonly (string | number)[]): TSchema {
  let at = schema as Shape
  for (const step of path) {
    const [next, ...others] = alternatives(at).flatMap((one) => childOf(one, step) ?? [])
    if (next === undefined || others.length > 0) return at as TSchema
    at = next
  }
  return at as TSchema
}

function childOf(shape: Shape, step: string | number): Shape | undefined {
  if (typeof step === 'number') return shape.items
  if (shape.properties && Object.hasOwn(shape.properties, step)) return shape.properties[step]
  const open = Object.values(shape.patternProperties ?? {})[0] ?? shape.additionalProperties
  return typeof open === 'object' ? open : undefined
}

/** Everything that the value may be: of a list or an object only one has a place for the next step. */
const alternatives = (shape: Shape): readonly Shape[] => shape.anyOf?.flatMap(alternatives) ?? [shape]

/** Of something that may also be null, the something. */
function alternative(shape: Shape): Shape {
  const others = shape.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return others.length === 1 ? alternative(others[0]!) : shape
}

export const fieldsOf = (schema: TSchema): string[] => Object.keys(alternative(schema as Shape).properties ?? {})

export const expectedBy = (schema: TSchema): string => expectation(schema as Shape)

function expectation(shape: Shape): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.enum) return oneOf(shape.enum)
  if (shape.anyOf) return choice(shape.anyOf)
  switch (shape.type) {
    case 'string':
      return text(shape)
    case 'integer':
      return `a whole number${range(shape)}`
    case 'number':
      return `a number${range(shape)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${amount(shape.minItems, shape.maxItems, 'items')}${shape.uniqueItems ? ', each of them once' : ''}`
    case 'null':
      return 'null'
    default:
      return `an object${amount(shape.minProperties, shape.maxProperties, 'properties')}`
  }
}

function choice(options: readonly Shape[]): string {
  const words = options.filter((option) => option.const !== undefined).map((option) => option.const)
  const others = options.filter((option) => option.const === undefined).map(expectation)
  return [...(words.length > 0 ? [oneOf(words)] : []), ...others].join(' or ')
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? JSON.stringify(values[0]) : `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`

function text({ pattern, format, description, examples, minLength, maxLength }: Shape): string {
  const example = examples?.[0] ?? (format === undefined ? undefined : FORMAT_EXAMPLES[format])
  if (pattern === undefined && format === undefined) return `text${amount(minLength, maxLength, 'characters')}`
  const what = description === undefined ? 'text' : `text (${description})`
  return example === undefined ? what : `${what} such as ${JSON.stringify(example)}`
}

function range({ minimum, maximum, exclusiveMinimum }: Shape): string {
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : ` and at most ${maximum}`}`
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function amount(least: number | undefined, most: number | undefined, of: string): string {
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most} ${of}`
  if (most !== undefined) return ` of at most ${most} ${of}`
  return least === undefined || least === 0 ? '' : ` of at least ${least} ${of}`
}
