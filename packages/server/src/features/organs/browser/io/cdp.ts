/** The DevTools protocol of a browser, as far as a replay needs it. Whoever answers controls every byte. */
import { parseStrictJson } from '@orch/core'
import Type, { type Static, type TSchema } from 'typebox'
import { OutboundFault, type TextSocket } from '../../../../adapters/outbound/contract.ts'
import { read } from '../../../../platform/shape.ts'

const Message = Type.Object({
  id: Type.Optional(Type.Integer()),
  method: Type.Optional(Type.String()),
  sessionId: Type.Optional(Type.String()),
  params: Type.Optional(Type.Object({})),
  result: Type.Optional(Type.Object({})),
})

export interface CdpEvent {
  method: string
  sessionId: string | undefined
  params: object
}

export class Cdp {
  readonly #socket: TextSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<object>>()
  readonly #closed = Promise.withResolvers<never>()
  #calls = 0

  constructor(socket: TextSocket, onEvent: (event: CdpEvent) => void) {
    this.#socket = socket
    this.#closed.promise.catch(() => undefined)
    this.#listen(onEvent).catch(this.#closed.reject)
  }

  /** What is waited for, or the end of the connection. */
  orClosed<T>(awaited: Promise<T>): Promise<T> {
    return Promise.race([awaited, this.#closed.promise])
  }

  /** What the browser answers, where it has the shape; an error of its own is told in our words. */
  async call<Shape extends TSchema>(shape: Shape, method: string, params: object = {}, sessionId?: string) {
    const id = ++this.#calls
    const answer = Promise.withResolvers<object>()
    this.#waiting.set(id, answer)
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    return shaped(shape, await this.orClosed(answer.promise))
  }

  /** Asks for what nothing depends on. */
  tell(method: string, params: object, sessionId: string): void {
    this.call(Type.Object({}), method, params, sessionId).catch(() => undefined)
  }

  async #listen(onEvent: (event: CdpEvent) => void): Promise<void> {
    for await (const text of this.#socket.messages) {
      const { id, method, sessionId, params = {}, result } = shaped(Message, parseStrictJson(text))
      if (method !== undefined) onEvent({ method, sessionId, params })
      if (id === undefined) continue
      if (result === undefined) this.#waiting.get(id)?.reject(new OutboundFault('INCONSISTENT_SOURCE'))
      else this.#waiting.get(id)?.resolve(result)
      this.#waiting.delete(id)
    }
  }
}

export function shaped<Shape extends TSchema>(shape: Shape, value: unknown): Static<Shape> {
  const found = read(shape, value)
  if (!found.ok) throw new OutboundFault('INVALID_SOURCE_SCHEMA')
  return found.value
}
