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
