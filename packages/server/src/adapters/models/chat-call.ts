/** One chat completion from one OpenAI-compatible target, whole or as a stream. */
import type { Agent, IncomingMessage } from 'node:http'
import { parseStrictJson } from '@orch/core'
import { OutboundFault } from '../outbound/contract.ts'
import { bodyParts, failureCode, JSON_TYPE, openExchange, refuseUnfit, wholeBody } from '../outbound/transport.ts'
import type { ChatFailure } from './contract.ts'
import { EventStreamFault, eventData } from './event-stream.ts'

export const MAX_REPLY_BYTES = 10 * 1024 * 1024
const EVENT_STREAM = /^text\/event-stream\s*(?:;|$)/i

export interface Endpoint {
  /** Of the OpenAI interface, without a slash at its end. */
  baseUrl: string
  apiKey: string | null
  agent: Agent
  privateHosts: readonly string[]
}

export class ChatStreamBroken extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'ChatStreamBroken'
    this.code = code
  }
}

/** Why a call failed. A caller who left is no fault of the target. */
export function callFailure(error: unknown, signal: AbortSignal, limit: { readonly aborted: boolean }): ChatFailure {
  const failed = (code: string, status: number | null = null): ChatFailure => ({ ok: false, code, status })
  if (signal.aborted) return failed('ABORTED')
  if (limit.aborted) return failed('RESPONSE_DEADLINE')
  if (error instanceof EventStreamFault) return failed('INVALID_EVENT_STREAM')
  if (error instanceof ChatStreamBroken) return failed(error.code)
  const code = failureCode(error)
  const status = /^UPSTREAM_HTTP_(\d+)$/.exec(code)?.[1]
  return failed(code, status === undefined ? null : Number(status))
}

export async function wholeReply(endpoint: Endpoint, body: object, signal: AbortSignal): Promise<unknown> {
  const response = await post(endpoint, body, 'application/json', signal)
  refuseUnfit(response, { status: 200, type: JSON_TYPE, maxBytes: MAX_REPLY_BYTES })
  return parseStrictJson(await wholeBody(response, MAX_REPLY_BYTES))
}

/** Ends a call when its caller leaves and when its time is over. Nothing of it outlives the call: a signal of the
 *  platform's own keeps its timer for the whole time that the call might have taken. */
export class CallLimit {
  aborted = false
  readonly #abort = new AbortController()
  readonly #caller: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #leave = () => this.#abort.abort(this.#caller.reason)

  constructor(caller: AbortSignal, ms: number) {
    this.#caller = caller
    this.#timer = setTimeout(() => {
      this.aborted = true
      this.#abort.abort(new OutboundFault('RESPONSE_DEADLINE'))
    }, ms)
    if (caller.aborted) this.#leave()
    else caller.addEventListener('abort', this.#leave, { once: true })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#leave)
  }
}

export interface Patience {
  /** Called with every chunk: the time for the next one begins. */
  renew(): void
  signal: AbortSignal
  stop(): void
}

/** So long behind `[DONE]` the end of a stream is waited for: what is read to its end leaves its connection to the next call. */
const END_MS = 100

/** The chunks of a stream up to `[DONE]`. What ends without it was cut off. */
export async function* replyChunks(
  endpoint: Endpoint,
  body: object,
  signal: AbortSignal,
  patience: Patience,
): AsyncGenerator<unknown> {
  const both = AbortSignal.any([signal, patience.signal])
  const response = await post(endpoint, body, 'text/event-stream', both)
  let isDone = false
  let ending: NodeJS.Timeout | undefined
  try {
    refuseUnfit(response, { status: 200, type: EVENT_STREAM, maxBytes: MAX_REPLY_BYTES })
    for await (const data of eventData(bodyParts(response, MAX_REPLY_BYTES))) {
      if (isDone) break
      isDone = data === '[DONE]'
      patience.renew()
      if (isDone) ending = setTimeout(() => response.destroy(), END_MS)
      else yield parseStrictJson(data)
    }
    if (!isDone) throw new ChatStreamBroken('STREAM_CUT_OFF')
  } catch (error) {
    if (!isDone) throw error
  } finally {
    clearTimeout(ending)
    // Whoever stops reading stops the target: it must not go on for nobody. One that was read to its end is not touched by it.
    response.destroy()
  }
}

function post(
  { baseUrl, apiKey, agent, privateHosts }: Endpoint,
  body: object,
  accept: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = { accept, ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) }
  const url = `${baseUrl}/chat/completions`
  return openExchange({ url, body: JSON.stringify(body), headers, agent, signal }, privateHosts)
}

/** Given up when no whole chunk came for `silentMs`, and after `wholeMs` whatever came: a target that drips must not hold
 *  the caller, our memory and a place in the pipeline for as long as it likes. */
export function patienceOf(silentMs: number, wholeMs: number): Patience {
  const abort = new AbortController()
  const giveUp = () => abort.abort(new OutboundFault('RESPONSE_DEADLINE'))
  const silent = setTimeout(giveUp, silentMs)
  const whole = setTimeout(giveUp, wholeMs)
  const stop = () => {
    clearTimeout(silent)
    clearTimeout(whole)
  }
  return { signal: abort.signal, renew: () => void silent.refresh(), stop }
}
