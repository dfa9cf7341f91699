// Requests over `fetch`: time limits, retries and errors in one place.
import { hexEncode } from '@orch/core'
import { errorOf, OrchError, OrchUnreachable } from './errors.ts'
import { type AnyInput, addressOf, type OperationRow, readReply } from './request.ts'
import { cryptoRandom, delayBefore, isTransient, type RandomSource, type Wait, wait } from './retry.ts'

export type ClientOptions = {
  /** Where the service answers, such as http://127.0.0.1:8080. */
  baseUrl: string
  token?: string
  fetch?: typeof fetch
  /** For one attempt, the body of the answer included. */
  timeoutMs?: number
  /** Further attempts after the first. */
  retries?: number
  /** Uniform in [0, 1), for the time between attempts. */
  random?: RandomSource
  wait?: Wait
}

export type Transport = {
  baseUrl: string
  send(row: OperationRow, input: AnyInput, signal?: AbortSignal): Promise<unknown>
  /** A stream: only its first byte is under the time limit. The caller cancels the body. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
  retries: number
  pauseBefore(attempt: number, signal?: AbortSignal): Promise<void>
}

export function createTransport(options: ClientOptions): Transport {
  const { token, timeoutMs = 10_000, retries = 2, random = cryptoRandom } = options
  const baseUrl = originOf(options.baseUrl)
  const pause = options.wait ?? wait
  const doFetch = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args))
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${tokenOf(token)}` } : {}

  async function attempt(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    try {
      // A redirect would carry the request, and perhaps the token, to wherever the answer says.
      return await doFetch(url, { ...init, redirect: 'error', signal: withLimit(signal, timeoutMs) })
    } catch (error) {
      throw unreachable(error, signal)
    }
  }

  /** Whoever gave up hears why; everybody else that no answer came. */
  const unreachable = (error: unknown, signal: AbortSignal | undefined): unknown =>
    signal?.aborted ? signal.reason : new OrchUnreachable(baseUrl, error)

  async function once(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<unknown> {
    const response = await attempt(url, init, signal)
    const body = await bodyOf(response, signal)
    if (!response.ok) throw new Refused(errorOf(response.status, response.headers, body), response.headers)
    return body
  }

  async function bodyOf(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
    try {
      return await readReply(response)
    } catch (error) {
      if (signal?.aborted || !(error instanceof SyntaxError)) throw unreachable(error, signal)
      if (!response.ok) return null
      throw new OrchError(response.status, 'unexpected_reply', 'the answer is not JSON', null)
    }
  }

  async function send(row: OperationRow, input: AnyInput, signal?: AbortSignal): Promise<unknown> {
    const url = addressOf(baseUrl, row, input)
    const init = requestOf(row, input, authorization)
    const most = row.method === 'GET' || row.method === 'POST' ? retries : 0
    for (let tried = 0; ; tried += 1) {
      try {
        return await once(url, init, signal)
      } catch (error) {
        const again = error instanceof OrchUnreachable || (error instanceof Refused && isTransient(error.error.status))
        if (!again || tried >= most) throw error instanceof Refused ? error.error : error
        await pause(delayBefore(tried, error instanceof Refused ? error.retryAfter : null, random), signal)
      }
    }
  }

  async function open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new DOMException('no answer in time', 'TimeoutError')), timeoutMs)
    try {
      const init = { headers: { ...authorization, ...headers }, signal: AbortSignal.any([signal, late.signal]) }
      return await doFetch(`${baseUrl}${path}`, { ...init, redirect: 'error' })
    } catch (error) {
      throw unreachable(error, signal)
    } finally {
      clearTimeout(timer)
    }
  }

  const pauseBefore = (tried: number, signal?: AbortSignal) => pause(delayBefore(tried, null, random), signal)
  return { baseUrl, send, open, retries, pauseBefore }
}

/** An error together with what its reply said about coming back. */
class Refused extends Error {
  readonly error: OrchError
  readonly retryAfter: string | null

  constructor(error: OrchError, headers: Headers) {
    super(error.message)
    this.error = error
    this.retryAfter = headers.get('retry-after')
  }
}

/** Every POST carries a key of its own, so that a repetition after a lost answer finds what the first one did. */
function requestOf(row: OperationRow, { body }: AnyInput, authorization: Record<string, string>): RequestInit {
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5', ...authorization }
  if (row.method === 'POST') headers['idempotency-key'] = hexEncode(crypto.getRandomValues(new Uint8Array(16)))
  if (body === undefined) return { method: row.method, headers }
  headers['content-type'] = 'application/json'
  return { method: row.method, headers, body: JSON.stringify(body) }
}

const withLimit = (signal: AbortSignal | undefined, timeoutMs: number): AbortSignal => {
  const limit = AbortSignal.timeout(timeoutMs)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

/** Printable ASCII without spaces. White space around it, such as the last newline of a file, is no part of it. */
export const isToken = (text: string): boolean => /^[!-~]+$/.test(text.trim())

/** Refused without its value: the error of a header that cannot be sent would show it. */
function tokenOf(text: string): string {
  if (!isToken(text)) throw new TypeError('token must be printable ASCII without spaces and line breaks')
  return text.trim()
}

/** Misuse throws here and not at the first call. A path or a password in the address would be lost silently. */
function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must be an http or https address')
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw new TypeError('baseUrl must be an origin without path, query and credentials')
  return url.origin
}
