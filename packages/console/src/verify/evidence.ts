// What the reader put in, as text in pieces. Pasted text stays a string: making bytes of it would mend lone surrogates
// that the verifier has to see.
export type Evidence = { name: string; content: Blob | string }

export const sizeOfEvidence = ({ content }: Evidence): number =>
  typeof content === 'string' ? content.length : content.size

/** What a file holds when it is not UTF-8. */
export class NotUtf8 extends Error {}

export const PIECE = 1 << 20

/** Decoded as the verifier decodes: strictly, and keeping a byte order mark. */
export async function* piecesOf({ content }: Evidence): AsyncGenerator<string> {
  if (typeof content === 'string') {
    for (let at = 0; at < content.length; at += PIECE) yield content.slice(at, at + PIECE)
    return
  }
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (let at = 0; at < content.size; at += PIECE) {
    const bytes = await content.slice(at, at + PIECE).arrayBuffer()
    yield decoded(decoder, bytes, at + PIECE < content.size)
  }
}

function decoded(decoder: TextDecoder, bytes: ArrayBuffer, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw new NotUtf8()
  }
}

/** Joins pieces into lines as `linesOf` cuts a whole text: what follows the last newline counts unless it is empty. */
export class LineCutter {
  private rest = ''

  push(piece: string): string[] {
    const lines = piece.split('\n')
    lines[0] = this.rest + lines[0]
    this.rest = lines.pop() as string
    return lines
  }

  /** Length of the line that has not ended yet. */
  get waiting(): number {
    return this.rest.length
  }

  end(): string[] {
    return this.rest === '' ? [] : [this.rest]
  }
}
