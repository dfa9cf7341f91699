/** JSON Schema 2020-12 as others write it: nothing is fetched, and patterns run on the linear matcher. */
import { cutText } from '@orch/core'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { holdsOwnNames, OWN_NAMES } from './own-names.ts'

export type JsonSchema = boolean | Record<string, unknown>

/** What is wrong with a schema, and where in it. */
export class SchemaFault extends Error {
  readonly place: (string | number)[]
  readonly type: string

  constructor(place: (string | number)[], message: string, type: string) {
    super(message)
    this.place = place
    this.type = type
  }
}

/** The validator tells patterns apart by their text. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
  },
  { code: 'linear' },
)

function newValidator() {
  const ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, verbose: true, validateFormats: false, validateSchema: false, logger: false },
    code: { regExp: linear as never },
  })
  ajv.validateSchema({})
  return { ajv, own: new Set(Object.keys(ajv.refs)), compiled: 0 }
}

/** A validator keeps the patterns of all its schemas, so that it is replaced now and then. */
const MAX_COMPILED = 200
let validator: ReturnType<typeof newValidator> | null = null

/** Throws a `SchemaFault` where the schema is not one, or refers to what is not in it. */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  if (validator === null || validator.compiled === MAX_COMPILED) validator = newValidator()
  validator.compiled += 1
  const { ajv, own } = validator
  try {
    if (!ajv.validateSchema(schema)) {
      const { instancePath, message } = ajv.errors![0]!
      throw new SchemaFault(pointerSteps(instancePath), message ?? 'is not a schema', 'invalid_schema')
    }
    const uncomparable = placeIn(schema, (key, value) => ['const', 'enum'].includes(key) && holdsOwnNames(value))
    if (uncomparable !== null) throw new SchemaFault(uncomparable, OWN_NAMES, 'unsupported_value')
    return ajv.compile(schema)
  } catch (error) {
    // Where the stack ran out the schema has no end, which is told in one place.
    if (error instanceof SchemaFault || error instanceof RangeError) throw error
    throw locatedFault(schema, error as Error & { missingRef?: string })
  } finally {
    // Nothing of one caller's schema stays for the next, not even a name inside it.
    if (typeof schema === 'object') ajv.removeSchema(schema)
    for (const name of Object.keys(ajv.refs)) if (!own.has(name)) delete ajv.refs[name]
  }
}

export const pointerSteps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The formats that a schema names: by 2020-12 they are annotations, and none is checked. */
export function formatsOf(schema: JsonSchema): string[] {
  const found = new Set<string>()
  placeIn(schema, (key, value) => {
    if (key === 'format' && typeof value === 'string') found.add(value.slice(0, 32).toWellFormed())
    return false
  })
  return [...found]
}

/** The library says what is wrong and not where: the place is looked for. */
function locatedFault(schema: JsonSchema, { message, missingRef }: Error & { missingRef?: string }): SchemaFault {
  const isRegex = message.startsWith('error parsing regexp')
  const isAtFault: IsAtFault = (key, value, parent) =>
    missingRef !== undefined
      ? /^\$(?:dynamicR|r)ef$/.test(key) && missingRef.endsWith(String(value))
      : isRegex
        ? isBadPattern(parent === 'patternProperties' ? key : key === 'pattern' ? value : null)
        : key === '$schema'
  const type = isRegex ? 'unsupported_regex' : 'invalid_schema'
  return new SchemaFault(placeIn(schema, isAtFault) ?? [], cutText(message, 300), type)
}

type IsAtFault = (key: string, value: unknown, parent: string | undefined) => boolean

function isBadPattern(pattern: unknown): boolean {
  try {
    if (typeof pattern === 'string') linear(pattern)
    return false
  } catch {
    return true
  }
}

/** Data inside a schema is not looked into. */
const DATA = ['const', 'enum', 'default', 'examples']

function placeIn(value: unknown, isAtFault: IsAtFault, parent?: string): (string | number)[] | null {
  if (typeof value !== 'object' || value === null) return null
  for (const [key, below] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key
    if (isAtFault(key, below, parent)) return [step]
    const found = DATA.includes(key) && parent !== 'properties' ? null : placeIn(below, isAtFault, key)
    if (found !== null) return [step, ...found]
  }
  return null
}
