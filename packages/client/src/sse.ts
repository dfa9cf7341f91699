// Server-sent events from chunks of bytes, however they are cut.
import { createParser } from 'eventsource-parser'

export type SseEvent = { id: string | null; event: string; data: string }

/** One event larger than this is not one of ours: nobody may grow the buffer without end. */
const MAX_EVENT = 1_048_576

export class SseParser {
  private readonly decoder = new TextDecoder('utf-8')
  private id: string | null = null
  private found: SseEvent[] = []
  private readonly parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ id, event, data }) => {
      // The id counts until another one is sent.
      this.id = id ?? this.id
      this.found.push({ id: this.id, event: event ?? 'message', data })
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new RangeError('an event is larger than 1 MiB')
    },
  })

  /** The events that these bytes complete. Throws when one grows beyond all bounds. */
  push(bytes: Uint8Array): SseEvent[] {
    this.found = []
    this.parser.feed(this.decoder.decode(bytes, { stream: true }))
    return this.found
  }
}
