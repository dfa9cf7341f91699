/** The head of a reply, within the limits of time and on the origin that was asked. */
import type { IncomingMessage } from 'node:http'
import { JsonError, parseStrictJson, utf8Decode } from '@orch/core'
import { type ExchangeRequest, type FailureCode, type JsonExchange, OutboundFault, type Provider } from './contract.ts'
import { bodyParts, failureCode, JSON_TYPE, openExchange, refuseUnfit } from './transport.ts'

const MAX_REDIRECTS = 2
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export interface Times {
  connectMs: number
  firstByteMs: number
  /** Of the whole exchange, its redirects and its body included. */
  wholeMs: number
}
export const TIMES: Times = { connectMs: 3_000, firstByteMs: 6_000, wholeMs: 12_000 }

/** One request that may be sent. */
export interface Target {
  provider: Provider
  url: URL
  accept: string
  deadlineMs: number
  unauthorizedIsAnswer: boolean
}

export function openWire({ privateHosts, from = null }: Omit<OutboundSettings, 'enabled'>, times: Times) {
  const open = async ({ provider, accept }: Target, signal: AbortSignal, url: URL): Promise<IncomingMessage> => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), times.firstByteMs)
    const headers = { accept, ...provider.headers }
    const limit = AbortSignal.any([signal, late.signal])
    try {
      const { connectMs } = times
      return await openExchange({ url: url.href, headers, connectMs, from, signal: limit }, privateHosts)
    } catch (error) {
      throw late.signal.aborted ? new OutboundFault('RESPONSE_DEADLINE') : error
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    open: (target: Target, signal: AbortSignal) => open(target, signal, target.url),
    /** A credential travels with the request, so a redirect may lead nowhere but to the same origin, and not for long. */
    async follow(target: Target, signal: AbortSignal): Promise<IncomingMessage> {
      let at = target.url
      for (let hops = 0; ; hops++) {
        const response = await open(target, signal, at)
        if (!REDIRECTS.has(response.statusCode ?? 0)) return response
        response.destroy()
        const next = URL.parse(response.headers.location ?? '', at)
        const isSame = next !== null && next.origin === target.url.origin && next.username + next.password === ''
        if (!isSame || hops === MAX_REDIRECTS) throw new OutboundFault('REDIRECT_DENIED')
        at = next
      }
    },
  }
}

export interface OutboundSettings {
  enabled: boolean
  /** Hosts that may resolve to a private address. */
  privateHosts: readonly string[]
  /** Our public address, sent to whoever is asked, where the operator named one. */
  from?: string | null
}

export const jsonExchange =
  ({ enabled, ...settings }: OutboundSettings): JsonExchange =>
  async (request, signal) => {
    if (!enabled) return { ok: false, code: 'TRANSPORT_DISABLED' }
    const limit = AbortSignal.timeout(request.deadlineMs)
    try {
      const bytes = await send(request, settings, signal ? AbortSignal.any([signal, limit]) : limit)
      return { ok: true, value: parseStrictJson(bytes) }
    } catch (error) {
      return { ok: false, code: limit.aborted ? 'RESPONSE_DEADLINE' : failureCode(error) }
    }
  }

async function send(
  { url, body, status, maxBytes }: ExchangeRequest,
  { privateHosts, from = null }: Omit<OutboundSettings, 'enabled'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const asked = { url, headers: { accept: 'application/json' }, from, signal }
  const response = await openExchange(body === undefined ? asked : { ...asked, body }, privateHosts)
  refuseUnfit(response, { status, type: JSON_TYPE, maxBytes })
  const bytes = Buffer.concat(await Array.fromAsync(bodyParts(response, maxBytes)))
  signal.throwIfAborted()
  return bytes
}

/** A body that is no JSON by what was asked for. A mark of the byte order is no part of the text. */
export function parseText(bytes: Uint8Array): string {
  const text = utf8Decode(bytes)
  if (text === null) throw new OutboundFault('INVALID_SOURCE_TEXT')
  return text.replace(/^\uFEFF/, '')
}

/** The body of a reply as a value: strict JSON, and numbers by their digits where the caller computes with them. */
export function parseReply(bytes: Uint8Array, decimals: boolean): unknown {
  const text = utf8Decode(bytes)
  if (text === null) throw new OutboundFault('INVALID_JSON')
  try {
    const value = parseStrictJson(text)
    return decimals ? JSON.parse(quoteNumbers(text)) : value
  } catch (error) {
    if (error instanceof JsonError) throw new OutboundFault(faultCode(error, text))
    throw error
  }
}

function faultCode({ code, offset }: JsonError, text: string): FailureCode {
  if (code === 'duplicate_key') return 'DUPLICATE_JSON_KEY'
  const isNonfinite = code === 'number_range' || /^-?(?:NaN|Infinity)/.test(text.slice(offset, offset + 10))
  return isNonfinite ? 'NONFINITE_JSON' : 'INVALID_JSON'
}

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39]

/** Valid JSON with every number as a text of its decimal digits. One pass over the text: a reviver that is handed the
 *  digits of each number takes seconds for the largest replies, and nobody else is served meanwhile. */
function quoteNumbers(text: string): string {
  const parts: string[] = []
  let [copied, at] = [0, 0]
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at)
      parts.push(text.slice(copied, at), '"', decimalText(text.slice(at, end)), '"')
      copied = end
      at = end
    } else at += 1
  }
  return parts.join('') + text.slice(copied)
}

/** Behind the quote that no odd number of backslashes stands before. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 1) return at + 1
  }
}

const IN_NUMBER: ReadonlySet<number> = new Set([...'0123456789.eE+-'].map((char) => char.charCodeAt(0)))

function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (IN_NUMBER.has(text.charCodeAt(at))) at += 1
  return at
}

const MAX_DIGITS = 31
const MAX_FRACTION = 30
/** Whole numbers that are written as they are. */
const PLAIN = /^(?:0|-?[1-9]\d{0,29})$/

/** Plain digits without an exponent and without zeros that say nothing; at most 1e30 and 30 digits after the point. */
export function decimalText(lexeme: string): string {
  if (PLAIN.test(lexeme)) return lexeme
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? []
  const exponent = Number(power)
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '' && whole !== '') return '0'
  // The point stands so many digits from the left; what lies far outside the bounds is refused before zeros are written.
  const point = digits.length - fraction.length + exponent
  const significant = digits.replace(/0+$/, '')
  if (whole === '' || point > MAX_DIGITS || significant.length - point > MAX_FRACTION)
    throw new OutboundFault('INVALID_SOURCE_NUMBER')
  const padded = significant.padStart(significant.length + Math.max(0, -point + 1), '0').padEnd(Math.max(1, point), '0')
  const at = point <= 0 ? padded.length - (significant.length - point) : point
  const [left, right] = [padded.slice(0, at), padded.slice(at)]
  if (left.length === MAX_DIGITS && !(left === `1${'0'.repeat(MAX_DIGITS - 1)}` && right === ''))
    throw new OutboundFault('INVALID_SOURCE_NUMBER')
  return `${sign}${left === '' ? '0' : left}${right === '' ? '' : `.${right}`}`
}
