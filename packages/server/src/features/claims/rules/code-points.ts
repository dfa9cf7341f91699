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

export function countCodePoints(text: string): number {
  let count = text.length
  // The second half of a pair is the one that is no code point of its own.
  for (let unit = 0; unit < text.length; unit += 1) if ((text.charCodeAt(unit) & 0xfc00) === 0xdc00) count -= 1
  return count
}

/** The first `most` code points: what a message may repeat of a caller's text. */
export function firstCodePoints(text: string, max: number): string {
  if (text.length <= max) return text
  let cut = ''
  let count = 0
  for (const point of text) {
    if (count === max) break
    cut += point
    count += 1
  }
  return cut
}
