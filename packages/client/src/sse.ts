// Server-sent events from chunks of bytes, however they are cut.

export type SseEvent = { id: string | null; event: string; data: string }

/** One event larger than this is not one of ours: nobody may grow the buffer without end. */
const MAX_EVENT = 1_048_576

export class SseParser {
  private readonly decoder = new TextDecoder('utf-8')
  private rest = ''
  private id: string | null = null
  private event = ''
  private data: string[] = []
  private size = 0

  /** The events that these bytes complete. Throws when one grows beyond all bounds. */
  push(bytes: Uint8Array): SseEvent[] {
    this.rest += this.decoder.decode(bytes, { stream: true })
    const found: SseEvent[] = []
    for (let end = lineEnd(this.rest); end !== null; end = lineEnd(this.rest)) {
      const line = this.rest.slice(0, end.at)
      this.rest = this.rest.slice(end.next)
      const event = line === '' ? this.complete() : this.field(line)
      if (event) found.push(event)
    }
    if (this.rest.length + this.size > MAX_EVENT) throw new RangeError('an event is larger than 1 MiB')
    return found
  }

  private complete(): SseEvent | null {
    const event = { id: this.id, event: this.event || 'message', data: this.data.join('\n') }
    const isEmpty = this.data.length === 0
    this.event = ''
    this.data = []
    this.size = 0
    return isEmpty ? null : event
  }

  private field(line: string): null {
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') {
      this.data.push(value)
      this.size += value.length
    } else if (name === 'event') this.event = value
    else if (name === 'id' && !value.includes('\0')) this.id = value
    return null
  }
}

/** A carriage return at the very end may be the first half of a CRLF: it waits for what follows. */
function lineEnd(text: string): { at: number; next: number } | null {
  const at = text.search(/[\r\n]/)
  if (at < 0 || (text[at] === '\r' && at === text.length - 1)) return null
  return { at, next: text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1 }
}
