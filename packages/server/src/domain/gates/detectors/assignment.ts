// A secret next to its name. The name is common in prose and code, so the value must look drawn by chance.
import { isAlnumCode, isInsideWord, lowered, type Match, places, skipBlanks } from './scanner.ts'

const LEAST_LENGTH = 16
const LONGEST_VALUE = 512
const LEAST_BITS = 3.5
const PLACEHOLDERS = [
  'your',
  'example',
  'placeholder',
  'changeme',
  'change_me',
  'xxxx',
  'redacted',
  'dummy',
  'sample',
  '****',
  'todo',
  'insert',
  'env.',
  'process.',
  'getenv',
  '${',
  '{{',
  '<',
  'secret_here',
  '123456',
  'abcdef',
]

export function secretAssignments(text: string, names: readonly string[], label: string): Match[] {
  const lower = lowered(text)
  const assigned = names.flatMap((name) =>
    [...places(lower, name)].flatMap((from) => {
      const match = isSuffixOf(text, from) ? assignedAt(text, from, from + name.length) : null
      return match ? [match] : []
    }),
  )
  return labelled(text, names, label) ? [...assigned, { from: 0, to: text.length, value: text }] : assigned
}

/** `db_password` and `DB-TOKEN` count, `compassword` does not. */
function isSuffixOf(text: string, from: number): boolean {
  return !isInsideWord(text, from) || text.charAt(from - 1) === '_'
}

function assignedAt(text: string, from: number, nameEnd: number): Match | null {
  const sign = skipBlanks(text, skipQuote(text, nameEnd), 4)
  if (text.charAt(sign) !== '=' && text.charAt(sign) !== ':') return null
  const begin = skipQuote(text, skipBlanks(text, text.charAt(sign + 1) === '=' ? sign + 2 : sign + 1, 4))
  let to = begin
  while (to - begin < LONGEST_VALUE && isValue(text.charCodeAt(to))) to++
  const value = text.slice(begin, to)
  return isSecret(value) ? { from, to, value } : null
}

const skipQuote = (text: string, at: number): number => ('"\'`'.includes(text.charAt(at) || ' ') ? at + 1 : at)
const isValue = (code: number): boolean => isAlnumCode(code) || '!#$%&*+-./:=?@^_~'.includes(String.fromCharCode(code))

/** The value of a key of the context, which JSON parted from its name. */
function labelled(text: string, names: readonly string[], label: string): boolean {
  const key = label.toLowerCase()
  return names.some((name) => key.endsWith(name)) && text.length <= LONGEST_VALUE && !/\s/.test(text) && isSecret(text)
}

function isSecret(value: string): boolean {
  if (value.length < LEAST_LENGTH || value.startsWith('http') || value.startsWith('/')) return false
  const lower = value.toLowerCase()
  return !PLACEHOLDERS.some((mark) => lower.includes(mark)) && bitsPerLetter(value) >= LEAST_BITS && isMixed(value)
}

/** A name of the program, as in `token = request.headers.authorization`, spreads its letters as well as a secret. */
function isMixed(value: string): boolean {
  if (/[0-9]/.test(value)) return true
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && !/[._-]/.test(value)
}

function bitsPerLetter(value: string): number {
  const counts = new Map<string, number>()
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
