/** One configured target: its calls pass the breaker and are counted. */
import http from 'node:http'
import https from 'node:https'
import { BrokenCircuitError } from 'cockatiel'
import type { Clock } from '../../ports.ts'
import { type Breaker, breakerOf, NoVerdict } from './breaker.ts'
import {
  CallLimit,
  ChatStreamBroken,
  callFailure,
  type Endpoint,
  type Patience,
  patienceOf,
  replyChunks,
  wholeReply,
} from './chat-call.ts'
import type {
  Absence,
  ChatAnswer,
  ChatCall,
  ChatFailure,
  ChatStream,
  DeclaredTraits,
  TargetState,
  Zone,
} from './contract.ts'
import { CALL_DEADLINE, TargetRecord } from './target-record.ts'

export interface TargetSettings {
  id: string
  baseUrl: string
  /** Null: what a caller asks for is passed on. */
  model: string | null
  zone: Zone
  tier: number
  contextTokens: number
  timeoutMs: number
  streamMs: number
  apiKey: string | null
  absent: Absence | null
  declared?: DeclaredTraits
}

/** Thrown inside the breaker for what the target is to blame for. */
class Blamed extends Error {
  readonly failure: ChatFailure

  constructor(failure: ChatFailure) {
    super(failure.code)
    this.failure = failure
  }
}

/** Longer than any deadline that a caller sets: after so long a silence the target is to blame, however slow it may be. */
const LONG_MS = 50_000

/** A caller's deadline must not switch the target off for the others, so only its own time counts against it. */
const hasItsTime = (deadlineMs: number, timeoutMs: number): boolean => deadlineMs >= Math.min(timeoutMs, LONG_MS)

/** A refusal of what the caller sent says nothing against the target, nor does a caller who left. */
const isBlamed = ({ code, status }: ChatFailure): boolean =>
  code !== 'ABORTED' && (status === null || status >= 500 || status === 429 || status === 408)

const unanswered = (code: string): ChatFailure => ({ ok: false, code, status: null })

export class Target {
  readonly settings: TargetSettings
  readonly #endpoint: Endpoint
  readonly #record: TargetRecord
  readonly #breaker: Breaker

  constructor(settings: TargetSettings, privateHosts: readonly string[], clock: Clock) {
    this.settings = settings
    const { baseUrl, apiKey } = settings
    // Connections are kept for this destination and under its rule alone, and not longer than servers usually keep them.
    const Agent = baseUrl.startsWith('https:') ? https.Agent : http.Agent
    const agent = new Agent({ keepAlive: true, timeout: 4_000, maxFreeSockets: 64, scheduling: 'lifo' })
    this.#endpoint = { baseUrl, apiKey, agent, privateHosts }
    this.#record = new TargetRecord(clock)
    this.#breaker = breakerOf(clock)
  }

  state(): TargetState {
    const { id, model, zone, tier, contextTokens, timeoutMs, absent, declared } = this.settings
    const facts = { id, model, zone, tier, contextTokens, timeoutMs, embedded: false, absent }
    const stated = declared === undefined ? {} : { declared }
    const record = this.#record
    return {
      ...facts,
      ...stated,
      breaker: this.#breaker.state(),
      ...record,
      // A thousand numbers: copied for whoever asks for them, not for every call that is routed.
      get durationsMs() {
        return record.durationsMs
      },
    }
  }

  async complete({ body, deadlineMs }: ChatCall, signal: AbortSignal): Promise<ChatAnswer | ChatFailure> {
    return this.#guarded(async () => {
      const limit = new CallLimit(signal, Math.max(1, Math.min(deadlineMs, this.settings.timeoutMs)))
      const end = this.#record.begin()
      try {
        const value = await wholeReply(this.#endpoint, body, limit.signal)
        return { ok: true, value, latencyMs: end(null) }
      } catch (error) {
        return this.#blame(callFailure(error, signal, limit), deadlineMs, end)
      } finally {
        limit.stop()
      }
    })
  }

  async stream({ body, deadlineMs }: ChatCall, signal: AbortSignal): Promise<ChatStream | ChatFailure> {
    return this.#guarded(async () => {
      const { timeoutMs, streamMs } = this.settings
      const patience = patienceOf(Math.max(1, Math.min(deadlineMs, timeoutMs)), streamMs)
      const end = this.#record.begin()
      const chunks = replyChunks(this.#endpoint, body, signal, patience)
      try {
        const first = await chunks.next()
        return { ok: true, chunks: this.#rest(first, chunks, { signal, patience, end }) }
      } catch (error) {
        patience.stop()
        return this.#blame(callFailure(error, signal, patience.signal), deadlineMs, end)
      }
    })
  }

  async *#rest(
    first: IteratorResult<unknown>,
    chunks: AsyncGenerator<unknown>,
    { signal, patience, end }: { signal: AbortSignal; patience: Patience; end: (failure: string | null) => number },
  ): AsyncGenerator<unknown> {
    let failure: string | null = 'ABORTED'
    try {
      if (!first.done) {
        yield first.value
        yield* chunks
      }
      failure = null
    } catch (error) {
      failure = callFailure(error, signal, patience.signal).code
      throw new ChatStreamBroken(failure)
    } finally {
      patience.stop()
      await chunks.return(undefined)
      end(failure === 'ABORTED' ? null : failure)
    }
  }

  #blame(failure: ChatFailure, deadlineMs: number, end: (failure: string | null) => number): ChatFailure {
    if (failure.code === 'RESPONSE_DEADLINE' && !hasItsTime(deadlineMs, this.settings.timeoutMs)) {
      end(CALL_DEADLINE)
      throw new NoVerdict(CALL_DEADLINE)
    }
    end(failure.code)
    if (isBlamed(failure)) throw new Blamed(failure)
    return failure
  }

  async #guarded<T>(work: () => Promise<T | ChatFailure>): Promise<T | ChatFailure> {
    if (this.settings.absent !== null) return unanswered(this.settings.absent)
    try {
      return (await this.#breaker.pass(work)) ?? unanswered('BREAKER_OPEN')
    } catch (error) {
      if (error instanceof Blamed) return error.failure
      if (error instanceof NoVerdict) return unanswered(error.message)
      if (error instanceof BrokenCircuitError) return unanswered('BREAKER_OPEN')
      throw error
    }
  }

  close(): void {
    this.#endpoint.agent.destroy()
  }
}
