/** A worker thread spoken to by request and answer. Questions of one turn of the loop travel in one message, and so do the
 *  answers of one turn: a message costs both threads more than most questions do. That exists for speed alone: of 32 questions
 *  at a time one takes 37 µs of processor time, and 93 with messages of their own (`node bench/programs/hand-over.ts`, beside
 *  one whose `add` flushes at once). */
import { type MessagePort, Worker } from 'node:worker_threads'
import { Slots } from '../platform/slots.ts'
import { threadLimits } from '../platform/thread-memory.ts'

export interface Thread<Message> {
  worker: Worker
  post(message: Message): void
  /** Sends the message with an id of its own and waits for the answer to it. */
  ask<T>(message: object): Promise<T>
  /** Ends the thread now. */
  end(): Promise<void>
}

/** What of an error crosses a thread boundary: its class does not. */
interface Thrown {
  message: string
  code: string | null
}

/** Sends what is given to it within one turn of the loop together. What cannot cross a thread boundary is refused alone. */
function inBatches<T>(send: (messages: T[]) => void, refused: (message: T, error: unknown) => void) {
  const waiting: T[] = []
  const sendOne = (message: T): void => {
    try {
      send([message])
    } catch (error) {
      refused(message, error)
    }
  }
  const flush = (): void => {
    const messages = waiting.splice(0)
    try {
      if (messages.length > 0) send(messages)
    } catch {
      for (const message of messages) sendOne(message)
    }
  }
  const add = (message: T): void => {
    if (waiting.push(message) === 1) setImmediate(flush)
  }
  return { add, flush }
}

/** The thread's own side: every message by itself, however they travelled. */
export function onMessages<Message>(port: MessagePort, take: (message: Message) => void): void {
  port.on('message', (message: Message | Message[]) => {
    if (Array.isArray(message)) for (const one of message) take(one)
    else take(message)
  })
}

/** How the thread's own side sends its answers. */
export function answersTo(port: MessagePort): (answer: Returned) => void {
  const send = (answers: Returned[]) => port.postMessage(answers)
  return inBatches(send, ({ id }, error) => send([{ id, error: thrown(error) }])).add
}

interface Returned {
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
    .then((value) => post({ id, value }))
    .catch((error: unknown) => post({ id, error: thrown(error) }))
}

/** The system's own tools show the thread under `name`. `onMessage` gets everything that is not an answer; `onDeath` is called once if the thread ends by itself. */
export function openThread<Message>(
  name: string,
  file: URL,
  workerData: unknown,
  onMessage: (message: never) => void,
  onDeath: (reason: string) => void,
): Thread<Message> {
  const worker = new Worker(file, { name, workerData, resourceLimits: threadLimits() })
  const asked = new Slots<{ resolve(value: unknown): void; reject(error: Error): void }>()
  let ending = false
  const die = (reason: string) => {
    for (const { reject } of asked.takeAll()) reject(new Error(reason))
    if (!ending) onDeath(reason)
    ending = true
  }
  const hearAnswer = ({ id, value, error }: Returned) => {
    const waiting = asked.take(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(Object.assign(new Error(error.message), { code: error.code }))
  }
  const questions = inBatches<{ id: number }>(
    (messages) => worker.postMessage(messages),
    ({ id }, error) => hearAnswer({ id, error: thrown(error) }),
  )
  worker.on('message', (message: Returned[] | { type: string }) => {
    if (Array.isArray(message)) for (const answer of message) hearAnswer(answer)
    else onMessage(message as never)
  })
  worker.on('error', (error) => die(error instanceof Error ? error.message : String(error)))
  worker.on('exit', () => die('the thread ended'))
  return {
    worker,
    post(message) {
      // What was asked before arrives before.
      questions.flush()
      worker.postMessage(message)
    },
    ask: <T>(message: object) =>
      new Promise<T>((resolve, reject) => {
        if (ending) return reject(new Error('the thread ended'))
        const id = asked.add({ resolve: resolve as (value: unknown) => void, reject })
        questions.add({ ...message, id })
      }),
    async end() {
      ending = true
      await worker.terminate()
    },
  }
}
