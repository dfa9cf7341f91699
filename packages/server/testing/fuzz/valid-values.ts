// Values that fit a schema, made from the schema alone.
import fc from 'fast-check'
import type { Json, Schema } from './description.ts'
import { strangeValue } from './hostile-values.ts'
import type { Random } from './random.ts'

/** Values that were seen in replies, by the name of their field: ids that exist reach further than ids that merely fit. */
export type Harvest = ReadonlyMap<string, readonly Json[]>

const MAX_DEPTH = 12
const POOL = 24

export function validValue(schema: Schema, random: Random, harvest: Harvest, depth = 0): Json {
  const inner = (next: Schema) => validValue(next, random, harvest, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  // In an object, a choice says which of its members are required.
  const choice = schema.type === 'object' ? undefined : (schema.anyOf ?? schema.oneOf)
  if (choice !== undefined) return inner(random.pick(choice))
  if (schema.allOf !== undefined) return inner(Object.assign({}, ...schema.allOf))
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  switch (type) {
    case 'object':
      return validObject(schema, random, harvest, depth)
    case 'array':
      return validList(schema, random, harvest, depth)
    case 'string':
      return validText(schema, random)
    case 'integer':
    case 'number':
      return validNumber(schema, random, type === 'integer')
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return anything(random, depth)
  }
}

const anything = (random: Random, depth: number): Json =>
  depth > 4 || random.chance(0.5) ? random.pick(['a', 1, true, null]) : strangeValue(random)

const requiredOf = ({ required = [], anyOf }: Schema, random: Random): ReadonlySet<string> =>
  new Set([...required, ...(anyOf === undefined ? [] : (random.pick(anyOf).required ?? []))])

function validObject(schema: Schema, random: Random, harvest: Harvest, depth: number): Json {
  const required = requiredOf(schema, random)
  const entries: [string, Json][] = []
  const isLeftOut = (name: string) => !required.has(name) && (depth > MAX_DEPTH || random.chance(0.4))
  const given = new Set(Object.keys(schema.properties ?? {}).filter((name) => !isLeftOut(name)))
  for (const [name, others] of Object.entries(schema.dependentRequired ?? {}))
    if (given.has(name)) for (const other of others) given.add(other)
  for (const name of required) if (schema.properties?.[name] === undefined) entries.push([name, 'a'])
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (!given.has(name)) continue
    const seen = harvest.get(name)
    const value = seen && random.chance(0.3) ? random.pick(seen) : validValue(field, random, harvest, depth + 1)
    entries.push([name, value])
  }
  const open = schema.patternProperties ?? (schema.properties ? {} : { '': {} })
  const fields = Object.entries(open)
  const free = fields.length === 0 ? 0 : Math.max(schema.minProperties ?? 0, random.below(4))
  for (let at = 0; at < free; at += 1) {
    const [pattern, field] = random.pick(fields)
    const name = new RegExp(pattern, 'u').test(`k${at}`) ? `k${at}` : random.pick(matching(pattern, 1, 64))
    entries.push([name, validValue(field, random, harvest, depth + 1)])
  }
  return Object.fromEntries(entries)
}

function validList(schema: Schema, random: Random, harvest: Harvest, depth: number): Json {
  const { items = {}, minItems = 0 } = schema
  if (Array.isArray(items)) return items.map((item) => validValue(item, random, harvest, depth + 1))
  const most = Math.min(schema.maxItems ?? minItems + 3, minItems + 3)
  const length = depth > MAX_DEPTH ? minItems : minItems + random.below(most - minItems + 1)
  return Array.from({ length }, () => validValue(items, random, harvest, depth + 1))
}

function validNumber(schema: Schema, random: Random, whole: boolean): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const low = minimum ?? exclusiveMinimum ?? 0
  const high = maximum ?? exclusiveMaximum ?? low + 100
  const value = random.pick([low, high, low + ((high - low) * random.below(1000)) / 1000])
  const exact = Math.max(whole ? Math.floor(value) : Number(value.toFixed(4)), low)
  const isOutside = exact <= (exclusiveMinimum ?? Number.NEGATIVE_INFINITY) || exact >= (exclusiveMaximum ?? Infinity)
  return isOutside ? (maximum ?? (low + high) / 2) : exact
}

function validText({ pattern, minLength = 0, maxLength }: Schema, random: Random): string {
  if (pattern !== undefined) return random.pick(matching(pattern, minLength, maxLength ?? 256))
  const most = Math.min(maxLength ?? minLength + 40, minLength + 40)
  const length = random.pick([minLength, most, minLength + random.below(most - minLength + 1)])
  return random
    .pick(['a', 'word ', 'é', '𝒳', 'Pay 10 EUR. '])
    .repeat(length)
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, 'z')
}

const pools = new Map<string, string[]>()

/** Texts a pattern takes, drawn once: the pool is the same in every run. */
function matching(pattern: string, minLength: number, maxLength: number): string[] {
  const key = `${pattern} ${minLength} ${maxLength}`
  const known = pools.get(key)
  if (known) return known
  const fits = fc.stringMatching(new RegExp(pattern, 'u')).filter((text) => {
    const length = [...text].length
    return length >= minLength && length <= maxLength
  })
  const drawn = fc.sample(fits, { seed: 1, numRuns: POOL })
  pools.set(key, drawn)
  return drawn
}
