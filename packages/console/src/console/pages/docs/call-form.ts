/** The input of an operation as one flat form: the parameters of its path and query and the members of its body, each
 *  under its own name. */
import type { Fault, JsonSchema } from '../../schema-form/schema.ts'
import type { CallInput } from './code-examples.ts'
import type { Described } from './description.ts'

type Part = 'path' | 'query' | 'body'
type Fields = Record<string, unknown>

export interface CallForm {
  schema: JsonSchema
  start: Fields
  /** What is sent for the values of the form. */
  inputOf(value: Fields): CallInput
  /** A fault of the service at the field that it is about. */
  placed(loc: readonly (string | number)[], message: string): Fault
}

interface Field {
  name: string
  part: Part
  /** Null for a body that is one value. */
  member: string | null
  schema: JsonSchema
  isRequired: boolean
  start: unknown
}

/** Values by the name of a parameter that exist in this service now. */
export type LiveValues = Readonly<Record<string, unknown>>

export function callFormOf(operation: Described, live: LiveValues): CallForm {
  const fields = named([...parameterFields(operation, live), ...bodyFields(operation)])
  const set = fields.filter(({ start }) => start !== undefined)
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    },
    start: Object.fromEntries(set.map(({ name, start }) => [name, start])),
    inputOf: (value) => inputOf(fields, value, operation),
    placed([part, ...rest], message) {
      const [member, ...below] = rest
      const field = fields.find((one) => one.part === part && (one.member === null || one.member === member))
      if (field === undefined) return { place: rest, message }
      return { place: [field.name, ...(field.member === null ? rest : below)], message }
    },
  }
}

const parameterFields = ({ parameters }: Described, live: LiveValues): Field[] =>
  parameters
    .filter((one) => one.in !== 'header')
    .map(({ name, in: part, schema, required, description, example }) => ({
      ...{ name, part: part as Part, member: name, isRequired: required },
      schema: description === undefined ? schema : { ...schema, description },
      start: live[name] ?? example,
    }))

function bodyFields({ body }: Described): Field[] {
  if (body === null) return []
  const { schema, example, isRequired } = body
  if (schema.properties === undefined) {
    // What takes any object is shown with its example rather than as an empty box.
    return [{ name: 'body', part: 'body', member: null, schema, isRequired, start: example }]
  }
  const given = (example ?? {}) as Fields
  return Object.entries(schema.properties).map(([name, member]) => ({
    ...{ name, part: 'body' as const, member: name, schema: member },
    isRequired: (schema.required ?? []).includes(name),
    start: given[name] ?? (member as { const?: unknown }).const,
  }))
}

/** Where two parts have a member of one name, the later one says whose it is. */
const named = (fields: readonly Field[]): Field[] =>
  fields.map((field, at) => {
    const isTaken = fields.slice(0, at).some(({ name }) => name === field.name)
    return isTaken ? { ...field, name: `${field.part} ${field.name}` } : field
  })

function inputOf(fields: readonly Field[], value: Fields, { body }: Described): CallInput {
  const of = (part: Part): Fields =>
    Object.fromEntries(
      fields
        .filter((field) => field.part === part && field.member !== null && value[field.name] !== undefined)
        .map((field) => [field.member, value[field.name]]),
    )
  const whole = fields.find(({ part, member }) => part === 'body' && member === null)
  const sent = whole === undefined ? of('body') : value[whole.name]
  return { params: of('path'), query: of('query'), ...(body === null || sent === undefined ? {} : { body: sent }) }
}
