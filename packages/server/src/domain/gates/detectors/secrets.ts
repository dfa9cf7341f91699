/** Secrets by their own form: keys of known issuers, private keys, signed tokens and passwords inside addresses. */

import { base64urlDecode } from '@orch/core'
import { tokenChecksum } from './checksums.ts'
import { isPlaceholder } from './placeholder.ts'
import { isAlnumCode, isGluedBefore, type Match, places, runEnd, runStart } from './scanner.ts'

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

/** Keys that carry their issuer in front. Prefix, length and alphabet must fit, and the checksum where the issuer
 *  publishes one: a key that only looks right waits for a person. */
export function accessKeys(text: string, shapes: readonly KeyShape[]): Match[] {
  const found: Match[] = []
  for (const shape of shapes) {
    const { prefix } = shape
    for (const from of places(text, prefix)) {
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

const MIN_BODY = 64
const MAX_BODY = 16_384

/** The markers alone are documentation; with the start of a body it is a key. */
export function privateKeyBlocks(text: string): Match[] {
  const found: Match[] = []
  for (const from of places(text, '-----BEGIN ')) {
    const header = text.slice(from, from + 64)
    const close = header.indexOf('-----', 11)
    const kind = close < 0 ? '' : header.slice(11, close)
    if (!kind.includes('PRIVATE KEY')) continue
    const body = bodyFrom(text, from + close + 5)
    if (body.letters.length >= MIN_BODY) found.push({ from, to: body.to, value: body.letters })
  }
  return found
}

/** Base64 letters up to the end marker; the headers of an encrypted key and written-out line breaks are passed over. */
function bodyFrom(text: string, from: number): { letters: string; to: number } {
  const end = text.indexOf('-----', from)
  const to = Math.min(end < 0 ? text.length : end, from + MAX_BODY)
  const words = text.slice(from, to).replaceAll('\\n', '\n').replaceAll('\\r', '').split(/\s/)
  const letters = words.filter((word) => !/[:,]/.test(word)).flatMap((word) => [...word].filter(isBase64))
  return { letters: letters.join(''), to: to === end ? endMarker(text, to) : to }
}

function endMarker(text: string, at: number): number {
  const close = text.slice(at, at + 64).indexOf('-----', 5)
  return close < 0 ? at : at + close + 5
}

const isBase64 = (letter: string): boolean => isAlnumCode(letter.charCodeAt(0)) || letter === '+' || letter === '/'

const MAX_PART = 8192
const strict = new TextDecoder('utf-8', { fatal: true })

/** Three parts, a header that names its algorithm, and a signature: what a server would take as proof. */
export function signedTokens(text: string): Match[] {
  const found: Match[] = []
  for (const from of places(text, 'eyJ')) {
    if (isGluedBefore(text, from)) continue
    const header = partEnd(text, from)
    const payload = text.charAt(header) === '.' ? partEnd(text, header + 1) : -1
    const to = payload > header + 1 && text.charAt(payload) === '.' ? partEnd(text, payload + 1) : -1
    if (to > payload + 16 && namesAlgorithm(text.slice(from, header)))
      found.push({ from, to, value: text.slice(from, to) })
  }
  return found
}

const isPart = (code: number): boolean => isAlnumCode(code) || code === 95 || code === 45
const partEnd = (text: string, from: number): number => runEnd(text, from, isPart, MAX_PART)

function namesAlgorithm(part: string): boolean {
  const bytes = base64urlDecode(part)
  if (!bytes) return false
  try {
    const header: unknown = JSON.parse(strict.decode(bytes))
    const alg = typeof header === 'object' && header !== null && 'alg' in header ? header.alg : undefined
    return typeof alg === 'string' && alg !== 'none'
  } catch (refused) {
    if (refused instanceof SyntaxError || refused instanceof TypeError) return false
    throw refused
  }
}

const MAX_AUTHORITY = 256
const MAX_SCHEME = 24
const MIN_PASSWORD = 6

/** A password inside an address: it ends up in logs, histories and referrers wherever the address goes. */
export function credentialUrls(text: string): Match[] {
  return places(text, '://').flatMap((at): Match[] => {
    const authority = authorityAt(text, at + 3)
    const sign = authority.lastIndexOf('@')
    const colon = authority.indexOf(':')
    if (sign < 0 || colon < 0 || colon > sign) return []
    const [user, password, host] = [
      authority.slice(0, colon),
      authority.slice(colon + 1, sign),
      authority.slice(sign + 1),
    ]
    if (!isPassword(user, password)) return []
    return [
      {
        from: runStart(text, at, isScheme, MAX_SCHEME),
        to: at + 3 + sign,
        value: password,
        ...(isOwnMachine(host) ? { severity: 'note' as const } : {}),
      },
    ]
  })
}

function authorityAt(text: string, from: number): string {
  const window = text.slice(from, from + MAX_AUTHORITY)
  const end = window.search(/[/?#\s"'`<>\\]/)
  return end < 0 ? window : window.slice(0, end)
}

const isScheme = (code: number): boolean => isAlnumCode(code) || '+.-'.includes(String.fromCharCode(code))

/** No variable, no mask and no word that stands for one. */
function isPassword(user: string, password: string): boolean {
  if (password.length < MIN_PASSWORD || /[$<>{}*[\]]|^%[a-z]|x{4}|\.{3}/i.test(password)) return false
  return password.toLowerCase() !== user.toLowerCase() && !isPlaceholder(password)
}

const isOwnMachine = (host: string): boolean => /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::|$)/.test(host)
