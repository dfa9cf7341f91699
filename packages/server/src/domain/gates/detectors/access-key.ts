/** Keys that carry their issuer in front. Prefix, length and alphabet must fit, and the checksum where the issuer
 *  publishes one: a key that only looks right is held for a person. */
import { tokenChecksum } from './checksums.ts'
import { isPlaceholder } from './placeholder.ts'
import { isAlnumCode, isGluedBefore, type Match, runEnd } from './scanner.ts'

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
/** Published as examples by those who issue the real ones: they end so, and the issuer fixes the length. */
const SPECIMEN_END = 'EXAMPLE'

export function accessKeys(text: string, shapes: readonly KeyShape[]): Match[] {
  const found: Match[] = []
  for (const shape of shapes) {
    const { prefix } = shape
    for (let from = text.indexOf(prefix); from >= 0; from = text.indexOf(prefix, from + prefix.length)) {
      const match = isGluedBefore(text, from) ? null : keyAt(text, from, shape)
      if (match) found.push(match)
    }
  }
  return found
}

function keyAt(text: string, from: number, shape: KeyShape): Match | null {
  const begin = from + shape.prefix.length
  const to = runEnd(text, begin, (code) => isOf(code, shape), shape.most + 1)
  const body = text.slice(begin, Math.min(to, begin + shape.most))
  if (body.length < shape.least || !holdsAll(body, shape)) return null
  const severity = severityOf(body, shape, to - begin > shape.most)
  return { from, to, value: text.slice(from, to), ...(severity ? { severity } : {}) }
}

const holdsAll = (body: string, { contains }: KeyShape): boolean => contains === undefined || body.includes(contains)

/** More letters than the key has may be written behind it to hide it: only a checksum tells, else a person. */
function severityOf(body: string, shape: KeyShape, longer: boolean): 'note' | 'hold' | undefined {
  if (!longer && isSpecimen(body, shape)) return 'note'
  if (shape.checksum) return tokenChecksum(body) ? undefined : 'hold'
  return longer ? 'hold' : undefined
}

function isSpecimen(body: string, { alphabet, least, most }: KeyShape): boolean {
  const published = alphabet === 'upper' && least === most && body.endsWith(SPECIMEN_END)
  return published || isPlaceholder(body) || new Set(body).size < 5
}

function isOf(code: number, { alphabet, contains }: KeyShape): boolean {
  if (alphabet === 'upper') return (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
  const letter = String.fromCharCode(code)
  return isAlnumCode(code) || EXTRA[alphabet].includes(letter) || letter === contains
}
