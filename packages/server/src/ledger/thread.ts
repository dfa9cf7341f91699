/** A worker thread spoken to by request and answer. */
import { Worker } from 'node:worker_threads'

export interface Thread<Message> {
  worker: Worker
  post(message: Message): void
  /** Sends the message with an id of its own and waits for `{type: 'returned', id}`. */
  ask<T>(message: object): Promise<T>
  /** Ends the thread now. */
  end(): Promise<void>
}

/** What of an error crosses a thread boundary: its class does not. */
export interface Thrown {
  message: string
  code: string | null
}

interface Returned {
  type: 'returned'
  id: number
  value?: unknown
  error?: Thrown
}

export function thrown(error: unknown): Thrown {
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown }
  return { message: String(message ?? error), code: typeof code === 'string' ? code : null }
}

/** Does the work, also where it throws before there is a promise of it, and posts what came of it: whoever asked is never
 *  left waiting, and nothing is left unhandled. */
export function answerWith(post: (message: Returned) => void, id: number, work: () => Promise<unknown>): void {
  Promise.try(work)
    .then((value) => post({ type: 'returned', id, value }))
    .catch((error: unknown) => post({ type: 'returned', id, error: thrown(error) }))
}

/** The system's own tools show the thread under `name`. `onMessage` gets everything that is not an answer; `onDeath` is called once if the thread ends by itself. */
export function openThread<Message>(
  name: string,
  file: URL,
  workerData: unknown,
  onMessage: (message: never) => void,
  onDeath: (reason: string) => void,
): Thread<Message> {
  const worker = new Worker(file, { name, workerData })
  const asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let nextId = 1
  let ending = false
  const die = (reason: string) => {
    for (const { reject } of asked.values()) reject(new Error(reason))
    asked.clear()
    if (!ending) onDeath(reason)
    ending = true
  }
  worker.on('message', (message: Returned | { type: string }) => {
    if (message.type !== 'returned') return onMessage(message as never)
    const { id, value, error } = message as Returned
    const waiting = asked.get(id)
    asked.delete(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(Object.assign(new Error(error.message), { code: error.code }))
  })
  worker.on('error', (error) => die(error instanceof Error ? error.message : String(error)))
  worker.on('exit', () => die('the thread ended'))
  return {
    worker,
    post: (message) => worker.postMessage(message),
    ask: <T>(message: object) =>
      new Promise<T>((resolve, reject) => {
        if (ending) return reject(new Error('the thread ended'))
        const id = nextId++
        asked.set(id, { resolve: resolve as (value: unknown) => void, reject })
        worker.postMessage({ ...message, id })
      }),
    async end() {
      ending = true
      await worker.terminate()
    },
  }
}
