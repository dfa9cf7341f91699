/** Public addresses of the internet. Private, local and documented ones are nobody's. */
import type { Group } from './digits.ts'
import { type DetectorInput, isAlnumCode, isDigitCode, isLetterCode, type Match, runEnd, runStart } from './scanner.ts'

export function ipAddresses({ text, series }: DetectorInput): Match[] {
  return [...series().flatMap((groups) => fourParts(text, groups)), ...sixteenBytes(text)].sort(
    (one, other) => one.from - other.from,
  )
}

/** Four groups parted by dots, no more and no fewer. */
function fourParts(text: string, groups: readonly Group[]): Match[] {
  const found: Match[] = []
  for (let at = 0; at + 4 <= groups.length; ) {
    const end = dottedEnd(groups, at)
    const octets = end - at === 4 ? groups.slice(at, end).map(({ digits }) => digits) : []
    const [from, to] = [(groups[at] as Group).from, (groups[end - 1] as Group).to]
    if (octets.length > 0 && octets.every(isOctet) && isPublic(octets.map(Number)) && isAlone(text, from, to))
      found.push({ from, to, value: octets.join('.') })
    at = end
  }
  return found
}

/** One past the groups that dots join to the first. */
function dottedEnd(groups: readonly Group[], from: number): number {
  let end = from + 1
  while (end < groups.length && groups[end - 1]?.separator === '.') end++
  return end
}

const isOctet = (digits: string): boolean => digits.length <= 3 && Number(digits) < 256 && !/^0[0-9]/.test(digits)

function isPublic([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false
  if (a === 100) return b < 64 || b > 127
  if (a === 169) return b !== 254
  if (a === 172) return b < 16 || b > 31
  if (a === 192) return b !== 168 && !(b === 0 && (c === 0 || c === 2))
  if (a === 198) return b !== 18 && b !== 19 && !(b === 51 && c === 100)
  return !(a === 203 && b === 0 && c === 113)
}

const OTHER = /(?:version|release|build|section|chapter|oid|firmware|driver|v|ver|rev)[ .:=-]{0,2}$/i

function isAlone(text: string, from: number, to: number): boolean {
  const before = text.charCodeAt(from - 1)
  if (isAlnumCode(before) || before === 95 || isLetterCode(text.charCodeAt(to)) || text.charCodeAt(to) === 95)
    return false
  return !OTHER.test(text.slice(Math.max(0, from - 12), from))
}

const MAX_WRITTEN = 45
const isHex = (code: number): boolean => isDigitCode(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
const isPart = (code: number): boolean => isHex(code) || code === 58

/** Global unicast alone, which begins with 2 or 3: times, scopes and hardware addresses have colons too. */
function sixteenBytes(text: string): Match[] {
  const found: Match[] = []
  for (let colon = text.indexOf(':'); colon >= 0; ) {
    const from = runStart(text, colon, isHex, 5)
    const to = runEnd(text, colon, isPart, MAX_WRITTEN)
    const value = text.slice(from, to).toLowerCase()
    if (isGlobal(value) && !isAlnumCode(text.charCodeAt(from - 1)) && !isAlnumCode(text.charCodeAt(to)))
      found.push({ from, to, value })
    colon = text.indexOf(':', to)
  }
  return found
}

function isGlobal(value: string): boolean {
  if (!/^[23][0-9a-f]{3}:/.test(value) || value.startsWith('2001:db8:')) return false
  const halves = value.split('::')
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (halves.length > 2 || parts.some((part) => part === '' || part.length > 4)) return false
  return halves.length === 2 ? parts.length >= 2 && parts.length < 8 : parts.length === 8
}
