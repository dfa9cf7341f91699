/** How these operations meet the wire: their order of checks, and one flat form for every refusal of theirs. */
import { LIMITS } from '../../domain/claim-limits.ts'
import { LEDGER_ERRORS } from '../../domain/wire.ts'
import { type ErrorCode, InputError, type InputFault, ServiceError } from '../../errors.ts'
import type { Boundary, Call, Refused } from '../../operation.ts'
import type { ClaimEngine } from '../../ports.ts'
import { type ProblemType, pathText, TooManyCandidates } from './rules/problems.ts'
import { RESPONSE_HEADER } from './rules/rubric.ts'

type Ready = Extract<ClaimEngine, { ready: true }>

/** The compiler, or the refusal that there is none. */
export function compilerOf(engine: ClaimEngine): Ready['compiler'] {
  if (engine.ready) return engine.compiler
  throw new ServiceError('claim_compiler_unavailable', 'the claim compiler is not available; ask the operator')
}

/** Without a compiler nothing else is looked at, not even the headers. */
export const readingBoundary = (engine: ClaimEngine): Boundary => ({
  admit: () => void compilerOf(engine),
  refuse: flatRefusal,
})

export const writingBoundary = (
  engine: ClaimEngine,
  read: (compiler: Ready['compiler'], bytes: Uint8Array) => unknown,
): Boundary => ({
  admit(headers) {
    compilerOf(engine)
    requireJson(headers['content-type'])
  },
  read: (bytes) => read(compilerOf(engine), bytes),
  refuse: flatRefusal,
})

function requireJson(header: Call['headers'][string]): void {
  if (typeof header === 'string' && isJson(header)) return
  const msg = 'must be application/json, in UTF-8 where it names a charset; send Content-Type: application/json'
  throw new InputError([{ loc: ['header', 'content-type'], msg, type: 'content_type' satisfies ProblemType }])
}

export function isJson(header: string): boolean {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  const charsets = parameters.filter((part) => /^charset\s*=/.test(part))
  return type === 'application/json' && charsets.every((part) => /^charset\s*=\s*(?:utf-8|"utf-8")$/.test(part))
}

/** To these callers whatever the recorder says of the ledger is one thing. */
const LEDGER_CODES: ReadonlySet<string> = new Set(LEDGER_ERRORS)
const SHAPED: ReadonlySet<number> = new Set([409, 413, 415, 422, 503])

/** Access, time-outs and what is no request at all keep the form they have everywhere. */
function flatRefusal(refusal: Refused, error: unknown, requestId: string): Refused {
  // Whatever threw stood between the request and its receipt: nothing was recorded, and the log has the cause.
  const status = refusal.unexpected ? 503 : refusal.status
  if (!SHAPED.has(status)) return refusal
  const code = codeOf(refusal, error)
  const message = messageOf(refusal, error)
  return {
    ...refusal,
    status,
    code,
    // The rest of the body is not read, so what comes behind it on this connection is nobody's request.
    headers: status === 413 ? { ...refusal.headers, connection: 'close' } : refusal.headers,
    body: {
      ready: status !== 503,
      accepted: false,
      ...RESPONSE_HEADER,
      decision_state: status === 503 ? 'UNAVAILABLE' : RESPONSE_HEADER.decision_state,
      error: { code, message, request_id: requestId, ...countOf(error) },
      detail: error instanceof InputError ? error.detail : [faultOf(status, code, message)],
    },
  }
}

function codeOf(refusal: Refused, error: unknown): string {
  if (error instanceof TooManyCandidates) return 'too_many_candidates' satisfies ErrorCode
  if (error instanceof InputError) return 'invalid_claim_request' satisfies ErrorCode
  if (refusal.unexpected) return 'claim_compiler_failure' satisfies ErrorCode
  return LEDGER_CODES.has(refusal.code) ? ('ledger_unavailable' satisfies ErrorCode) : refusal.code
}

function messageOf({ body, unexpected }: Refused, error: unknown): string {
  if (unexpected) return 'the claim compiler failed and nothing was recorded; report the request id'
  if (!(error instanceof InputError)) return (body as { error: { message: string } }).error.message
  const [first] = error.detail
  return first === undefined ? error.message : `${pathText(first.loc)} ${first.msg}`
}

const countOf = (error: unknown): object =>
  error instanceof TooManyCandidates ? { observed: error.observed, limit: LIMITS.candidates } : {}

const FAULTS: Readonly<Record<number, { loc: string[]; type: ProblemType }>> = {
  409: { loc: ['header', 'idempotency-key'], type: 'not_unique' },
  413: { loc: ['body'], type: 'out_of_range' },
  415: { loc: ['header', 'content-encoding'], type: 'encoding_invalid' },
}

/** What is not the request's fault has no word in the list of faults: it is named by its code. */
const faultOf = (status: number, code: string, msg: string): InputFault => ({
  ...(FAULTS[status] ?? { loc: ['server'], type: code }),
  msg,
})
