/** Server-sent events from outside: bytes cut anywhere, lines of any length, any line ending. */

/** Longer than any chunk of a completion; a line that goes on beyond it is no event. */
export const MAX_EVENT_BYTES = 1024 * 1024

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

  /** The event's data when the line ends it. */
  add(line: string): string | null {
    if (line === '') return this.#end()
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field !== 'data') return null
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    this.#size += value.length + 1
    if (this.#size > MAX_EVENT_BYTES) throw new EventStreamFault('the event is too long')
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
  const lines = new Lines()
  for await (const part of parts) yield* lines.take(decode(decoder, part))
  yield* lines.take(decode(decoder, undefined))
}

/** Looks at every character once, however small the parts are in which a long line comes. */
class Lines {
  #begun: string[] = []
  #size = 0
  #afterReturn = false

  take(part: string): string[] {
    // The other half of a line ending that was cut in two.
    const text = this.#afterReturn && part.startsWith('\n') ? part.slice(1) : part
    if (part !== '') this.#afterReturn = part.endsWith('\r')
    const [first, ...others] = text.split(/\r\n|\r|\n/)
    this.#begin(first!)
    return others.map((next) => {
      const line = this.#begun.join('')
      this.#begun = []
      this.#size = 0
      this.#begin(next)
      return line
    })
  }

  #begin(text: string): void {
    this.#size += text.length
    if (this.#size > MAX_EVENT_BYTES) throw new EventStreamFault('the line is too long')
    if (text !== '') this.#begun.push(text)
  }
}

function decode(decoder: TextDecoder, part: Uint8Array | undefined): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true })
  } catch (error) {
    if (error instanceof TypeError) throw new EventStreamFault('the stream is not UTF-8')
    throw error
  }
}
