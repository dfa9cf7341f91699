/** Server-sent events from outside: bytes cut anywhere, lines of any length, any line ending. */
import { createParser } from 'eventsource-parser'

/** Longer than any chunk of a completion; what goes on beyond it is no event. */
export const MAX_EVENT_BYTES = 1024 * 1024

export class EventStreamFault extends Error {}

/** The data of each event, in order. An event that is not ended by an empty line is not one. */
export async function* eventData(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const ready: string[] = []
  const parser = createParser({
    maxBufferSize: MAX_EVENT_BYTES,
    onEvent: ({ data }) => ready.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new EventStreamFault('the event is too long')
    },
  })
  let last = ''
  for await (const part of parts) {
    const text = decode(decoder, part)
    last = text.at(-1) ?? last
    parser.feed(text)
    yield* ready.splice(0)
  }
  // A carriage return at the very end waits in the parser for its line feed.
  parser.feed(decode(decoder, undefined) + (last === '\r' ? '\n' : ''))
  yield* ready
}

function decode(decoder: TextDecoder, part: Uint8Array | undefined): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true })
  } catch (error) {
    if (error instanceof TypeError) throw new EventStreamFault('the stream is not UTF-8')
    throw error
  }
}
