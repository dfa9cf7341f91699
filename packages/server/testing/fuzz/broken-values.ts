// One fault put into a value that fits: at one place, one rule of the schema broken or met exactly at its edge.
import type { Json, Schema } from './description.ts'
import { HOSTILE_TEXTS, SURPLUS_KEYS, strangeValue, withKey } from './hostile-values.ts'
import type { Random } from './random.ts'

type Step = string | number
interface Place {
  at: readonly Step[]
  schema: Schema
  value: Json
}

export function brokenValue(value: Json, schema: Schema, random: Random): Json {
  const place = random.pick(placesOf(value, schema))
  return replaced(value, place.at, fault(place, random))
}

/** Every place of a value with what the schema says about it. Where it offers a choice, the first that has the shape. */
function placesOf(value: Json, schema: Schema, at: readonly Step[] = []): Place[] {
  const own: Place = { at, schema: narrowed(schema, value), value }
  if (value === null || typeof value !== 'object') return [own]
  return [
    own,
    ...Object.entries(value)
      .slice(0, 64)
      .flatMap(([key, child]) =>
        placesOf(child, fieldOf(own.schema, key), [...at, Array.isArray(value) ? Number(key) : key]),
      ),
  ]
}

function narrowed(schema: Schema, value: Json): Schema {
  // In an object, a choice says which of its members are required.
  const choice = schema.type === 'object' ? undefined : (schema.anyOf ?? schema.oneOf)
  if (!choice) return schema
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return choice.map((option) => narrowed(option, value)).find(({ type }) => type === kind) ?? choice[0] ?? {}
}

function fieldOf({ properties, items, patternProperties }: Schema, key: string): Schema {
  if (Array.isArray(items)) return items[Number(key)] ?? {}
  const open = Object.values(patternProperties ?? {})[0]
  // A name the schema does not have may be one that every object has.
  return properties && Object.hasOwn(properties, key) ? (properties[key] as Schema) : (items ?? open ?? {})
}

function fault({ schema, value }: Place, random: Random): Json {
  if (random.chance(0.25)) return strangeValue(random)
  if (typeof value === 'string') return textFault(schema, random)
  if (typeof value === 'number') return numberFault(schema, random)
  if (Array.isArray(value)) return listFault(schema, value, random)
  if (value !== null && typeof value === 'object') return objectFault(value, random)
  return strangeValue(random)
}

function textFault({ minLength, maxLength }: Schema, random: Random): Json {
  const edges = [minLength, maxLength].flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1]))
  const edge = edges.length > 0 && random.chance(0.6) ? random.pick(edges) : null
  if (edge === null) return random.pick(HOSTILE_TEXTS)
  return random.pick(['a', '𝒳', 'é', '\u0301']).repeat(Math.min(Math.max(edge, 0), 300_000))
}

function numberFault(schema: Schema, random: Random): Json {
  const named = [schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.exclusiveMaximum]
  const edges = named.flatMap((edge) =>
    edge === undefined ? [] : [edge - 1, edge, edge + 1, edge + 1e-6, edge - 1e-6, String(edge)],
  )
  return edges.length > 0 && random.chance(0.7) ? random.pick<Json>(edges) : strangeValue(random)
}

function listFault({ minItems, maxItems }: Schema, value: readonly Json[], random: Random): Json {
  const edges = [minItems, maxItems].flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1]))
  const length = Math.max(0, random.pick(edges.length > 0 ? edges : [0, value.length + 1, 2000]))
  const repeated = Array.from({ length }, (_, at) => value[at % Math.max(value.length, 1)] ?? null)
  return random.chance(0.2) ? [...value, strangeValue(random)] : repeated
}

function objectFault(value: Record<string, Json>, random: Random): Json {
  const keys = Object.keys(value)
  if (keys.length === 0 || random.chance(0.5)) return withKey(value, random.pick(SURPLUS_KEYS), strangeValue(random))
  const gone = random.pick(keys)
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== gone))
}

function replaced(value: Json, at: readonly Step[], replacement: Json): Json {
  const [step, ...rest] = at
  if (step === undefined) return replacement
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? replaced(item, rest, replacement) : item))
  const entries = Object.entries(value as Record<string, Json>)
  return Object.fromEntries(
    entries.map(([key, item]) => [key, key === step ? replaced(item, rest, replacement) : item]),
  )
}
