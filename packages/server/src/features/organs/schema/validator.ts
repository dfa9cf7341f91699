/** JSON Schema 2020-12 as callers may send it: nothing is fetched, and patterns run on the linear matcher. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'

export type JsonSchema = boolean | Record<string, unknown>

/** The validator tells patterns apart by their text. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
  },
  { code: 'linear' },
)

const newValidator = () =>
  new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    validateFormats: false,
    logger: false,
    code: { regExp: linear as never },
  })

/** A validator keeps the patterns of all its schemas, so that it is replaced now and then. */
const MAX_COMPILED = 200
let [ajv, compiled] = [newValidator(), 0]

/** Throws where the schema is not one, or refers to what is not in it. */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  compiled += 1
  if (compiled % MAX_COMPILED === 0) ajv = newValidator()
  try {
    return ajv.compile(schema)
  } finally {
    // Nothing of one caller's schema stays for the next, not even its name.
    if (typeof schema === 'object') ajv.removeSchema(schema)
  }
}
