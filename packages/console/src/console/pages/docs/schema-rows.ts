/** A JSON Schema as the rows of a table: each member under the one it belongs to. */
import { branchesOf, choicesOf, hintOf, type JsonSchema } from '../../schema-form/schema.ts'

export interface Row {
  /** Its place in the whole, unlike that of any other row. */
  key: string
  depth: number
  name: string
  type: string
  isRequired: boolean
  /** Bounds and default. */
  hint: string
  description: string
  children: readonly Row[]
}

/** Of a list whose items differ by place, as a tuple has them. */
type Tuple = JsonSchema & { prefixItems?: JsonSchema[] }

const itemsOf = ({ items, prefixItems }: Tuple): JsonSchema | undefined =>
  prefixItems === undefined ? items : { anyOf: prefixItems }

type Pattern = JsonSchema & { pattern?: string; additionalProperties?: unknown; patternProperties?: object }

const isNull = ({ type }: JsonSchema): boolean => type === 'null'

/** "string, or null" stands for one of two forms. */
function unwrapped(schema: JsonSchema): { schema: JsonSchema; isNullable: boolean } {
  const branches = branchesOf(schema)
  const real = branches.filter((branch) => !isNull(branch))
  const isNullable = real.length < branches.length
  if (choicesOf(schema) !== null || real.length !== 1) return { schema, isNullable }
  return {
    schema: { ...(real[0] as JsonSchema), ...(schema.description ? { description: schema.description } : {}) },
    isNullable,
  }
}

function typeOf(schema: JsonSchema): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  const choices = choicesOf(schema)
  if (choices !== null) return choices.map((choice) => JSON.stringify(choice)).join(' | ')
  const branches = branchesOf(schema)
  if (branches.length > 0) return [...new Set(branches.map(typeOf))].join(' | ')
  if (schema.type === 'array') {
    const items = itemsOf(schema)
    return `list of ${items === undefined ? 'anything' : typeOf(unwrapped(items).schema)}`
  }
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  return schema.type ?? 'anything'
}

function rowOf(name: string, given: JsonSchema, isRequired: boolean, depth: number, above: string): Row {
  const { schema, isNullable } = unwrapped(given)
  const key = `${above}.${name}`
  const { description: _, ...bounds } = schema
  const pattern = (schema as Pattern).pattern
  const hints = [hintOf(bounds, false), pattern === undefined ? '' : `fits ${pattern}`]
  return {
    ...{ key, depth, name, isRequired },
    type: `${typeOf(schema)}${isNullable && schema !== given ? ' | null' : ''}`,
    hint: hints.filter((hint) => hint !== '').join(', '),
    description: given.description ?? schema.description ?? '',
    children: inside(schema, depth + 1, key),
  }
}

function inside(schema: JsonSchema, depth: number, above: string): Row[] {
  if (schema.properties !== undefined) return membersOf(schema, depth, above)
  const items = schema.type === 'array' ? itemsOf(schema) : undefined
  if (items !== undefined) return inside(unwrapped(items).schema, depth, above)
  const forms =
    choicesOf(schema) === null ? branchesOf(schema).filter((one) => inside(one, depth, above).length > 0) : []
  if (forms.length === 1) return inside(forms[0] as JsonSchema, depth, above)
  return forms.map((form, at) => ({
    ...{ key: `${above}|${at}`, depth, name: `form ${at + 1}`, type: typeOf(form), isRequired: false, hint: '' },
    description: form.description ?? '',
    children: inside(form, depth + 1, `${above}|${at}`),
  }))
}

const membersOf = ({ properties = {}, required = [] }: JsonSchema, depth: number, above: string): Row[] =>
  Object.entries(properties).map(([name, member]) => rowOf(name, member, required.includes(name), depth, above))

/** The members of an object, of the items of a list or of each form; one row for what has none. */
export function rowsOf(schema: JsonSchema, name: string): Row[] {
  const members = inside(unwrapped(schema).schema, 0, name)
  return members.length > 0 ? members : [rowOf(name, schema, false, 0, '')]
}

export const countRows = (rows: readonly Row[]): number =>
  rows.reduce((count, { children }) => count + 1 + countRows(children), 0)
