/** From a caller's schema to one that the grammar engine keeps to the letter. The engine passes over what it does not
 *  know, so that here every keyword is known or refused; where both sides know a keyword but not in every company, the
 *  schema is narrowed: whatever fits the narrow one fits the caller's. */
import { MARK, rangeMark } from './range.ts'
import { compileSchema, type JsonSchema, pointerSteps, SchemaFault } from './validator.ts'

type Keywords = Record<string, unknown>

const ANNOTATIONS = '$schema $comment title description default examples deprecated readOnly writeOnly'.split(' ')
const DEFINITIONS = ['$defs', 'definitions']
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
}
const SILENT = new Set([...ANNOTATIONS, ...DEFINITIONS, '$id'])
const TELLING = new Set(['type', 'enum', 'const', 'anyOf', '$ref', ...Object.values(OF_TYPE).flat()])

/** Throws a `SchemaFault` where the schema has what is not supported or fits nothing. */
export function narrowSchema(root: JsonSchema): JsonSchema {
  if (JSON.stringify(root).includes(MARK)) throw new SchemaFault([], 'holds a reserved word', 'unsupported_keyword')
  const narrowed = narrow(root, { root, place: [] })
  if (narrowed === false) throw new SchemaFault([], 'nothing fits this schema', 'unsatisfiable_schema')
  if (typeof root === 'boolean' || narrowed === true) return narrowed
  for (const group of DEFINITIONS)
    if (root[group] !== undefined) narrowed[group] = narrowEach(root[group], { root, place: [group] })
  return narrowed
}

interface At {
  root: JsonSchema
  place: (string | number)[]
}

const below = ({ root, place }: At, step: string | number): At => ({ root, place: [...place, step] })
const narrowEach = (schemas: unknown, at: At): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas as Keywords).map(([name, one]) => [name, narrow(one, below(at, name))]))
const narrowList = (schemas: unknown, at: At): JsonSchema[] =>
  (schemas as unknown[]).map((one, n) => narrow(one, below(at, n)))

const unsupported = ({ place }: At, keyword: string, why = 'is not supported here'): SchemaFault =>
  new SchemaFault([...place, keyword], `\`${keyword}\` ${why}`, 'unsupported_keyword')

function narrow(given: unknown, at: At): JsonSchema {
  if (typeof given === 'boolean') return given ? {} : false
  const schema = given as Keywords
  const said = Object.keys(schema).filter((word) => !SILENT.has(word))
  const unknown = Object.keys(schema).find(
    (word) => !TELLING.has(word) && (!SILENT.has(word) || (word === '$id' && at.place.length > 0)),
  )
  if (unknown !== undefined) throw unsupported(at, unknown)
  if ('const' in schema || 'enum' in schema) return narrowEnum(schema, at)
  const alone = ['$ref', 'anyOf'].find((word) => word in schema)
  const other = said.find((word) => word !== alone)
  if (alone !== undefined && other !== undefined) throw unsupported(at, other, `is not supported beside \`${alone}\``)
  if (alone === '$ref') return { $ref: assertLeads(schema, at) }
  if (alone === 'anyOf') return anyOf(narrowList(schema.anyOf, below(at, 'anyOf')))
  const implied = Object.keys(OF_TYPE).find((type) => OF_TYPE[type]!.some((word) => word in schema))
  const type = schema.type ?? implied
  return type === undefined
    ? {}
    : anyOf([type as string | string[]].flat().map((one) => NARROW[one]?.(schema, at) ?? { type: one }))
}

function anyOf(branches: JsonSchema[]): JsonSchema {
  const open = branches.filter((branch) => branch !== false)
  return open.length === 0 ? false : open.length === 1 ? open[0]! : { anyOf: open }
}

/** Those of the listed values that the rest of the schema lets through. */
function narrowEnum(schema: Keywords, { root }: At): JsonSchema {
  const { $defs = {}, definitions = {} } = root as Keywords
  const fits = compileSchema({ ...schema, $defs, definitions })
  const values = ('const' in schema ? [schema.const] : (schema.enum as unknown[])).filter((value) => fits(value))
  return values.length === 0 ? false : { enum: values }
}

/** A reference that leads to itself says nothing, and one that leaves the document is never followed. */
function assertLeads(schema: Keywords, at: At): unknown {
  const fault = (message: string, type: string) => new SchemaFault([...at.place, '$ref'], message, type)
  const seen = new Set<unknown>()
  for (let next: unknown = schema; typeof next === 'object' && next !== null && '$ref' in next; ) {
    const { $ref } = next as { $ref: string }
    if (!/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test($ref))
      throw fault('must be # or lie in $defs of this very schema', 'unsupported_keyword')
    if (seen.has($ref)) throw fault('leads back to itself', 'unsatisfiable_schema')
    seen.add($ref)
    next = pointerSteps(decodeURIComponent($ref)).reduce<unknown>(
      (value, step) => (value as Keywords | undefined)?.[step],
      at.root,
    )
    if (next === undefined) throw fault('leads nowhere', 'unsatisfiable_schema')
  }
  return schema.$ref
}

/** The engine puts a name into a literal of the grammar as it is, so that here it is written as JSON, and then as grammar. */
const inGrammar = (name: string): string => JSON.stringify(JSON.stringify(name).slice(1, -1)).slice(1, -1)

const NARROW: Record<string, (schema: Keywords, at: At) => JsonSchema> = {
  object({ properties = {}, required = [], additionalProperties = {} }, at) {
    const others = narrow(additionalProperties, below(at, 'additionalProperties'))
    const names = required as string[]
    const all = {
      ...Object.fromEntries(names.map((name) => [name, others])),
      ...narrowEach(properties, below(at, 'properties')),
    }
    if (names.some((name) => all[name] === false)) return false
    // Listed properties come first, in the order of the caller.
    const order = [...new Set([...Object.keys(properties as Keywords), ...names])]
    const open = order.filter((name) => all[name] !== false).map((name) => [inGrammar(name), all[name]])
    const rest = order.length === 0 ? others : false
    const wanted = names.map(inGrammar)
    return { type: 'object', properties: Object.fromEntries(open), required: wanted, additionalProperties: rest }
  },
  array({ items = {}, prefixItems = [], minItems = 0, maxItems = Infinity }, at) {
    const [least, most] = [minItems as number, maxItems as number]
    const prefix = narrowList(prefixItems, below(at, 'prefixItems'))
    const rest = narrow(items, below(at, 'items'))
    const closed = [...prefix, false].indexOf(false)
    const fixed = prefix.slice(0, Math.min(closed, most))
    const isOpen = closed === prefix.length && rest !== false && most > fixed.length
    if (least > most || (!isOpen && least > fixed.length)) return false
    if (fixed.length === 0)
      return isOpen
        ? { type: 'array', items: rest, minItems: least, ...(most < Infinity && { maxItems: most }) }
        : { enum: [[]] }
    const extra = Array.from({ length: Math.max(0, least - fixed.length) }, () => rest)
    return { type: 'array', prefixItems: [...fixed, ...extra], items: false, minItems: fixed.length + extra.length }
  },
  string({ minLength, maxLength, pattern }, at) {
    const bounds = Object.entries({ minLength, maxLength }).filter(([, bound]) => bound !== undefined)
    if (pattern === undefined)
      return Number(minLength ?? 0) > Number(maxLength ?? Infinity)
        ? false
        : { type: 'string', ...Object.fromEntries(bounds) }
    if (bounds.length > 0) throw unsupported(at, bounds[0]![0], 'is not supported beside `pattern`')
    // The engine takes a pattern for the whole text. What a pattern matches as a whole it also finds, anchors or not.
    const whole = (pattern as string).replace(/^\^/, '').replace(/(?<!\\)\$$/, '')
    return { type: 'string', pattern: `(${whole})` }
  },
  number: (schema, at) => bounded(schema, at, 'number'),
  integer: (schema, at) => bounded(schema, at, 'integer'),
}

const MAX_BOUND = 1_000_000_000

/** Bounds can be kept for whole numbers alone, so a number with bounds is narrowed to a whole one. */
function bounded(schema: Keywords, at: At, type: 'number' | 'integer'): JsonSchema {
  const has = OF_TYPE.number!.find((word) => word in schema)
  if (has === undefined) return { type }
  const of = schema as Record<string, number>
  const low = Math.max(Math.ceil(of.minimum ?? -MAX_BOUND), Math.floor(of.exclusiveMinimum ?? -Infinity) + 1)
  const high = Math.min(Math.floor(of.maximum ?? MAX_BOUND), Math.ceil(of.exclusiveMaximum ?? Infinity) - 1)
  if (Math.abs(low) > MAX_BOUND || Math.abs(high) > MAX_BOUND)
    throw unsupported(at, has, `is supported up to ${MAX_BOUND}`)
  if (low <= high) return { enum: [rangeMark(low, high)] }
  if (type === 'integer') return false
  throw unsupported(at, has, 'is supported where a whole number lies between the bounds')
}
