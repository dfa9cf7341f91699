import { ERRORS, type ErrorCode, InputError, ReceiptAltered, ServiceError, TreeDamaged } from '../errors.ts'

export interface Refusal {
  status: number
  code: ErrorCode | 'validation_error'
  headers: Record<string, string>
  body: object
  /** Nothing the caller did: worth a stack trace in the log, never in the reply. */
  unexpected: boolean
}

/** Faults raised by the HTTP framework itself, in the words of the closed list. */
const FRAMEWORK = new Map<string, [ErrorCode, string]>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['request_body_too_large', 'the body is larger than this operation reads']],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', ['unsupported_media_type', 'send Content-Type: application/json']],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', ['malformed_request', 'the body does not have the length its header says']],
  ['FST_ERR_BAD_URL', ['malformed_request', 'the path is not valid percent-encoded UTF-8']],
  // The body ended before it was whole: the client left, and this is said to the log alone.
  ['ECONNRESET', ['malformed_request', 'the body ended before it was whole']],
  [
    'FST_ERR_MAX_PARAM_LENGTH',
    ['uri_too_long', 'a path segment is longer than the 4096 characters that the service reads'],
  ],
])

const TREE_DAMAGED = 'the stored log is damaged, so nothing can be proven from it; read /api/readyz'

export function toErrorResponse(
  error: unknown,
  requestId: string,
  validationExtras: Readonly<Record<string, unknown>> | null = null,
  bodyLimit?: number,
): Refusal {
  if (error instanceof InputError) {
    const body = { detail: error.detail, ...validationExtras }
    return { status: 422, code: 'validation_error', headers: {}, body, unexpected: false }
  }
  if (error instanceof ServiceError) return refuse(error.code, error.message, requestId, error)
  if (error instanceof TreeDamaged) return refuse('ledger_unavailable', TREE_DAMAGED, requestId)
  if (error instanceof ReceiptAltered) return refuse('ledger_unavailable', error.message, requestId)
  const known = FRAMEWORK.get(String((error as { code?: unknown } | null)?.code))
  if (known) return refuse(known[0], withLimit(...known, bodyLimit), requestId)
  return {
    ...refuse('internal_error', 'the service failed to answer; report the request id', requestId),
    unexpected: true,
  }
}

const withLimit = (code: ErrorCode, message: string, bodyLimit: number | undefined): string =>
  code === 'request_body_too_large' && bodyLimit !== undefined ? `${message}; send at most ${bodyLimit} bytes` : message

function refuse(code: ErrorCode, message: string, requestId: string, more?: ServiceError): Refusal {
  return {
    status: ERRORS[code].status,
    code,
    headers: more?.headers ?? {},
    body: { error: { code, message, request_id: requestId, ...more?.extra } },
    unexpected: false,
  }
}
