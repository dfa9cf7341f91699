/** Server-sent events from a stranger: bytes cut anywhere, lines of any length, any line ending. */

/** Longer than any chunk of a completion; a line that goes on beyond it is no event. */
export const MOST_EVENT_BYTES = 1024 * 1024

export class EventStreamFault extends Error {}

/** The data of each event, in order. An event that is not ended by an empty line is not one. */
export async function* eventData(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const event = new EventLines()
  for await (const line of linesOf(parts)) {
    const data = event.add(line)
    if (data !== null) yield data
  }
}

class EventLines {
  #data: string[] = []
  #size = 0

  /** The event’s data when the line ends it. */
  add(line: string): string | null {
    if (line === '') return this.#end()
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field !== 'data') return null
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    this.#size += value.length + 1
    if (this.#size > MOST_EVENT_BYTES) throw new EventStreamFault('the event is too long')
    this.#data.push(value)
    return null
  }

  #end(): string | null {
    if (this.#data.length === 0) return null
    const data = this.#data.join('\n')
    this.#data = []
    this.#size = 0
    return data
  }
}

async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  // A CR at the end of a part may be half of a CRLF: it is not a line ending until the next character is known.
  const take = (text: string, last: boolean): string[] => {
    const lines = (rest + text).split(last ? /\r\n|\r|\n/ : /\r\n|\r(?!$)|\n/)
    rest = lines.pop()!
    if (rest.length > MOST_EVENT_BYTES) throw new EventStreamFault('the line is too long')
    return lines
  }
  for await (const part of parts) yield* take(decode(decoder, part), false)
  yield* take(decode(decoder, undefined), true)
}

function decode(decoder: TextDecoder, part: Uint8Array | undefined): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true })
  } catch (error) {
    if (error instanceof TypeError) throw new EventStreamFault('the stream is not UTF-8')
    throw error
  }
}
