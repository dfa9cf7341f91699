/** Values against the JSON Schema of a tool, which may be an attacker's: one that is too long or does not compile counts for
 *  nothing. */
import { cutText } from '@orch/core'
import type { ValidateFunction } from 'ajv'

const MAX_SCHEMA = 16_384
const validators = new WeakMap<object, ValidateFunction>()

/** Null where the value fits; a fault at the root where the schema itself, which may be an attacker's, is of no use. */
export async function schemaFault(
  schema: object,
  value: unknown,
): Promise<{ place: string[]; message: string } | null> {
  const { compileSchema, pointerSteps } = await import('../schema/validator.ts')
  try {
    if (JSON.stringify(schema).length > MAX_SCHEMA) throw new Error('the schema is too long')
    const validate = validators.get(schema) ?? compileSchema(schema as Record<string, unknown>)
    validators.set(schema, validate)
    if (validate(value)) return null
    const { instancePath, message = 'does not fit', params } = validate.errors![0]!
    const { additionalProperty } = params as { additionalProperty?: string }
    const place = pointerSteps(instancePath)
    return { place: additionalProperty === undefined ? place : [...place, additionalProperty], message }
  } catch (error) {
    return { place: [], message: cutText(`the schema of the tool cannot be used: ${(error as Error).message}`, 200) }
  }
}
