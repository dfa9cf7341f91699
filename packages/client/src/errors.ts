/** Everything a call can end in besides its reply. */

/** The service answered and refused. */
export class OrchError extends Error {
  readonly status: number
  /** From the closed list of the service; `unexpected_reply` when something else answered in its place. */
  readonly code: string
  readonly requestId: string | null
  /** The parsed answer, as nobody checked it: some refusals carry more than their code. Null where it was no JSON. */
  readonly body: unknown

  constructor(status: number, code: string, message: string, requestId: string | null, body: unknown = null) {
    super(message)
    this.name = 'OrchError'
    this.status = status
    this.code = code
    this.requestId = requestId
    this.body = body
  }
}

export type ValidationDetail = { loc: (string | number)[]; msg: string; type: string }

/** The input does not fit the operation: each fault with its place. */
export class OrchValidationError extends OrchError {
  readonly detail: readonly ValidationDetail[]

  constructor(code: string, detail: readonly ValidationDetail[], requestId: string | null, body: unknown = null) {
    const message = detail[0] ? `${detail[0].loc.join('.')}: ${detail[0].msg}` : 'the input was refused'
    super(422, code, message, requestId, body)
    this.name = 'OrchValidationError'
    this.detail = detail
  }
}

/** No answer came: refused, reset, timed out or redirected elsewhere. Whether a POST was carried out is unknown. */
export class OrchUnreachable extends Error {
  constructor(baseUrl: string, cause: unknown) {
    super(`no answer from ${baseUrl}`, { cause })
    this.name = 'OrchUnreachable'
  }
}

/** A body of another origin than the service is possible (a proxy, a captive portal): nothing in it is taken on trust. */
export function errorOf(status: number, headers: Headers, body: unknown): OrchError {
  const fields = isRecord(body) ? body : {}
  const error = isRecord(fields.error) ? fields.error : {}
  const requestId = text(error.request_id) ?? headers.get('x-request-id')
  const code = text(error.code)
  if (status === 422 && Array.isArray(fields.detail))
    return new OrchValidationError(code ?? 'invalid_input', fields.detail.filter(isDetail), requestId, body)
  const message = text(error.message) ?? `HTTP status ${status}`
  return new OrchError(status, code ?? 'unexpected_reply', message, requestId, body)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const isDetail = (value: unknown): value is ValidationDetail =>
  isRecord(value) && Array.isArray(value.loc) && typeof value.msg === 'string' && typeof value.type === 'string'
