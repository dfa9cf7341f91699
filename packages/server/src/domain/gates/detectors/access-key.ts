// Keys that carry their issuer in front. Prefix, length and alphabet must fit, and the checksum where the issuer
// publishes one: a key that only looks right is held for a person.
import { tokenChecksum } from './checksums.ts'
import { isAlnumCode, isInsideWord, type Match } from './scanner.ts'

/** One kind of key, as it stands in the rules data. */
export interface KeyShape {
  prefix: string
  /** Length of the body after the prefix. */
  least: number
  most: number
  alphabet: 'upper' | 'alnum' | 'url' | 'dashed' | 'base64'
  checksum?: 'crc32-base62'
  /** Text that must stand in the body at some place, as the dots of a compound token. */
  contains?: string
}

const EXTRA: Record<KeyShape['alphabet'], string> = { upper: '', alnum: '', url: '_-', dashed: '-', base64: '+/=' }
const SPECIMEN_MARKS = ['EXAMPLE', 'example', 'XXXX', 'xxxx', '0000000000', '1234567890']

export function accessKeys(text: string, shapes: readonly KeyShape[]): Match[] {
  const found: Match[] = []
  for (const shape of shapes) {
    const { prefix } = shape
    for (let from = text.indexOf(prefix); from >= 0; from = text.indexOf(prefix, from + prefix.length)) {
      const match = isInsideWord(text, from) ? null : keyAt(text, from, shape)
      if (match) found.push(match)
    }
  }
  return found
}

function keyAt(text: string, from: number, shape: KeyShape): Match | null {
  const begin = from + shape.prefix.length
  let to = begin
  while (to - begin <= shape.most && isOf(text.charCodeAt(to), shape)) to++
  const body = text.slice(begin, to)
  if (body.length < shape.least || body.length > shape.most) return null
  if (shape.contains !== undefined && !body.includes(shape.contains)) return null
  const severity = severityOf(body, shape)
  return { from, to, value: text.slice(from, to), ...(severity ? { severity } : {}) }
}

function severityOf(body: string, shape: KeyShape): 'note' | 'hold' | undefined {
  if (SPECIMEN_MARKS.some((mark) => body.includes(mark)) || distinct(body) < 5) return 'note'
  return shape.checksum && !tokenChecksum(body) ? 'hold' : undefined
}

const distinct = (body: string): number => new Set(body).size

function isOf(code: number, { alphabet, contains }: KeyShape): boolean {
  if (alphabet === 'upper') return (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
  const letter = String.fromCharCode(code)
  return isAlnumCode(code) || EXTRA[alphabet].includes(letter) || letter === contains
}
