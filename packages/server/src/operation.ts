import type { Label } from '@orch/core'
import type { Static, TObject, TSchema } from 'typebox'
import { type Caller, DEFAULT_NAMESPACE, LOCAL_OWNER, type Scope } from './access.ts'
import type { ErrorCode } from './errors.ts'

/** What one request hands to its operation. Everything in it has been checked against the operation's schemas. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params
  query: Query
  body: Body
  /** Raw request headers, names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  caller: Caller
  requestId: string
  /** `DEFAULT_EXAMPLE` when the caller sent nothing and the documented example runs in its place. */
  inputSource: 'CALLER' | 'DEFAULT_EXAMPLE'
  /** The body as it was received, where the operation's boundary reads it. */
  bytes?: Uint8Array
  /** Aborted when the client goes away or the request limit is over. */
  signal: AbortSignal
  /** The address the request came from, as limits are counted; none for a call from within. */
  client?: string
  /** A HEAD request: it MUST leave everything as it is, also where the GET would not. */
  headOnly?: boolean
}

/** A refusal on its way out. */
export interface Refused {
  status: number
  code: string
  headers: Record<string, string>
  body: object
  /** Nothing the caller did: logged with its cause, which the body never shows. */
  unexpected: boolean
}

/** Where an operation meets the wire by rules of its own. */
export interface Boundary {
  /** Judges the headers once the caller is admitted and before a byte of the body is read; throws the refusal. What it
   *  lets pass is taken for JSON, whatever its Content-Type. */
  admit?(headers: Call['headers']): void
  /** The body from its bytes, in place of the strict reader and of the schema, which then only describes it. */
  read?(bytes: Uint8Array): unknown
  /** The refusal in the operation's own form, or as it came. */
  refuse(refusal: Refused, error: unknown, requestId: string): Refused
}

/** An answer other than a plain 200 JSON object. */
export class Reply {
  readonly status: number
  readonly body: object | string | Uint8Array | AsyncIterable<string | Uint8Array> | null
  readonly type: string
  readonly headers: Record<string, string>

  constructor(
    body: Reply['body'],
    { status = 200, type = 'application/json; charset=utf-8', headers = {} }: Partial<Omit<Reply, 'body'>> = {},
  ) {
    this.status = status
    this.body = body
    this.type = type
    this.headers = headers
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Group =
  | 'Health and identity'
  | 'Receipts and verification'
  | 'Attestation and assurance'
  | 'Governance'
  | 'Claim integrity'
  | 'Stepping'
  | 'Organs'
  | 'Research'
  | 'Operations'

interface BodyRule {
  required?: readonly string[]
  anyOf?: readonly { required: readonly string[] }[]
  dependentRequired?: Readonly<Record<string, readonly string[]>>
  minProperties?: number
}

/** An operation is data and a thin `run`. The HTTP layer, the OpenAPI document, the client types and the access table
 *  are all derived from it; nothing about a path is written a second time. */
interface OperationSpec<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  ReplyBody extends TSchema = TSchema,
> {
  /** `surface.verb`, stable: clients call by it. */
  id: string
  group: Group
  method: Method
  /** Below `/api/orch/v1`, unless `root` says it is the whole path. Parameters as `:name`. */
  path: string
  root?: true
  /** Served identically below `/v1` as well. */
  alias?: true
  /** Further whole paths that are served identically. */
  aliases?: readonly string[]
  /** What a credential must hold, all of it; null is open to everyone. A mutating operation always names one. */
  scope: Scope | readonly [Scope, Scope, ...Scope[]] | null
  summary: string
  description?: string
  params?: Params
  query?: Query
  /** Its query narrows or selects what is answered, or the answer is about a whole that somebody may think to narrow: a
   *  name that is not declared is then refused, not ignored. */
  narrows?: true
  body?: Body
  /** What `run` requires of the body besides its schema, as keywords of JSON Schema, so that the description says it. */
  bodyRule?: BodyRule
  /** Bytes; 64 KiB unless the operation says otherwise. */
  bodyLimit?: number
  /** JSON values that a body may hold; 32,768 unless the operation says otherwise. */
  bodyValues?: number
  /** An absent body or `{}` runs `example.body` (`example`), is all the operation takes (`optional`), or is refused like
   *  any other misfit (`refuse`). */
  emptyBody?: 'example' | 'optional' | 'refuse'
  /** Throws where the path names nothing here. Asked before origin and credential are, and so is the body's type. */
  precheck?(params: Readonly<Record<string, string>>): void
  /** Throws while the operation cannot be served. Asked once the caller is admitted and before the body is read. */
  ready?(): void
  /** Request headers the operation goes by, names in lower case, each a string of the form given here. What does not fit
   *  is reported together with the faults of the body. */
  requestHeaders?: TObject
  /** Milliseconds from the headers to the end of the body, where the service's own limit is too generous. */
  bodyTimeoutMs?: number
  /** Sent with `detail` in every 422. */
  validationExtras?: Readonly<Record<string, unknown>>
  boundary?: Boundary
  /** What the 404 and the 405 of every path below `prefix` carry beside `error`; the prefix lies below `/api/orch/v1`. */
  surface?: { prefix: string; refusal: Readonly<Record<string, unknown>> }
  /** Sent with every answer, refusals included. */
  headers?: Readonly<Record<string, string>>
  reply: ReplyBody
  /** Media type of the 200 answer, where it is not JSON. */
  produces?: string
  /** Further media types of the 200 answer, as text, for whoever asks for one with `Accept`. */
  otherForms?: readonly string[]
  /** Statuses beside 200 that the protocol spoken here answers with, and what they mean. */
  ownStatuses?: Readonly<Record<number, string>>
  errors?: readonly ErrorCode[]
  example?: { params?: Static<Params>; query?: Static<Query>; body?: Static<Body> }
  labels?: readonly Label[]
  /** Whether a GET with this query, as it came, would append: pages of other sites may then not send it. */
  mayAppend?(query: Readonly<Record<string, unknown>>): boolean
  /** Health probes and pages answer even to a client over its rate and while the service drains. */
  exempt?: true
  /** A probe by whatever name the platform calls it: answers for every Host. Everything else answers for our own hosts alone. */
  anyHost?: true
  run(
    call: Call<Static<Params>, Static<Query>, Static<Body>>,
  ): Promise<Readable<Static<ReplyBody>> | Reply> | Readable<Static<ReplyBody>> | Reply
}

/** A wire shape as it is sent, where it does not change any more: its lists may be readonly, and where it takes any object,
 *  a value of any object type fits. */
export type Readable<T> = T extends object
  ? string extends keyof T
    ? unknown extends T[keyof T]
      ? object
      : { readonly [K in keyof T]: Readable<T[K]> }
    : { readonly [K in keyof T]: Readable<T[K]> }
  : T

/** A wire shape with its defaults filled in; `Left` are the fields that have none and may still be missing. */
export type Resolved<T, Left extends keyof T = never> = Required<Omit<T, Left>> & Pick<T, Left>

// biome-ignore lint/suspicious/noExplicitAny: the table holds operations of every shape; `run` is checked where it is written
export type Operation = Omit<OperationSpec<any, any, any>, 'run'> & {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  run(call: Call<any, any, any>): Promise<object> | object
}

type NoFields = TObject<Record<never, never>>

/** What `run` returns is what `reply` describes, or a `Reply`: a wrong field does not compile. */
export const operation = <
  ReplyBody extends TSchema,
  Params extends TObject = NoFields,
  Query extends TObject = NoFields,
  Body extends TSchema = TSchema,
>(
  spec: OperationSpec<Params, Query, Body, ReplyBody>,
): Operation => spec as Operation

/** The paths an operation answers on, the canonical one first. */
export const pathsOf = (op: Pick<Operation, 'path' | 'root' | 'alias' | 'aliases'>): string[] => [
  op.root ? op.path : `${API_PREFIX}${op.path}`,
  ...(op.alias ? [`${ALIAS_PREFIX}${op.path}`] : []),
  ...(op.aliases ?? []),
]

export const scopesOf = ({ scope }: Pick<Operation, 'scope'>): readonly Scope[] =>
  scope === null ? [] : typeof scope === 'string' ? [scope] : scope

/** Marks the reply to a request that brought no body and ran the documented example instead. */
export const EXAMPLE_HEADER = 'x-orch-default-example'

export const API_PREFIX = '/api/orch/v1'
export const ALIAS_PREFIX = '/v1'
export const DEFAULT_BODY_LIMIT = 64 * 1024
export const MAX_DEPTH = 64

/** A caller without a credential, for our own operations called in process. */
const IN_PROCESS: Omit<Call, 'signal'> = {
  params: {},
  query: {},
  body: undefined,
  headers: {},
  caller: { namespace: DEFAULT_NAMESPACE, owner: LOCAL_OWNER, keyId: null, authMode: 'registry', scopes: new Set() },
  requestId: 'in-process',
  inputSource: 'CALLER',
}

/** Runs the operation itself without a request: nothing is counted as served, and no limit of a client is used up. */
export async function runInProcess(
  operation: Operation,
  query: object = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Reply> {
  const answer = await operation.run({ ...IN_PROCESS, query, signal } as never)
  return answer instanceof Reply ? answer : new Reply(answer)
}
