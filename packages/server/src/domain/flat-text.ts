/** Texts in one piece of memory. V8 keeps a concatenation as a rope and a slice as a window into the text it came from; one
 *  of either in a reply, and JSON.stringify takes the slow way for the whole of it. */

export const joined = (...parts: readonly string[]): string => parts.join('')

/** ASCII, in chunks of `width` characters. */
export function chunksOf(text: string, width: number): string[] {
  const bytes = Buffer.from(text, 'latin1')
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += width) chunks.push(bytes.toString('latin1', at, at + width))
  return chunks
}
