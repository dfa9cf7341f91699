/** Messages are examined as one text, so that nothing hides between two of them, but those of tools apart from the others;
 *  what is found is told by where it stands in the request. */

import type { TextPart } from '../../../domain/decision/examine.ts'
import type { Finding, Origin } from '../../../domain/gates/finding.ts'
import { codePoints } from '../../../domain/text/code-points.ts'

export interface Part {
  /** JSON Pointer of the text in the request. */
  pointer: string
  text: string
  origin: Origin
  /** JSON Pointer of the list of which the text is one part; null where it stands alone. */
  list: string | null
}

export const within = (pointer: string, step: string | number): string => `${pointer}/${step}`

/** Between two parts. */
const GAP = '\n'

export const joined = (parts: readonly Part[]): string => parts.map(({ text }) => text).join(GAP)

/** What a message with this role holds: text of a tool is data, whoever hands it in. */
export const originOf = (role: unknown): Origin => (role === 'tool' || role === 'function' ? 'tool' : 'user')

/** How the text is told apart by origin; nothing where all of it is of one. */
export function partsOf(parts: readonly Part[]): { parts?: readonly TextPart[] } {
  if (new Set(parts.map(({ origin }) => origin)).size < 2) return {}
  const gapAfter = (at: number): number => (at < parts.length - 1 ? GAP.length : 0)
  return { parts: parts.map(({ text, origin }, at) => ({ units: text.length + gapAfter(at), origin })) }
}

/** The parts of one message as a target may read them, side by side: a gap between them would part a value, no gap would
 *  hide the beginning of a word, so they are examined both ways. */
export function together(parts: readonly Part[]): string[] {
  return listsOf(parts).map(({ text }) => text)
}

function listsOf(parts: readonly Part[]): { pointer: string; text: string }[] {
  const lists = Map.groupBy(
    parts.filter(({ text }) => text !== ''),
    ({ list }) => list,
  )
  return [...lists].flatMap(([pointer, members]) =>
    pointer === null || members.length < 2 ? [] : [{ pointer, text: members.map(({ text }) => text).join('') }],
  )
}

/** A finding within one part gets its pointer and its own offsets; one across a gap keeps the offsets of the whole. */
export function located(findings: readonly Finding[], parts: readonly Part[]): Finding[] {
  let end = 0
  const places = parts.map(({ pointer, text }) => {
    const start = end
    const length = codePoints(text)
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

/** The same for findings of a context of two: the rest of the body, and the parts of its messages side by side. The
 *  latter are told by the pointer of their list, with offsets in its texts taken together. */
export function locatedInBody(findings: readonly Finding[], parts: readonly Part[]): Finding[] {
  const lists = listsOf(parts)
  const placed = findings.map((finding) => {
    const [, section, ...path] = finding.pointer?.split('/') ?? []
    if (section === '0') return { ...finding, pointer: path.map((step) => `/${step}`).join('') }
    return section === '1' ? { ...finding, pointer: lists[Number(path[0])]?.pointer ?? null } : finding
  })
  return located(placed, parts)
}
