/** Messages are examined as one text, so that nothing hides between two of them; what is found is told by where it stands
 *  in the message. */
import type { Finding } from '../gates/finding.ts'

export interface Part {
  /** JSON Pointer of the text in the request. */
  pointer: string
  text: string
}

/** Between two parts. */
const GAP = '\n'

export const joined = (parts: readonly Part[]): string => parts.map(({ text }) => text).join(GAP)

/** A finding that lies within one part gets its pointer and its own offsets; one that reaches over the gap keeps the
 *  offsets of the whole. */
export function located(findings: readonly Finding[], parts: readonly Part[]): Finding[] {
  let end = 0
  const places = parts.map(({ pointer, text }) => {
    const start = end
    const length = [...text].length
    end += length + GAP.length
    return { pointer, start, end: start + length }
  })
  return findings.map((finding) => {
    if (finding.pointer !== null) return finding
    const place = places.find(({ start, end: last }) => finding.start >= start && finding.end <= last)
    if (place === undefined) return finding
    const { pointer, start } = place
    return { ...finding, pointer, start: finding.start - start, end: finding.end - start }
  })
}
