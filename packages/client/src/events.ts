// The ledger as it grows: one event per receipt, in order, each once, across lost connections.
import { errorOf, OrchError, OrchUnreachable } from './errors.ts'
import { addressOf, rowOf } from './request.ts'
import { isTransient } from './retry.ts'
import { type SseEvent, SseParser } from './sse.ts'
import type { Transport } from './transport.ts'

export type LedgerEvent = {
  /** The receipt's node_index; hand it back as `after` to go on from here. -1 where everything begins anew. */
  id: number
  /** `reset`: the ledger is shorter than what was seen of it, so it was rolled back or is another one. */
  event: 'receipt' | 'reset'
  data: unknown
}

export type EventOptions = {
  /** The last node_index that was seen; -1 for everything from the beginning. Without it: what is new from now on. */
  after?: number
  /** Filters as the service takes them in the query. */
  filters?: Record<string, string | number | undefined>
  signal?: AbortSignal
  /** For a screen that shows whether it is up to date. */
  onConnection?: (state: 'open' | 'lost') => void
}

/** The service says something at least every 15 seconds. */
const MAX_SILENCE_MS = 45_000
const EVENTS = rowOf('receipts.events')

/** Ends when the signal is aborted. A first connection that fails for good throws; one that was lost is sought again. */
export async function* followEvents(transport: Transport, options: EventOptions): AsyncGenerator<LedgerEvent> {
  const signal = options.signal ?? new AbortController().signal
  let after = options.after
  let tried = 0
  let everOpen = false
  while (!signal.aborted) {
    try {
      for await (const event of connection(transport, after, options, signal)) {
        everOpen = true
        tried = 0
        if (event === 'open') continue
        // A server that repeats what was seen cannot make it appear twice; one that goes back has to say so.
        if (event.event === 'receipt' && after !== undefined && event.id <= after) continue
        after = event.id
        yield event
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isWorthAnotherTry(error) || (!everOpen && tried >= transport.retries)) throw error
    }
    if (signal.aborted) return
    options.onConnection?.('lost')
    try {
      await transport.pauseBefore(tried, signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    tried += 1
  }
}

const isWorthAnotherTry = (error: unknown): boolean =>
  error instanceof OrchUnreachable || (error instanceof OrchError && isTransient(error.status))

async function* connection(
  transport: Transport,
  after: number | undefined,
  { filters = {}, onConnection }: EventOptions,
  signal: AbortSignal,
): AsyncGenerator<LedgerEvent | 'open'> {
  const url = addressOf('', EVENTS, { query: { ...filters, after } })
  const headers = { accept: 'text/event-stream' }
  const gone = new AbortController()
  const response = await transport.open(url, headers, AbortSignal.any([signal, gone.signal]))
  try {
    if (!response.ok || !response.body) throw await refusalOf(response)
    onConnection?.('open')
    yield 'open'
    yield* eventsIn(response.body, transport.baseUrl, signal)
  } finally {
    gone.abort()
  }
}

async function refusalOf(response: Response): Promise<OrchError> {
  const body: unknown = await response.json().catch(() => null)
  return errorOf(response.status, response.headers, body)
}

async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  baseUrl: string,
  signal: AbortSignal,
): AsyncGenerator<LedgerEvent> {
  const parser = new SseParser()
  const reader = body.getReader()
  for (;;) {
    const chunk = await nextChunk(reader, baseUrl, signal)
    if (chunk.done) return
    for (const event of parser.push(chunk.value)) {
      const read = readEvent(event)
      if (read) yield read
    }
  }
}

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, baseUrl: string, signal: AbortSignal) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream fell silent')), MAX_SILENCE_MS)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new OrchUnreachable(baseUrl, error)
  } finally {
    clearTimeout(timer)
  }
}

/** Anything else, such as the farewell of a service that stops, carries no receipt. */
function readEvent({ id, event, data }: SseEvent): LedgerEvent | null {
  const read = parsed(data)
  if (read === undefined) return null
  if (event === 'reset') return { id: -1, event, data: read }
  if (event !== 'receipt' || id === null || !/^(?:0|[1-9]\d{0,15})$/.test(id)) return null
  return { id: Number(id), event, data: read }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
