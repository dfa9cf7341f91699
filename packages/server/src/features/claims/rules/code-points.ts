import { canonicalize } from '@orch/core'

/** A text by its code points, with the way back to UTF-16 units. */
export interface CodePoints {
  text: string
  points: Uint32Array
  /** Unit offset of every code point, and of the end. */
  units: Uint32Array
}

export function codePoints(text: string): CodePoints {
  const points = new Uint32Array(text.length)
  const units = new Uint32Array(text.length + 1)
  let count = 0
  for (let unit = 0; unit < text.length; count += 1) {
    const point = text.codePointAt(unit)!
    points[count] = point
    units[count] = unit
    unit += point > 0xffff ? 2 : 1
  }
  units[count] = text.length
  return { text, points: points.subarray(0, count), units: units.subarray(0, count + 1) }
}

export const slice = ({ text, units }: CodePoints, start: number, end: number): string =>
  text.slice(units[start], units[end])

/** The first `max` code points, which lie within twice as many units: what a message may repeat of a caller's text. */
export const firstCodePoints = (text: string, max: number): string =>
  text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join('')

/** UTF-16 puts U+E000..U+FFFF behind the pairs; bytes and code points put them before. */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return lifted(left) - lifted(right)
  }
  return a.length - b.length
}

/** Halves of pairs come behind every whole unit. */
const lifted = (unit: number): number => ((unit & 0xf800) === 0xd800 ? unit + 0x10000 : unit)

/** An order that does not depend on who sorts: by the UTF-8 bytes of the canonical form. */
export const inByteOrder = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, text: canonicalize(item) }))
    .sort((a, b) => compareCodePoints(a.text, b.text))
    .map(({ item }) => item)
