// JSON Schema to a TypeScript type. It says what a value may look like, not every bound: those are the service's to check.

type Schema = Record<string, unknown>

/** A component's name as a type name. */
export const typeName = (name: string): string =>
  name.replace(/[^A-Za-z0-9]+(.)?/g, (_, next = '') => next.toUpperCase())

export function typeOf(schema: unknown): string {
  if (schema === null || typeof schema !== 'object') return schema === false ? 'never' : 'unknown'
  const node = schema as Schema
  if (typeof node.$ref === 'string') return typeName(node.$ref.replace('#/components/schemas/', ''))
  if ('const' in node) return JSON.stringify(node.const)
  if (Array.isArray(node.enum)) return union(node.enum.map((value) => JSON.stringify(value)))
  const branches = node.anyOf ?? node.oneOf
  // Beside members, a choice says which of them are required.
  if (Array.isArray(branches) && node.properties === undefined) return union(branches.map(typeOf))
  if (Array.isArray(node.allOf)) return `(${node.allOf.map(typeOf).join(' & ')})`
  if (Array.isArray(node.type)) return union(node.type.map((type) => typeOf({ ...node, type })))
  return byType(node)
}

const PLAIN = new Map<unknown, string>([
  ...['string', 'number', 'boolean', 'null'].map((name) => [name, name] as const),
  ['integer', 'number'],
])

function byType(node: Schema): string {
  if (node.type === 'array') return arrayType(node)
  const plain = PLAIN.get(node.type)
  if (plain !== undefined) return plain
  return node.type === 'object' || node.properties ? objectType(node) : 'unknown'
}

function arrayType({ items, prefixItems }: Schema): string {
  // TypeBox writes a tuple as a list under `items`.
  const tuple = prefixItems ?? items
  if (Array.isArray(tuple)) return `[${tuple.map(typeOf).join(', ')}]`
  return `(${typeOf(items ?? {})})[]`
}

function objectType(node: Schema): string {
  const properties = Object.entries((node.properties ?? {}) as Schema)
  if (properties.length === 0) return `Record<string, ${restType(node)}>`
  const required = new Set((node.required ?? []) as string[])
  const fields = properties.map(
    ([name, schema]) => `${JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  return `{ ${fields.join('; ')} }`
}

/** What the values of a record are; a closed record without properties holds nothing. */
function restType({ patternProperties, additionalProperties }: Schema): string {
  const patterns = Object.values((patternProperties ?? {}) as Schema)
  if (patterns.length > 0) return union(patterns.map(typeOf))
  return typeOf(additionalProperties ?? {})
}

const union = (parts: string[]): string => {
  const distinct = [...new Set(parts)]
  return distinct.length === 1 ? (distinct[0] as string) : `(${distinct.join(' | ')})`
}
