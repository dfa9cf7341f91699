/** The parameters of the sources: what each takes, and how a query is read by it. Nothing is clamped or replaced. */
import Type, { type TSchema } from 'typebox'
import { InputError, type InputFault } from '../../../errors.ts'
import { read } from '../../../platform/shape.ts'
import { isDay } from './fields.ts'

interface ParameterRow {
  /** What is taken where it is left out: a value, or in words what is worked out; null where nothing is. */
  default: string | null
  required: boolean
  description?: string
}
export type Parameter = ParameterRow &
  (
    | { type: 'integer'; minimum: number; maximum: number }
    | { type: 'text'; pattern: string; example: string }
    | { type: 'choice'; choices: readonly string[] }
    | { type: 'day' | 'instant' }
  )
export type Parameters = Readonly<Record<string, Parameter>>
/** The texts of a query; those that were left out and have a value for a default are filled in. */
export type Values = Readonly<Record<string, string>>

export const integer = (value: number, minimum: number, maximum: number): Parameter => ({
  ...{ type: 'integer', default: String(value), required: false, minimum, maximum },
})
/** `fallback`: null makes it optional, undefined required. */
export const text = (pattern: string, example: string, fallback?: string | null): Parameter => ({
  ...{ type: 'text', default: fallback ?? null, required: fallback === undefined, pattern: `^${pattern}$`, example },
})
export const choice = (fallback: string, choices: readonly string[]): Parameter => ({
  ...{ type: 'choice', default: fallback, required: false, choices },
})
/** A moment that is worked out where it is left out. */
export const moment = (type: 'day' | 'instant', fallback: string, description: string): Parameter => ({
  ...{ type, default: fallback, required: false, description },
})

const INSTANT = '^\\d{4}-\\d\\d-\\d\\d(?:T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{3})?Z)?$'

/** What the parameter must be, as JSON Schema. */
function parameterSchema(parameter: Parameter): TSchema {
  const described = parameter.description === undefined ? {} : { description: parameter.description }
  switch (parameter.type) {
    case 'integer': {
      const { minimum, maximum } = parameter
      return Type.Integer({ minimum, maximum, default: Number(parameter.default) })
    }
    case 'choice':
      return Type.Enum([...parameter.choices], { default: parameter.default! })
    case 'text': {
      const { pattern, example } = parameter
      const fallback = parameter.default === null ? {} : { default: parameter.default }
      return Type.String({
        pattern,
        description: 'a text of the form of the example',
        examples: [example],
        ...fallback,
      })
    }
    case 'day':
      return Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-01-31'], ...described })
    case 'instant':
      return Type.String({ pattern: INSTANT, examples: ['2026-01-31T12:00:00Z'], ...described })
  }
}

export const parametersSchema = (parameters: Parameters): TSchema =>
  Type.Object(
    Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => {
        const schema = parameterSchema(parameter)
        return [name, parameter.required ? schema : Type.Optional(schema)]
      }),
    ),
    { additionalProperties: false },
  )

/** Throws every fault with the name of its parameter. */
export function readParameters(parameters: Parameters, texts: Readonly<Record<string, string>>): Values {
  const foreign = Object.keys(texts).filter((name) => !Object.hasOwn(parameters, name))
  const faults: InputFault[] = foreign.map((name) => surplus(name, Object.keys(parameters)))
  const values: Record<string, string> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    const found = readOne(parameter, texts[name])
    if (typeof found === 'string') values[name] = found
    else if (found !== null) faults.push({ loc: ['query', name], ...found })
  }
  if (faults.length > 0) throw new InputError(faults)
  return values
}

const surplus = (name: string, known: readonly string[]): InputFault => ({
  loc: ['query', name],
  msg: `this source does not take it; ${known.length === 0 ? 'it takes no parameter' : `allowed: ${known.join(', ')}`}`,
  type: 'extra_forbidden',
})

function readOne(parameter: Parameter, raw: string | undefined): string | Omit<InputFault, 'loc'> | null {
  if (raw === undefined) {
    if (parameter.required) return { msg: 'this parameter is required', type: 'missing' }
    return parameter.type === 'day' || parameter.type === 'instant' ? null : parameter.default
  }
  const isInteger = parameter.type === 'integer'
  const value = isInteger && /^\d{1,9}$/.test(raw) ? Number(raw) : raw
  const shaped = read(parameterSchema(parameter), value)
  if (!shaped.ok) return { msg: shaped.faults[0].message, type: shaped.faults[0].keyword }
  const isMoment = parameter.type === 'day' || parameter.type === 'instant'
  if (isMoment && !isDay(raw.slice(0, 10))) return { msg: 'must be a day of the calendar', type: 'format' }
  return String(value)
}

/** Throws a 422 that names one parameter. */
export function refuseParameter(name: string, msg: string): never {
  throw new InputError([{ loc: ['query', name], msg, type: 'value' }])
}

/** Milliseconds of a moment that was given; undefined where it was left out. */
export const givenMoment = (values: Values, name: string): number | undefined =>
  values[name] === undefined ? undefined : Date.parse(values[name])
