// What no answer may be, whatever was sent.
import { Compile } from 'typebox/compile'
import { isJson, type Outcome } from './deliver.ts'
import type { Schema, Target } from './description.ts'
import type { Fuzzed } from './requests.ts'

type FindingKind =
  | 'server error'
  | 'undeclared refusal'
  | 'slow'
  | 'no answer'
  | 'leak'
  | 'misfit reply'
  | 'misfit accepted'
  | 'bare answer'

export interface Fault {
  kind: FindingKind
  detail: string
}

export interface Rules {
  slowMs: number
  /** Codes of 5xx whose cause is real where the service was started like this. */
  real: ReadonlySet<string>
  /** Text that no reply may hold. */
  secrets: readonly RegExp[]
}

/** Refusals that the layer gives before it knows, or whatever, the operation. */
const LAYER_CODES = new Set([
  'malformed_request',
  'not_found',
  'method_not_allowed',
  'uri_too_long',
  'headers_too_large',
  'request_body_too_large',
  'unsupported_media_type',
  'cross_origin_refused',
])

const STACK =
  /\n\s+at .+:\d+:\d+|\.[cm]?[jt]s:\d+:\d+|\b(?:ENOENT|EACCES|EISDIR|ENOTDIR|SQLITE_[A-Z]+|ERR_[A-Z]+_[A-Z_]+)\b/

export function faultsOf(fuzzed: Fuzzed, outcome: Outcome, rules: Rules): Fault[] {
  return [
    ...answered(fuzzed, outcome),
    ...(outcome.ms > rules.slowMs ? [{ kind: 'slow', detail: `${Math.round(outcome.ms)} ms` } as const] : []),
    ...leaks(outcome, rules),
    ...(outcome.status === null ? [] : refusals(fuzzed, outcome, rules)),
    ...(fuzzed.raw === null && outcome.status !== null ? shape(fuzzed, outcome) : []),
  ]
}

/** The service reads 16 KiB; what a client adds by itself is left room. */
const HEAD_LIMIT = 15_000

/** A head or body over its limit is refused while it is still being sent, and the refusal may be lost with the connection. */
function answered({ raw, kind, body, target, headers, path, query }: Fuzzed, { status }: Outcome): Fault[] {
  if (status !== null || raw !== null || kind === 'cut') return []
  const head = path.length + query.length + JSON.stringify(headers).length
  const tooLarge = (body?.length ?? 0) > (target.body?.limit ?? 65_536) || head > HEAD_LIMIT
  return tooLarge ? [] : [{ kind: 'no answer', detail: 'the connection ended without an answer' }]
}

function leaks({ text, headers }: Outcome, { secrets }: Rules): Fault[] {
  const whole = `${JSON.stringify(headers)}\n${text}`
  const found = [STACK, ...secrets].map((pattern) => pattern.exec(whole)).find((match) => match !== null)
  if (!found) return []
  const around = whole.slice(Math.max(0, found.index - 60), found.index + found[0].length + 60)
  return [{ kind: 'leak', detail: around }]
}

function refusals({ target, method, kind }: Fuzzed, { status, text, headers }: Outcome, { real }: Rules): Fault[] {
  const code = /"code":\s*"([a-z_]+)"/.exec(text)?.[1] ?? null
  const ours = code !== null && target.codes.has(code)
  if (status === 503 && isLateCheck(text)) return []
  if (status !== null && status >= 500 && method !== 'HEAD' && !(ours && real.has(code)))
    return [{ kind: 'server error', detail: `${status} ${text.slice(0, 400)}` }]
  if (status === 500) return [{ kind: 'server error', detail: '500 to HEAD' }]
  if (status === 405 && headers.allow === undefined && !text.includes('llow:'))
    return [{ kind: 'bare answer', detail: '405 without Allow' }]
  // Another method or path may be another operation’s.
  if (kind === 'method' || kind === 'path' || kind === 'raw') return []
  // What a 422 is called beside its list of faults is the operation’s own affair.
  if (code !== null && status !== 200 && status !== 422 && !ours && !LAYER_CODES.has(code))
    return [{ kind: 'undeclared refusal', detail: `${status} ${code}` }]
  return []
}

/** A readiness answer in which checks ran out of their time and nothing failed otherwise: the machine was busy, which
 *  is judged by the clock. */
function isLateCheck(text: string): boolean {
  // Bytes sent by hand are answered with the head in front.
  const body = text.startsWith('HTTP/') ? text.slice(text.indexOf('\r\n\r\n') + 4) : text
  const reply = parsed(body) as
    | { components?: Record<string, { state: string; detail?: { code?: string } }> }
    | undefined
  const failed = Object.values(reply?.components ?? {}).filter(({ state }) => state === 'FAILED')
  return failed.length > 0 && failed.every(({ detail }) => LATE.has(detail?.code ?? ''))
}
const LATE = new Set(['CHECK_TIMEOUT', 'EVENT_LOOP_LATE'])

const ALWAYS = ['x-request-id', 'traceparent', 'cache-control', 'x-content-type-options'] as const

function shape(fuzzed: Fuzzed, outcome: Outcome): Fault[] {
  const { status, headers, text, partial } = outcome
  const bare = ALWAYS.filter((name) => headers[name] === undefined)
  if (bare.length > 0) return [{ kind: 'bare answer', detail: `${status} without ${bare.join(', ')}` }]
  if (partial || fuzzed.method === 'HEAD') return []
  if (status !== 200) return status !== null && status >= 400 ? refusalShape(fuzzed, outcome) : []
  // The answer belongs to the operation only where path and method are its own.
  if (fuzzed.kind === 'path' || fuzzed.kind === 'method') return []
  return [...(isJson(headers) ? replyFit(fuzzed, text) : []), ...acceptance(fuzzed)]
}

/** The list of faults, the one error, or, where an operation says so itself, its own answer under another status. */
function refusalShape(fuzzed: Fuzzed, { status, text }: Outcome): Fault[] {
  const reply = parsed(text) as { detail?: unknown; error?: { code?: unknown; request_id?: unknown } } | undefined
  const fits = status === 422 && Array.isArray(reply?.detail) ? true : typeof reply?.error?.code === 'string'
  if (fits || replyFit(fuzzed, text).length === 0) return []
  return [{ kind: 'bare answer', detail: `${status} that is no refusal: ${text.slice(0, 200)}` }]
}

function replyFit({ target }: Fuzzed, text: string): Fault[] {
  const reply = parsed(text)
  if (target.reply === null) return [{ kind: 'misfit reply', detail: 'JSON where none is said' }]
  const schema = compiled(target.reply)
  if (schema.Check(reply)) return []
  return [{ kind: 'misfit reply', detail: JSON.stringify([...schema.Errors(reply)].slice(0, 3)).slice(0, 600) }]
}

/** A body that does not fit what the operation says it reads, and was taken all the same. */
function acceptance({ target, body }: Fuzzed): Fault[] {
  if (!target.body || !body) return []
  const sent = parsed(new TextDecoder().decode(body))
  const empty = sent === undefined || (sent !== null && typeof sent === 'object' && Object.keys(sent).length === 0)
  if (empty && !target.body.required) return []
  const schema = compiled(target.body.schema)
  if (schema.Check(sent)) return []
  return [{ kind: 'misfit accepted', detail: JSON.stringify([...schema.Errors(sent)].slice(0, 2)).slice(0, 600) }]
}

const schemas = new WeakMap<Schema, ReturnType<typeof Compile>>()

/** Compiling takes long enough to pass for a slow answer: it is done before the first request. */
export function prepare(targets: readonly Target[]): void {
  for (const { reply, body } of targets) for (const schema of [reply, body?.schema]) if (schema) compiled(schema)
}

function compiled(schema: Schema): ReturnType<typeof Compile> {
  const known = schemas.get(schema) ?? Compile(schema as never)
  schemas.set(schema, known)
  return known
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
