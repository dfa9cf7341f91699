/** N12 Schema: forces valid structure out of a generator. The masks are real, the generator is a toy. */
import Type, { type Static } from 'typebox'
import { closed, Nullable } from '../../../domain/wire.ts'
import { InputError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { ComputeError } from '../../../platform/compute/job.ts'
import { type Organ, op, type RequestFault } from '../organ.ts'
import type { Answer } from './answer.ts'
import type { Generate } from './io/generate.ts'
import { holdsOwnNames, OWN_NAMES } from './own-names.ts'
import { formatsOf, type JsonSchema } from './validator.ts'

const VERSION = '1.1.0'
const TOKENS = 1024
const MAX_SCHEMA_BYTES = 16_384
const MAX_SCHEMA_DEPTH = 16
const DEADLINE_MS = 3000
/** Characters that no token of the model spells. */
const NO_TOKEN = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f\\ud800-\\udfff'
const UNSPELLED = new RegExp(`[${NO_TOKEN}]`, 'gu')

/** Not a union: the library copies what it tries on one, and loses properties named `constructor`. */
const Schema = Type.Unsafe<JsonSchema>({
  type: ['object', 'boolean'],
  description: `JSON Schema 2020-12, at most ${MAX_SCHEMA_BYTES} bytes and ${MAX_SCHEMA_DEPTH} levels deep, without remote references`,
})
const Choice = Type.String({ minLength: 1, maxLength: 256, pattern: `^[^${NO_TOKEN}]+$` })
const GenerateRequest = closed({
  schema: Type.Optional(Schema),
  regex: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  choices: Type.Optional(Type.Array(Choice, { minItems: 1, maxItems: 64 })),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 16, default: 4 })),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024, default: 256 })),
})
export type Target = Pick<Static<typeof GenerateRequest>, 'schema' | 'regex' | 'choices'>
const Candidate = closed({ schema: Schema, candidate: Type.Unknown() })
export type Candidate = Static<typeof Candidate>

const share = Type.Number({ minimum: 0, maximum: 1 })
const Output = closed({
  text: Type.String(),
  value: Type.Unknown(),
  valid: Type.Boolean(),
  tokens: Type.Integer(),
  truncated: Type.Boolean({ description: 'max_tokens ran out before the end' }),
})
const Generated = closed({
  outputs: Type.Array(Output),
  validity: share,
  first_mask: Type.Array(Type.String()),
  first_mask_truncated_from: Nullable(Type.Integer()),
  mask_density: Type.Array(share),
  steps: Type.Integer(),
  rejected_tokens: Type.Integer(),
  baseline_validity: share,
})
export type Generated = Static<typeof Generated>
const Checked = closed({
  valid: Type.Boolean(),
  errors: Type.Array(closed({ path: Type.String(), keyword: Type.String(), message: Type.String() })),
  errors_truncated_from: Nullable(Type.Integer()),
})
export type Checked = Static<typeof Checked>
const Change = closed({ op: Type.String(), path: Type.String(), value: Type.Optional(Type.Unknown()) })
const Repaired = closed({ valid: Type.Boolean(), value: Type.Unknown(), patch: Type.Array(Change) })
export type Repaired = Static<typeof Repaired>

export function schema({ compute }: { compute: Compute }): Organ {
  const register = <Params, Result>(name: string, module: URL) =>
    compute.register<Params, Answer<Result>>({
      name: `organ-schema-${name}`,
      module,
      function: name,
      deadlineMs: DEADLINE_MS,
    })
  const repairs = new URL('./repair.ts', import.meta.url)
  const generate = register<Generate, Generated>('generate', new URL('./io/generate.ts', import.meta.url))
  const check = register<Candidate, Checked>('check', repairs)
  const repair = register<Candidate, Repaired>('repair', repairs)
  const worker = { isolation: 'worker', deadlineMs: DEADLINE_MS }
  const ofCandidate = { ...worker, request: Candidate, maxWork: 65_536, estimate: sizeOf, check: candidateFaults }
  return {
    id: 'N12',
    version: VERSION,
    ops: {
      generate: op({
        ...worker,
        summary: 'Generates texts that a grammar mask keeps to a schema, a pattern or a list of choices',
        request: GenerateRequest,
        result: Generated,
        maxWork: 16_777_216,
        usesSeed: true,
        estimate: ({ n, max_tokens }) => n! * max_tokens! * TOKENS,
        check: targetFaults,
        async run({ n, max_tokens, ...target }, { job, seed }) {
          const stream = { organ: 'N12', version: VERSION, op: 'generate', seed }
          const answer = await job(generate, { ...target, n: n!, maxTokens: max_tokens!, stream })
          const result = resultOf(answer, Object.keys(target)[0]!)
          return { result, exact: EXACT, limits: result.outputs.some(({ truncated }) => truncated) ? [CUT] : [] }
        },
      }),
      check: op({
        ...ofCandidate,
        summary: 'Tells everything in which a value does not fit a schema',
        result: Checked,
        run: async (request, { job }) => ({
          result: resultOf(await job(check, request), 'schema'),
          limits: unchecked(request.schema),
        }),
      }),
      repair: op({
        ...ofCandidate,
        summary: 'Changes a value as little as it takes to fit a schema, and gives the change as JSON Patch',
        result: Repaired,
        run: async (request, { job }) => ({
          result: resultOf(await job(repair, request), 'schema'),
          exact: EXACT,
          limits: unchecked(request.schema),
        }),
      }),
    },
    fromPrompt,
    example: {
      request: {
        op: 'generate',
        schema: {
          type: 'object',
          properties: { name: { type: 'string', maxLength: 8 }, age: { type: 'integer', minimum: 0, maximum: 120 } },
          required: ['name', 'age'],
        },
      },
      prompt: 'name:string, age:integer, plan:free|paid',
    },
    evidence: {
      assumptions: [
        'a bigram model over 1,024 tokens whose weights are drawn from the seed',
        'after half of max_tokens the model takes a closing token wherever the grammar allows one',
        'the baseline is the same model with the same seed and no mask',
      ],
      not_real: ['the model has learned nothing, so the texts mean nothing; masks, validity and repair are real'],
    },
  }
}

/** Numbers of the caller's value and of a generated text are not ours to round. */
const EXACT = ['value']
function unchecked(schema: JsonSchema) {
  const formats = formatsOf(schema)
  const named = formats.slice(0, 8).join(', ')
  return formats.length === 0 ? [] : [{ code: 'FORMAT_NOT_CHECKED', detail: `formats are annotations: ${named}` }]
}
const CUT = { code: 'TRUNCATED', detail: 'max_tokens ran out before the end of an output; such an output is not valid' }

function resultOf<Result>(answer: Answer<Result>, field: string): Result {
  if ('result' in answer) return answer.result
  if ('limit' in answer) throw new ComputeError('memory_exceeded', 'the grammar takes more memory than it may')
  const { place, message, type } = answer.fault
  throw new InputError([{ loc: ['body', field, ...place], msg: message, type }])
}

const sizeOf = (request: Candidate): number => JSON.stringify(request).length

function targetFaults({ schema, regex, choices }: Target): RequestFault[] {
  const given = Object.entries({ schema, regex, choices }).filter(([, value]) => value !== undefined)
  if (given.length === 1) return schema === undefined ? [] : schemaFaults(schema)
  return [{ place: [given[1]?.[0] ?? 'schema'], message: 'exactly one of schema, regex and choices must be given' }]
}

const candidateFaults = ({ schema, candidate }: Candidate): RequestFault[] => [
  ...schemaFaults(schema),
  ...(holdsOwnNames(candidate) ? [{ place: ['candidate'], message: OWN_NAMES }] : []),
]

function schemaFaults(schema: JsonSchema): RequestFault[] {
  const faults: RequestFault[] = []
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES)
    faults.push({ place: ['schema'], message: `must have at most ${MAX_SCHEMA_BYTES} bytes`, type: 'maxLength' })
  if (depthOf(schema) > MAX_SCHEMA_DEPTH)
    faults.push({ place: ['schema'], message: `must be at most ${MAX_SCHEMA_DEPTH} levels deep`, type: 'depth' })
  return faults
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const FIELD = /^([A-Za-z_][A-Za-z0-9_-]{0,63}) ?: ?([^,:]{1,200})$/
const PLAIN: readonly string[] = ['string', 'integer', 'number', 'boolean']

function typeNamed(name: string): object | null {
  if (PLAIN.includes(name)) return { type: name }
  return name.includes('|') ? { enum: name.split('|').map((word) => word.trim()) } : null
}

/** Fields and their types become an object; any other text is a choice between its words. */
function fromPrompt(prompt: string) {
  const fields = prompt.split(',').map((part) => {
    const [, name, type] = FIELD.exec(part.trim()) ?? []
    return [name, typeNamed((type ?? '').trim())] as const
  })
  if (fields.every(([, type]) => type !== null)) {
    const properties = Object.fromEntries(fields)
    const required = Object.keys(properties)
    return { op: 'generate', schema: { type: 'object', properties, required, additionalProperties: false } }
  }
  const words = prompt.trim().split(/\s+/)
  const choices = new Set(words.map((word) => word.slice(0, 256).toWellFormed().replace(UNSPELLED, '\ufffd')))
  return { op: 'generate', choices: [...choices].slice(0, 64) }
}
