/** Everything a refusal can say. One row per code: the HTTP status, what it means, what the caller does about it, and
 *  the exit code of the command line. A test checks docs/errors.md against this table. */
interface ErrorRow {
  status: number
  meaning: string
  action: string
  exit: number
}

const row = (status: number, exit: number, meaning: string, action: string): ErrorRow => ({
  status,
  exit,
  meaning,
  action,
})

export const ERRORS = {
  malformed_request: row(400, 2, 'the HTTP request itself cannot be read', 'send well-formed HTTP/1.1'),
  missing_authorization: row(401, 4, 'the operation needs a credential', 'send Authorization: Bearer <token>'),
  invalid_authorization: row(
    401,
    4,
    'the Authorization header is not one Bearer token',
    'send exactly one Authorization: Bearer <token>',
  ),
  invalid_bearer_token: row(401, 4, 'the token is not in the registry', 'use a token that was issued here'),
  credential_revoked: row(403, 4, 'the credential was revoked', 'ask the operator for a new one'),
  missing_scopes: row(
    403,
    4,
    'the credential lacks a scope of the operation',
    'ask for the scope named in the message',
  ),
  cross_origin_refused: row(
    403,
    4,
    'a request was for a host name that is not ours, or a writing one came from a foreign page',
    'call from the service’s own origin, or list the host in ORCH_ALLOWED_HOSTS',
  ),
  not_found: row(404, 2, 'no operation has this path', 'look the path up in /openapi.json'),
  method_not_allowed: row(405, 2, 'the path exists, the method does not', 'use a method of the Allow header'),
  request_timeout: row(408, 1, 'the request was not received or answered in time', 'send it again, faster or smaller'),
  request_body_too_large: row(413, 2, 'the body is larger than the operation reads', 'send less'),
  uri_too_long: row(414, 2, 'the request target is longer than the service reads', 'shorten the path or the query'),
  unsupported_media_type: row(
    415,
    2,
    'the body is not plain JSON in UTF-8',
    'send Content-Type: application/json, uncompressed',
  ),
  rate_limited: row(429, 1, 'this client sent more requests than it may', 'wait for the seconds of Retry-After'),
  headers_too_large: row(431, 2, 'the request headers exceed 16 KiB', 'send fewer or shorter headers'),
  internal_error: row(500, 1, 'the service failed to answer', 'report the request id'),
  credential_registry_unavailable: row(
    503,
    1,
    'the credential registry cannot be read, so nobody can be told apart',
    'the operator repairs the file named by ORCH_CREDENTIALS',
  ),
  idempotency_conflict: row(
    409,
    2,
    'this Idempotency-Key was used with another request',
    'use a new key for a new request',
  ),
  state_conflict: row(
    409,
    1,
    'the record changed while the request was being decided, so nothing was recorded',
    'read the record again and retry',
  ),
  session_busy: row(
    503,
    1,
    'others kept changing the session for five seconds, so nothing was recorded',
    'wait for the seconds of Retry-After',
  ),
  quota_exceeded: row(
    429,
    1,
    'the request would exceed the quota named in the error, so nothing was recorded',
    'free some of it, wait until it renews, or ask the operator for more',
  ),
  session_expired: row(
    409,
    2,
    'the session was idle for 30 days and takes no more steps',
    'open a session under another name',
  ),
  session_not_found: row(
    404,
    2,
    'there is no such session, or it is not the caller’s to see',
    'check the name; the first step opens a session',
  ),
  session_chain_broken: row(
    503,
    1,
    'the session’s stored steps are inconsistent, so nothing was recorded',
    'the operator reads /api/orch/v1/gdw/integrity and restores the store',
  ),
  stored_record_altered: row(
    503,
    1,
    'what is stored is not what its receipt says was stored, so it is not used',
    'the operator reads /api/readyz and restores the store',
  ),
  write_surface_unavailable: row(
    503,
    1,
    'steps cannot be recorded now, for the reasons listed in the error',
    'the operator reads /api/orch/v1/gdw/healthz and repairs what it names',
  ),
  grant_exceeds_limit: row(
    409,
    2,
    'the approval would take the session’s budget above 1',
    'deny the review, or ask for less in another session',
  ),
  source_revision_mismatch: row(
    409,
    2,
    'another revision runs here than X-Expected-Source-Revision names, or it is not known; nothing was touched',
    'read expected and observed in the error and send the revision that is meant',
  ),
  integrity_not_verified: row(
    503,
    1,
    'the records of the namespace do not verify, so nothing is repaired on top of them',
    'the operator reads /api/orch/v1/gdw/integrity/global',
  ),
  receipt_too_large: row(422, 2, 'the receipt would exceed 65535 bytes', 'send less'),
  ledger_busy: row(503, 1, 'more than 4096 receipts wait to be recorded', 'wait for the seconds of Retry-After'),
  ledger_read_only: row(
    503,
    1,
    'the ledger takes no more receipts: its store failed, its history is broken or it was rolled back',
    'the operator reads /api/readyz, repairs the store and restarts',
  ),
  too_many_streams: row(
    503,
    1,
    'as many event streams are open as the caller, or the service, may have',
    'close a stream, or wait for the seconds of Retry-After',
  ),
  guard_unavailable: row(
    503,
    1,
    'the guard of the ledger does not answer, so nothing more is recorded',
    'retry later; the operator reads /api/readyz and repairs the place that ORCH_GUARD names',
  ),
  signer_unavailable: row(503, 1, 'the configured signer does not answer, so nothing was recorded', 'retry later'),
  store_unavailable: row(
    503,
    1,
    'the store cannot be read or written now',
    'retry later, with the same Idempotency-Key',
  ),
  anchoring_not_configured: row(
    409,
    2,
    'no external transparency log is configured',
    'the operator sets ORCH_REKOR_URL and ORCH_REKOR_PUBLIC_KEY',
  ),
  formula_registry_invalid: row(
    503,
    1,
    'the formula registry of this build is not the one that was locked',
    'the operator restores the file and reads /api/orch/v1/attest/verify',
  ),
  data_file_invalid: row(
    503,
    1,
    'a data file of this build is not the one that was committed',
    'the operator restores the file and reads /api/orch/v1/steward/status',
  ),
  review_not_found: row(
    404,
    2,
    'there is no such review, or it is not the caller’s to see',
    'list them at /api/orch/v1/reviews',
  ),
  review_closed: row(409, 2, 'the review was decided already', 'read the item; ask for a new decision if needed'),
  review_expired: row(409, 2, 'the review ran out of time, which counts as denied', 'send the request again'),
  self_approval_forbidden: row(
    403,
    4,
    'the credential asked for the decision or voted already',
    'another person approves with a credential of their own',
  ),
  four_eyes_unenforceable: row(
    409,
    2,
    'two approvals are needed and people cannot be told apart without a credential registry',
    'the operator configures ORCH_CREDENTIALS, or the review is denied',
  ),
  gates_unavailable: row(
    503,
    1,
    'the gate rules or policies did not load, so nothing is decided',
    'the operator reads /api/readyz and repairs the files',
  ),
  gates_busy: row(
    503,
    1,
    'more than 2048 short texts, or 64 long ones, wait for the gates, or a long one waited for two seconds',
    'wait for the seconds of Retry-After',
  ),
  unknown_symbol: row(404, 2, 'no price of this symbol is published', 'ask for BTC, ETH or SOL'),
  gate_not_found: row(404, 2, 'no gate has this name', 'list the gates at /api/orch/v1/gates'),
  operation_not_found: row(404, 2, 'the anatomy ledger has no such operation', 'read its capabilities at its status'),
  invalid_claim_request: row(
    422,
    2,
    'the request does not fit the closed claim contract',
    'correct what detail lists, up to 32 problems in the order of the document',
  ),
  too_many_candidates: row(
    422,
    2,
    'the text splits into more claim candidates than one answer holds',
    'send the text in parts of at most 32 candidates',
  ),
  claim_compiler_unavailable: row(
    503,
    1,
    'the claim compiler did not load or failed its self-test',
    'the operator reads the check claims of /api/readyz, repairs the installation and restarts',
  ),
  claim_compiler_failure: row(
    503,
    1,
    'the claim compiler failed on this request, so nothing was recorded',
    'report the request id',
  ),
  ledger_unavailable: row(503, 1, 'the ledger cannot be read or written now', 'retry later'),
  model_not_found: row(404, 2, 'no target serves this model', 'list the models at /v1/models'),
  denied_by_gate: row(
    403,
    4,
    'a gate or policy refused the request or its answer',
    'read the receipt; change the request',
  ),
  review_required: row(
    409,
    2,
    'a person has to decide first',
    'after approval send the same body with x-orch-review: <review_id>',
  ),
  model_gate_blocked: row(
    409,
    1,
    'an artifact of the embedded model is not what was committed, so it does not answer',
    'read the gate in the reply; the operator restores the named file',
  ),
  model_unavailable: row(
    503,
    1,
    'the embedded model is not complete in this installation',
    'read the gate in the reply; the operator installs the named file',
  ),
  inference_slot_busy: row(
    429,
    1,
    'the embedded model writes one text at a time and is writing one now',
    'wait for the seconds of Retry-After',
  ),
  context_length_exceeded: row(
    400,
    2,
    'the prompt and the longest answer asked for are more tokens than the model reads',
    'shorten the messages, or ask for fewer tokens',
  ),
  no_target: row(503, 1, 'no permitted model target is available', 'read /api/orch/v1/govern/health; retry later'),
  upstream_failed: row(502, 1, 'the model target failed', 'retry later; its status is in the error'),
  upstream_timeout: row(504, 1, 'the model target did not answer in time', 'retry later or ask for less'),
  unknown_organ: row(404, 2, 'there is no such organ', 'use an id of /api/orch/v1/organs, N1 to N25'),
  unknown_role: row(404, 2, 'there is no such role', 'use one of the roles of /api/orch/v1/organ-health'),
  record_not_found: row(404, 2, 'the caller has no such record', 'check its id; records of others read as absent'),
  tenant_quota_exceeded: row(409, 2, 'the caller stores as much as one tenant may', 'delete something first'),
  organ_pool_busy: row(
    503,
    1,
    'as many computations wait as may wait, or no thread was free in time',
    'retry after Retry-After seconds',
  ),
  organ_failed: row(503, 1, 'the organ failed on this request, so nothing was recorded', 'report the request id'),
  unknown_asset: row(404, 2, 'there is no such asset', 'use a key of /api/orch/v1/assets/manifest'),
  asset_absent: row(
    404,
    2,
    'the asset is not part of this build or cannot be served',
    'read the reason at /api/orch/v1/assets/{key}',
  ),
  unknown_section: row(
    404,
    2,
    'the readiness panel has no such section',
    'use one of the sections of /api/orch/v1/readiness',
  ),
  unknown_source: row(404, 2, 'there is no such source', 'use an id of /api/orch/v1/finance/providers'),
  unknown_claim: row(404, 2, 'the evidence has no such claim', 'use an id of /api/orch/v1/evidence/research'),
  no_input: row(400, 2, 'nothing was sent to verify', 'send an envelope, a receipt, an export or a receipt_id'),
  receipt_not_found: row(
    404,
    2,
    'this ledger holds no such receipt, or it is not the caller’s to see',
    'check the digest, or verify the receipt itself by POST',
  ),
  chain_not_found: row(404, 2, 'this ledger has no such chain', 'list the chains at khipu/organs'),
  tile_not_found: row(
    404,
    2,
    'the log at its newest checkpoint has no such tile',
    'read /log/checkpoint and ask for tiles of that size',
  ),
  log_empty: row(404, 2, 'nothing has been logged yet', 'ask again after the first receipt'),
  no_signing_key: row(
    404,
    2,
    'there is no such verification key: signing is off, or the key is of another kind or id',
    'list the keys at keys',
  ),
  key_not_rotatable: row(
    409,
    2,
    'the key in use is not held by this service',
    'rotate it at the signing service and restart with its new public key',
  ),
  artifact_digest_mismatch: row(
    409,
    1,
    'a committed artifact of this build is not the one that its digest names',
    'ask the operator to restore the file; nothing is served from it until then',
  ),
  compute_busy: row(
    503,
    1,
    'as many computations wait as may wait, or no thread was free in time',
    'retry after Retry-After seconds',
  ),
  compute_timeout: row(
    503,
    1,
    'the computation was stopped at its deadline, so there is no result and no receipt',
    'ask for less, or retry when the service has less to do',
  ),
  draining: row(503, 1, 'the service is shutting down', 'send the request to another node or later'),
} satisfies Record<string, ErrorRow>

/** What every operation that has a text examined may be refused with. */
export const EXAMINING = ['gates_unavailable', 'gates_busy'] as const

/** What every operation that appends a receipt may be refused with. */
export const APPENDING = [
  'idempotency_conflict',
  'stored_record_altered',
  'receipt_too_large',
  'ledger_busy',
  'ledger_read_only',
  'guard_unavailable',
  'signer_unavailable',
  'store_unavailable',
] as const

export type ErrorCode = keyof typeof ERRORS

/** Seconds after which a refusal that passes by itself is worth another request: one for what gives way under load, five for
 *  what has to come back. Not for what waits for an operator, such as a ledger that is read-only until it is restarted, and
 *  not for `ledger_unavailable`, which is said of a damaged log too. */
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  compute_busy: 1,
  gates_busy: 1,
  ledger_busy: 1,
  organ_pool_busy: 1,
  session_busy: 1,
  draining: 5,
  guard_unavailable: 5,
  no_target: 5,
  signer_unavailable: 5,
  store_unavailable: 5,
  too_many_streams: 5,
}

function retryAfter(code: ErrorCode): Record<string, string> {
  const seconds = RETRY_AFTER_S[code]
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

/** The one exception that reaches a caller. `message` is one sentence that says what to do; it never carries a secret,
 *  a file path or another exception's text. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  readonly extra: Record<string, unknown>

  constructor(
    code: ErrorCode,
    message: string,
    more: { headers?: Record<string, string>; extra?: Record<string, unknown> } = {},
  ) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
    this.headers = { ...retryAfter(code), ...more.headers }
    this.extra = more.extra ?? {}
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/** The store, or the thread that reads it, did not answer. What it said itself may name files and hosts: it is the cause,
 *  for the operator's log, and never the message. */
export class StoreUnavailable extends ServiceError {
  constructor(cause: unknown) {
    super('store_unavailable', 'the store cannot be read or written now; retry later')
    this.cause = cause
  }
}

/** One fault of the caller's input: where it stands and what is wrong with it. */
export interface InputFault {
  loc: (string | number)[]
  msg: string
  type: string
  /** The numbers that the message speaks of, where a program may want them. */
  ctx?: Readonly<Record<string, number>>
}

/** The tree of the log has a hole: no proof can be made from it. A finding about the store, not a failure of the request. */
export class TreeDamaged extends Error {}

/** The bytes of a receipt are not those of its digest: they are not given out as that receipt. */
export class ReceiptAltered extends Error {
  constructor(index: number) {
    super(`the bytes stored for receipt ${index} are not those of its digest, so they are not served; read /api/readyz`)
  }
}

/** The place that keeps the newest checkpoint does not answer, or not as it should. Its sentence names no host. */
export class GuardUnavailable extends Error {}

/** 422: the input was read and does not fit the contract. */
export class InputError extends Error {
  readonly detail: InputFault[]

  constructor(detail: InputFault[]) {
    super(detail[0]?.msg ?? 'invalid input')
    this.name = 'InputError'
    this.detail = detail
  }
}
