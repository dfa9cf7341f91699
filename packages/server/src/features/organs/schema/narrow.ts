/** From a caller's schema to one that the grammar engine keeps to the letter. The engine passes over what it does not
 *  know, so that here every keyword is known or refused; where both sides know a keyword but not in every company, the
 *  schema is narrowed: whatever fits the narrow one fits the caller's. */
import { holdsMark, rangeMark } from './range.ts'
import { compileSchema, type JsonSchema } from './validator.ts'

type Keywords = Record<string, unknown>

/** `type` is that of the fault that the caller sees. */
export class SchemaFault extends Error {
  readonly place: (string | number)[]
  readonly type: string

  constructor(place: (string | number)[], message: string, type: string) {
    super(message)
    this.place = place
    this.type = type
  }
}

const ANNOTATIONS = [
  '$schema',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]
const DEFINITIONS = ['$defs', 'definitions']
const OF_TYPE = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
} as const
const KNOWN: ReadonlySet<string> = new Set(
  [ANNOTATIONS, DEFINITIONS, ['type', 'enum', 'const', 'anyOf', '$ref'], ...Object.values(OF_TYPE)].flat(),
)

/** Throws a `SchemaFault` where the schema has what is not supported or fits nothing. */
export function narrowSchema(root: JsonSchema): JsonSchema {
  if (holdsMark(JSON.stringify(root))) throw new SchemaFault([], 'holds a reserved word', 'unsupported_keyword')
  const narrowed = narrow(root, { root, place: [] })
  if (narrowed === false) throw new SchemaFault([], 'nothing fits this schema', 'unsatisfiable_schema')
  if (typeof root === 'boolean' || narrowed === true) return narrowed
  const defs = Object.fromEntries(
    DEFINITIONS.filter((name) => root[name] !== undefined).map((name) => [
      name,
      Object.fromEntries(
        Object.entries(root[name] as Keywords).map(([key, value]) => [
          key,
          narrow(value, { root, place: [name, key] }),
        ]),
      ),
    ]),
  )
  return { ...narrowed, ...defs }
}

interface At {
  root: JsonSchema
  place: (string | number)[]
}

const unsupported = ({ place }: At, keyword: string, why = 'is not supported here'): SchemaFault =>
  new SchemaFault([...place, keyword], `\`${keyword}\` ${why}`, 'unsupported_keyword')

function narrow(given: unknown, at: At): JsonSchema {
  if (typeof given === 'boolean') return given ? {} : false
  const schema = given as Keywords
  for (const keyword of Object.keys(schema))
    if (!KNOWN.has(keyword) && !(keyword === '$id' && at.place.length === 0)) throw unsupported(at, keyword)
  const said = Object.keys(schema).filter(
    (word) => !ANNOTATIONS.includes(word) && !DEFINITIONS.includes(word) && word !== '$id',
  )
  const alone = (keyword: string): void => {
    const other = said.find((word) => word !== keyword)
    if (other !== undefined) throw unsupported(at, other, `is not supported beside \`${keyword}\``)
  }
  if ('const' in schema || 'enum' in schema) return narrowEnum(schema, at)
  if ('$ref' in schema) {
    alone('$ref')
    assertLeads(schema, at)
    return { $ref: schema.$ref }
  }
  if ('anyOf' in schema) {
    alone('anyOf')
    const branches = (schema.anyOf as unknown[]).map((branch, n) => narrow(branch, below(at, 'anyOf', n)))
    return anyOf(branches)
  }
  const types = schema.type === undefined ? impliedType(schema) : [schema.type as string | string[]].flat()
  return types === null ? {} : anyOf(types.map((type) => NARROW[type]?.(schema, at) ?? { type }))
}

const below = ({ root, place }: At, ...names: (string | number)[]): At => ({ root, place: [...place, ...names] })

function anyOf(branches: JsonSchema[]): JsonSchema {
  const open = branches.filter((branch) => branch !== false)
  return open.length === 0 ? false : open.length === 1 ? open[0]! : { anyOf: open }
}

const impliedType = (schema: Keywords): string[] | null => {
  const [type] = Object.entries(OF_TYPE).find(([, words]) => words.some((word) => word in schema)) ?? []
  return type === undefined ? null : [type]
}

/** Those of the listed values that the rest of the schema lets through. */
function narrowEnum(schema: Keywords, { root }: At): JsonSchema {
  const { $defs, definitions } = typeof root === 'boolean' ? ({} as Keywords) : root
  const fits = compileSchema({ ...schema, $defs: $defs ?? {}, definitions: definitions ?? {} })
  const values = ('const' in schema ? [schema.const] : (schema.enum as unknown[])).filter((value) => fits(value))
  return values.length === 0 ? false : { enum: values }
}

/** A reference that leads to itself says nothing, and one that leaves the document is never followed. */
function assertLeads(schema: Keywords, at: At): void {
  const seen = new Set<unknown>()
  for (let next: unknown = schema; typeof next === 'object' && next !== null && '$ref' in next; ) {
    const { $ref } = next as Keywords
    if (typeof $ref !== 'string' || !/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test($ref))
      throw new SchemaFault(
        [...at.place, '$ref'],
        'must be # or lie in $defs of this very schema',
        'unsupported_keyword',
      )
    if (seen.has($ref)) throw new SchemaFault([...at.place, '$ref'], 'leads back to itself', 'unsatisfiable_schema')
    seen.add($ref)
    const [, group, name] = $ref.split('/')
    const target = at.root as Record<string, Keywords | undefined>
    next =
      group === undefined
        ? target
        : target[group]?.[decodeURIComponent(name!).replaceAll('~1', '/').replaceAll('~0', '~')]
    if (next === undefined) throw new SchemaFault([...at.place, '$ref'], 'leads nowhere', 'unsatisfiable_schema')
  }
}

const NARROW: Record<string, (schema: Keywords, at: At) => JsonSchema> = {
  object({ properties = {}, required = [], additionalProperties = {} }, at) {
    const listed = Object.entries(properties as Keywords).map(
      ([name, value]) => [name, narrow(value, below(at, 'properties', name))] as const,
    )
    const others = narrow(additionalProperties, below(at, 'additionalProperties'))
    const names = required as string[]
    const unlisted = names
      .filter((name) => !Object.hasOwn(properties as Keywords, name))
      .map((name) => [name, others] as const)
    const all = [...listed, ...unlisted]
    if (all.some(([name, value]) => value === false && names.includes(name))) return false
    const open = all.filter(([, value]) => value !== false)
    const rest = open.length === 0 && all.length === 0 ? others : false
    return { type: 'object', properties: Object.fromEntries(open), required: names, additionalProperties: rest }
  },
  array({ items = {}, prefixItems = [], minItems = 0, maxItems = Number.POSITIVE_INFINITY }, at) {
    const [least, most] = [minItems as number, maxItems as number]
    const prefix = (prefixItems as unknown[]).map((value, n) => narrow(value, below(at, 'prefixItems', n)))
    const rest = narrow(items, below(at, 'items'))
    const closed = [...prefix, false].indexOf(false)
    const fixed = prefix.slice(0, Math.min(closed, most))
    const isOpen = closed === prefix.length && rest !== false && most > fixed.length
    if (least > most || (!isOpen && least > fixed.length)) return false
    if (fixed.length === 0)
      return isOpen
        ? { type: 'array', items: rest, minItems: least, ...(most < Number.POSITIVE_INFINITY && { maxItems: most }) }
        : { enum: [[]] }
    const extra = Array.from({ length: Math.max(0, least - fixed.length) }, () => rest)
    return { type: 'array', prefixItems: [...fixed, ...extra], items: false, minItems: fixed.length + extra.length }
  },
  string({ minLength, maxLength, pattern }, at) {
    if (pattern === undefined) {
      if (((minLength as number) ?? 0) > ((maxLength as number) ?? Number.POSITIVE_INFINITY)) return false
      return {
        type: 'string',
        ...(minLength !== undefined && { minLength }),
        ...(maxLength !== undefined && { maxLength }),
      }
    }
    const beside = minLength !== undefined ? 'minLength' : maxLength !== undefined ? 'maxLength' : null
    if (beside !== null) throw unsupported(at, beside, 'is not supported beside `pattern`')
    return { type: 'string', pattern: wholePattern(pattern as string) }
  },
  number: (schema, at) => bounded(schema, at, 'number'),
  integer: (schema, at) => bounded(schema, at, 'integer'),
}

/** The engine takes a pattern for the whole text. What a pattern matches as a whole it also finds, anchors or not. */
const wholePattern = (pattern: string): string => `(${pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')})`

/** Bounds can be kept for whole numbers alone, so a number with bounds is narrowed to a whole one. */
function bounded(schema: Keywords, at: At, type: 'number' | 'integer'): JsonSchema {
  const has = OF_TYPE.number.find((word) => word in schema)
  if (has === undefined) return { type }
  const {
    minimum = -MAX_BOUND,
    maximum = MAX_BOUND,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
  } = schema as Record<string, number>
  const low = Math.max(Math.ceil(minimum), Math.floor(exclusiveMinimum) + 1)
  const high = Math.min(Math.floor(maximum), Math.ceil(exclusiveMaximum) - 1)
  if (Math.abs(low) > MAX_BOUND || Math.abs(high) > MAX_BOUND)
    throw unsupported(at, has, `is supported up to ${MAX_BOUND}`)
  if (low <= high) return { enum: [rangeMark(low, high)] }
  if (type === 'integer') return false
  throw unsupported(at, has, 'is supported where a whole number lies between the bounds')
}

const MAX_BOUND = 1_000_000_000
