/** An inference whose answer leaves while it is made. It goes on to its receipt whether or not somebody still reads. */

import type { TargetState } from '../../adapters/models/contract.ts'
import { ServiceError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import type { ChatOutcome } from './chat-reply.ts'
import { inferenceWork } from './flow.ts'
import { generateStream } from './generation.ts'
import type { Inquiry } from './inquiry.ts'
import type { Deps, Settled } from './settle.ts'

export type Piece =
  | { kind: 'begun'; target: TargetState }
  | { kind: 'delta'; text: string }
  /** `rest` is what may leave and has not. */
  | { kind: 'done'; outcome: ChatOutcome; rest: string }
  | { kind: 'failed'; error: unknown }

export function beginStream(deps: Deps, call: Call, inquiry: Inquiry, settled: Settled): Channel<Piece> {
  const channel = new Channel<Piece>()
  let remaining: string | null = null
  const work = inferenceWork(deps, call, inquiry, {
    streamed: true,
    settle: async () => settled,
    async generate(attempt, judge) {
      const generation = await generateStream(attempt, judge, {
        begun: (target) => channel.push({ kind: 'begun', target }),
        delta: (text) => channel.push({ kind: 'delta', text }),
      })
      remaining = generation.remaining
      return generation
    },
  })
  deps.recorder
    .record(call, inquiry.operation, { decide: work })
    .then(({ body }) => {
      const outcome = body as unknown as ChatOutcome
      const content = outcome.completion?.choices[0]?.content ?? ''
      // A replay, or an answer that waited for people: none of it has left yet.
      const rest = outcome.completion === null ? '' : (remaining ?? content)
      channel.push({ kind: 'done', outcome, rest })
    })
    .catch((error: unknown) => channel.push({ kind: 'failed', error }))
    .finally(() => channel.end())
  return channel
}

export const PING = ': ping\n\n'

/** What a reader may know of a failure of ours after the status was sent. */
export const failureOf = (error: unknown, requestId: string) => ({
  code: error instanceof ServiceError ? error.code : 'internal_error',
  message: error instanceof ServiceError ? error.message : 'the service failed to answer; report the request id',
  request_id: requestId,
})

const PING_MS = 15_000

/** What one side produces at its own pace and the other reads as a stream. */
export class Channel<T> {
  readonly #items: T[] = []
  #ended = false
  #wake: (() => void) | null = null

  static ended<T>(): Channel<T> {
    const channel = new Channel<T>()
    channel.end()
    return channel
  }

  push(item: T): void {
    this.#items.push(item)
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** The next item; null at the end, `ping` when nothing came for a while. */
  async next(): Promise<T | null | 'ping'> {
    if (this.#items.length === 0 && !this.#ended) await this.#wait()
    const item = this.#items.shift()
    if (item !== undefined) return item
    return this.#ended ? null : 'ping'
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(done, PING_MS)
      this.#wake = done
    })
  }
}
