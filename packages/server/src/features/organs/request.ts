/** From the body of a request to one op with all its fields: the closed schema of that op, its defaults and its ceiling. */
import Type, { type TObject, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { exactly } from '../../domain/wire.ts'
import { InputError, type InputFault } from '../../errors.ts'
import { read, type ShapeFault } from '../../platform/shape.ts'
import { NeedsInput, type Op, type Organ, type Structured } from './organ.ts'

/** What every organ accepts beside the fields of the op. */
const SHARED = {
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295, default: 42 })),
  session_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'compute everything, write no state; the reply and the receipt say so',
    }),
  ),
}

/** Code points are counted by `pattern` with the `u` flag only, so the longest prompt is checked by hand. */
const MAX_PROMPT = 8192
export const PromptRequest = Type.Object(
  { prompt: Type.String({ minLength: 1, description: `1 to ${MAX_PROMPT} characters, not all blank` }), ...SHARED },
  exactly,
)

/** One schema for each op: what is compiled for it is kept with it. */
const opSchemas = new WeakMap<Op, TObject>()

export function opSchema(name: string, op: Op): TObject {
  const known = opSchemas.get(op)
  if (known !== undefined) return known
  const schema = Type.Object({ op: Type.Optional(Type.Literal(name)), ...SHARED, ...op.request.properties }, exactly)
  opSchemas.set(op, schema)
  return schema
}

export interface ReadRequest {
  form: 'structured' | 'prompt' | 'empty'
  op: string
  seed: number
  sessionId: string | null
  dryRun: boolean
  /** The fields of the op, defaults filled in; what a prompt lacked, where it lacked something. */
  fields: Record<string, unknown> | NeedsInput
}

type Body = Record<string, unknown>

/** Throws every fault of the request, each at its place below `body`. */
export async function readRequest(organ: Organ, body: Body): Promise<ReadRequest> {
  const form = Object.keys(body).length === 0 ? 'empty' : 'prompt' in body ? 'prompt' : 'structured'
  const asked = form === 'prompt' ? { ...shared(body), ...(await readPrompt(organ, body)) } : body
  if (asked.needs instanceof NeedsInput)
    return { ...sharedValues(body), form, op: defaultOp(organ), fields: asked.needs }
  const written = form === 'empty' ? organ.example.request : (asked as Structured)
  const name = readOp(organ, written)
  const op = organ.ops[name]!
  const { op: _, seed, session_id, dry_run, ...fields } = readFields(organ, name, written)
  const found = [...(op.check?.(fields as never) ?? []), ...workFault(op, fields)]
  if (found.length > 0)
    throw new InputError(
      found.map(({ place, message, type = 'value' }) => ({ loc: ['body', ...place], msg: message, type })),
    )
  // A request that lost its body must not leave anything behind.
  return { ...sharedValues({ seed, session_id, dry_run: dry_run || form === 'empty' }), form, op: name, fields }
}

const defaultOp = (organ: Organ): string => Object.keys(organ.ops)[0]!

const shared = ({ seed, session_id, dry_run }: Body): Body => ({
  ...(seed === undefined ? {} : { seed }),
  ...(session_id === undefined ? {} : { session_id }),
  ...(dry_run === undefined ? {} : { dry_run }),
})

const sharedValues = ({ seed, session_id, dry_run }: Body) => ({
  seed: (seed as number | undefined) ?? 42,
  sessionId: (session_id as string | undefined) ?? null,
  dryRun: dry_run === true,
})

async function readPrompt(organ: Organ, body: Body): Promise<Body> {
  const { prompt } = checked(PromptRequest, body) as { prompt: string }
  if (prompt.trim() === '') throw fault(['prompt'], 'must hold at least one character that is not blank', 'blank')
  if ([...prompt].length > MAX_PROMPT)
    throw fault(['prompt'], `must have at most ${MAX_PROMPT} characters`, 'maxLength')
  const meant = await organ.fromPrompt(prompt)
  return meant instanceof NeedsInput ? { needs: meant } : meant
}

function readOp(organ: Organ, body: Body): string {
  const { op = defaultOp(organ) } = body
  if (typeof op === 'string' && Object.hasOwn(organ.ops, op)) return op
  throw fault(['op'], `must be one of ${Object.keys(organ.ops).join(', ')}`, 'enum')
}

function readFields(organ: Organ, name: string, body: Body): Body {
  for (const field of Object.keys(body)) {
    if (field in SHARED || field === 'op' || field in organ.ops[name]!.request.properties) continue
    const owner = Object.entries(organ.ops).find(([, { request }]) => field in request.properties)?.[0]
    if (owner !== undefined) throw fault([field], `is a field of the op ${owner}, not of ${name}`, 'extra_forbidden')
  }
  return checked(opSchema(name, organ.ops[name]!), body) as Body
}

/** The value with its defaults; the caller's own stays as it is. A name that a record does not take is refused first: no
 *  default mends it, and the library throws at one. */
function checked(schema: TSchema, value: unknown): unknown {
  const given = read(schema, value)
  const surplus = given.ok ? [] : given.faults.filter(({ kind }) => kind === 'surplus')
  if (surplus.length > 0) throw new InputError(surplus.map(toInputFault))
  const shaped = read(schema, Value.Default(schema, structuredClone(value)))
  if (shaped.ok) return shaped.value
  throw new InputError(shaped.faults.map(toInputFault))
}

const TYPES = { missing: 'missing', surplus: 'extra_forbidden', invalid: 'value' } as const

const toInputFault = ({ place, message, kind }: ShapeFault): InputFault => ({
  loc: ['body', ...place],
  msg: kind === 'surplus' ? 'this property is not part of the contract' : message,
  type: TYPES[kind],
})

function workFault(op: Op, fields: Body) {
  const work = op.estimate(fields as never)
  if (work <= op.maxWork) return []
  const message = `this request is estimated at ${Math.ceil(work)} units of work; the ceiling is ${op.maxWork}`
  return [{ place: [], message, type: 'work_limit_exceeded' }]
}

const fault = (place: (string | number)[], msg: string, type: string): InputError =>
  new InputError([{ loc: ['body', ...place], msg, type }])
