/** Values against the JSON Schema of a tool. A schema from outside is an attacker's: its patterns run in linear time, and
 *  one that is too long or does not compile counts for nothing. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'

const MAX_SCHEMA = 16_384

const regExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    // The library keeps patterns by their text.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
  },
  { code: 're2js' },
)

const compiled = new WeakMap<object, ValidateFunction>()

function validatorFor(schema: object): ValidateFunction {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  if (JSON.stringify(schema).length > MAX_SCHEMA) throw new Error('the schema is too long')
  // One for each schema: an id that two servers use is no conflict, and nothing of it stays.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, code: { regExp } })
  const validate = ajv.compile(schema)
  compiled.set(schema, validate)
  return validate
}

interface SchemaFault {
  place: string[]
  message: string
}

/** Null where the value fits; a fault at the root where the schema itself is of no use. */
export function schemaFault(schema: object, value: unknown): SchemaFault | null {
  try {
    const validate = validatorFor(schema)
    if (validate(value)) return null
    const { instancePath = '', message = 'does not fit', params } = validate.errors![0]!
    const place = instancePath
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const extra = (params as { additionalProperty?: string }).additionalProperty
    return { place: extra === undefined ? place : [...place, extra], message }
  } catch (error) {
    return { place: [], message: `the schema of the tool cannot be used: ${(error as Error).message}`.slice(0, 200) }
  }
}
