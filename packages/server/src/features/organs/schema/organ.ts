/** N12 Schema: forces valid structure out of a generator. The masks are real, the generator is a toy. */
import Type, { type Static } from 'typebox'
import { exactly, Nullable } from '../../../domain/wire.ts'
import { InputError } from '../../../errors.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, op, type RequestFault } from '../organ.ts'
import type { Answer, Checked, Generate, Generated } from './answer.ts'
import type { Repaired } from './repair.ts'
import type { JsonSchema } from './validator.ts'

const VERSION = '1.0.0'
const TOKENS = 1024
const MAX_SCHEMA_BYTES = 16_384
const MAX_SCHEMA_DEPTH = 16
const MAX_FIRST = 32

const Schema = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Boolean()], {
  description: `JSON Schema 2020-12, at most ${MAX_SCHEMA_BYTES} bytes and ${MAX_SCHEMA_DEPTH} levels deep, without remote references`,
})
const GenerateRequest = Type.Object(
  {
    schema: Type.Optional(Schema),
    regex: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    choices: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 64 })),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 16, default: 4 })),
    max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1024, default: 256 })),
  },
  exactly,
)
const Candidate = Type.Object({ schema: Schema, candidate: Type.Unknown() }, exactly)

const share = Type.Number({ minimum: 0, maximum: 1 })
const GenerateResult = Type.Object(
  {
    outputs: Type.Array(
      Type.Object(
        {
          text: Type.String(),
          value: Type.Unknown(),
          valid: Type.Boolean(),
          tokens: Type.Integer(),
          truncated: Type.Boolean({ description: 'max_tokens ran out before the end' }),
        },
        exactly,
      ),
    ),
    validity: share,
    first_mask: Type.Array(Type.String()),
    first_mask_truncated_from: Nullable(Type.Integer()),
    mask_density: Type.Array(share),
    steps: Type.Integer(),
    rejected_tokens: Type.Integer(),
    baseline_validity: share,
  },
  exactly,
)
const CheckResult = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(Type.Object({ path: Type.String(), keyword: Type.String(), message: Type.String() }, exactly)),
    errors_truncated_from: Nullable(Type.Integer()),
  },
  exactly,
)
const RepairResult = Type.Object(
  {
    valid: Type.Boolean(),
    value: Type.Unknown(),
    patch: Type.Array(
      Type.Object({ op: Type.String(), path: Type.String(), value: Type.Optional(Type.Unknown()) }, exactly),
    ),
  },
  exactly,
)

export function schema({ compute }: { compute: Compute }): Organ {
  const register = <Params, Result>(name: string) =>
    compute.register<Params, Answer<Result>>({
      name: `organ-schema-${name}`,
      module: new URL('./io/job.ts', import.meta.url),
      function: name,
      deadlineMs: 3000,
    })
  const generate = register<Generate, Generated>('generate')
  const check = register<Static<typeof Candidate>, Checked>('check')
  const repair = register<Static<typeof Candidate>, Repaired>('repair')
  const shared = { isolation: 'worker', deadlineMs: 15_000 }
  return {
    id: 'N12',
    version: VERSION,
    ops: {
      generate: op({
        ...shared,
        summary: 'Generates texts that a grammar mask keeps to a schema, a pattern or a list of choices',
        request: GenerateRequest,
        result: GenerateResult,
        maxWork: 16_777_216,
        usesSeed: true,
        estimate: ({ n, max_tokens }) => n! * max_tokens! * TOKENS,
        check: targetFaults,
        async run({ n, max_tokens, ...target }, { job, seed }) {
          const stream = { organ: 'N12', version: VERSION, op: 'generate', seed }
          const params = { ...target, n: n!, maxTokens: max_tokens!, stream } as Generate
          const made = resultOf(await job(generate, params))
          const { outputs, firstMask, maskDensity, steps, rejected, baselineValid } = made
          return {
            result: {
              outputs,
              validity: outputs.filter(({ valid }) => valid).length / outputs.length,
              first_mask: firstMask.slice(0, MAX_FIRST),
              first_mask_truncated_from: firstMask.length > MAX_FIRST ? firstMask.length : null,
              mask_density: maskDensity,
              steps,
              rejected_tokens: rejected,
              baseline_validity: baselineValid / outputs.length,
            },
            limits: outputs.some(({ truncated }) => truncated) ? [CUT] : [],
          }
        },
      }),
      check: op({
        ...shared,
        summary: 'Tells everything in which a value does not fit a schema',
        request: Candidate,
        result: CheckResult,
        maxWork: 65_536,
        estimate: sizeOf,
        check: candidateFaults,
        async run(request, { job }) {
          const { valid, errors, total } = resultOf(await job(check, request))
          return { result: { valid, errors, errors_truncated_from: total > errors.length ? total : null } }
        },
      }),
      repair: op({
        ...shared,
        summary: 'Changes a value as little as it takes to fit a schema, and gives the change as JSON Patch',
        request: Candidate,
        result: RepairResult,
        maxWork: 65_536,
        estimate: sizeOf,
        check: candidateFaults,
        async run(request, { job }) {
          const { valid, value, patch } = resultOf(await job(repair, request))
          return { result: { valid, value, patch: patch as Static<typeof RepairResult>['patch'] } }
        },
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

const CUT = { code: 'TRUNCATED', detail: 'max_tokens ran out before the end of an output; such an output is not valid' }

function resultOf<Result>(answer: Answer<Result>): Result {
  if (answer.ok) return answer.result
  const { field, place, message, type } = answer.fault
  throw new InputError([{ loc: ['body', field, ...place], msg: message, type }])
}

const sizeOf = (request: Static<typeof Candidate>): number => JSON.stringify(request).length

function targetFaults({ schema, regex, choices }: Static<typeof GenerateRequest>): RequestFault[] {
  const given = Object.entries({ schema, regex, choices }).filter(([, value]) => value !== undefined)
  if (given.length === 1) return schema === undefined ? [] : schemaFaults(schema)
  return [{ place: [given[1]?.[0] ?? 'schema'], message: 'exactly one of schema, regex and choices must be given' }]
}

/** A name that changes what an object is cannot be patched safely. */
const candidateFaults = ({ schema, candidate }: Static<typeof Candidate>): RequestFault[] => [
  ...schemaFaults(schema),
  ...(JSON.stringify(candidate ?? null).includes('"__proto__"')
    ? [{ place: ['candidate'], message: 'must not hold a property named __proto__' }]
    : []),
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

/** Fields and their types become an object; any other text is a choice between its words. */
function fromPrompt(prompt: string) {
  const fields = prompt.split(',').map((part) => FIELD.exec(part.trim()))
  const typed = fields.map((field) => {
    const type = (field?.[2] ?? '').trim()
    return PLAIN.includes(type)
      ? { type }
      : type.includes('|')
        ? { enum: type.split('|').map((word) => word.trim()) }
        : null
  })
  if (typed.every((type) => type !== null)) {
    const properties = Object.fromEntries(fields.map((field, at) => [field![1]!, typed[at]!]))
    const wanted = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
    return { op: 'generate', schema: wanted }
  }
  const words = [
    ...new Set(
      prompt
        .trim()
        .split(/\s+/)
        .map((word) => word.slice(0, 256)),
    ),
  ]
  return { op: 'generate', choices: words.slice(0, 64).map((word) => word.toWellFormed()) }
}
