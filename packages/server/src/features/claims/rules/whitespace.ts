/** The closed list of whitespace. Not the host's own: JavaScript, Python and a reader's eye each have another one, and
 *  what counts as blank decides states. A zero-width space is not in it. */
const SINGLES = [0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]
const MEMBERS = new Set([...SINGLES, ...range(0x09, 0x0d), ...range(0x2000, 0x200a)])

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

export const isWhitespace = (point: number): boolean => MEMBERS.has(point)

/** As the inside of a character class, for the published schemas. */
export const WHITESPACE_CLASS = [...MEMBERS]
  .sort((a, b) => a - b)
  .map((point) => `\\u${point.toString(16).padStart(4, '0')}`)
  .join('')

/** All of the list lies in the basic plane, so units and code points agree here. */
export function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhitespace(text.charCodeAt(start))) start += 1
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** Absent counts as blank. */
export const isBlank = (text: string | undefined): boolean => text === undefined || trim(text) === ''
