/** A secret next to its name. The name is common in prose and code, so the value must look drawn by chance. */
import { isPlaceholder } from './placeholder.ts'
import { isAlnumCode, isInsideWord, lowered, type Match, places, runEnd, skipBlanks } from './scanner.ts'

const MIN_LENGTH = 16
const MAX_VALUE = 512
/** As much of a value tells whether chance drew it; names in a row would make every one of them read the rest. */
const JUDGED = 64
const MIN_BITS = 3.5
/** Published by the issuer as an example of one. */
const SPECIMENS = ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY']

export function secretAssignments(text: string, names: readonly string[], label: string): Match[] {
  const found: Match[] = text.includes('=') || text.includes(':') ? assigned(text, names) : []
  return labelled(text, names, label) ? [...found, { from: 0, to: text.length, value: text }] : found
}

function assigned(text: string, names: readonly string[]): Match[] {
  const lower = lowered(text)
  const named = names
    .flatMap((name) => places(lower, name).map((from) => ({ from, to: from + name.length })))
    .filter(({ from }) => isSuffixOf(text, from))
    .sort((a, b) => a.from - b.from)
  const found: Match[] = []
  let behind = 0
  for (const { from, to } of named) {
    const match = from < behind ? null : assignedAt(text, from, to)
    if (match) found.push(match)
    behind = match ? match.to : behind
  }
  return found
}

/** `db_password` and `DB-TOKEN` count, `compassword` does not. */
function isSuffixOf(text: string, from: number): boolean {
  return !isInsideWord(text, from) || text.charAt(from - 1) === '_'
}

function assignedAt(text: string, from: number, nameEnd: number): Match | null {
  const sign = skipBlanks(text, skipQuote(text, nameEnd), 4)
  if (text.charAt(sign) !== '=' && text.charAt(sign) !== ':') return null
  const begin = skipQuote(text, skipBlanks(text, text.charAt(sign + 1) === '=' ? sign + 2 : sign + 1, 4))
  const judged = text.slice(begin, runEnd(text, begin, isValue, JUDGED))
  if (!isSecret(judged) || isJoinedWords(judged, text.slice(from, nameEnd))) return null
  const to = runEnd(text, begin, isValue, MAX_VALUE)
  if (isCall(text, begin, to)) return null
  const value = text.slice(begin, to)
  return { from, to, value, ...(SPECIMENS.includes(value) ? { severity: 'note' as const } : {}) }
}

const skipQuote = (text: string, at: number): number => ('"\'`'.includes(text.charAt(at) || ' ') ? at + 1 : at)
const isValue = (code: number): boolean => isAlnumCode(code) || '!#$%&*+-./:=?@^_~'.includes(String.fromCharCode(code))

/** The value of a key of the context, which JSON parted from its name. */
function labelled(text: string, names: readonly string[], label: string): boolean {
  if (label === '' || text.length > MAX_VALUE || /\s/.test(text)) return false
  const key = label.toLowerCase()
  const judged = text.slice(0, JUDGED)
  return names.some((name) => key.endsWith(name) && !isJoinedWords(judged, name)) && isSecret(judged)
}

/** The name of a function before its arguments. Names with digits are not told from what chance draws. */
const isCall = (text: string, from: number, to: number): boolean =>
  text.charAt(to) === '(' && /^[A-Za-z$]{1,64}$/.test(text.slice(from, to))

const WORD = /^(?:[a-z]{1,3}|[a-z]{0,16}[aeiouy][a-z]{0,16}|[0-9]{1,4})$/

/** Words and short numbers between hyphens name something, as a page or a build; people choose passwords so as well. */
function isJoinedWords(judged: string, name: string): boolean {
  if (judged.length === JUDGED || /^pass|^pwd$/i.test(name)) return false
  const words = judged.split('-')
  return words.length > 1 && words.every((word) => WORD.test(word))
}

function isSecret(value: string): boolean {
  if (value.length < MIN_LENGTH || value.startsWith('http') || value.startsWith('/')) return false
  return isMixed(value) && bitsPerLetter(value) >= MIN_BITS && !isReference(value) && !isPlaceholder(value)
}

/** A name of the program, as in `token = request.headers.authorization`, spreads its letters as well as a secret. */
function isMixed(value: string): boolean {
  if (/[0-9]/.test(value)) return true
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && !/[._-]/.test(value)
}

const ENVIRONMENTS = ['process.env.', 'import.meta.env.', 'os.environ.', 'env.', 'secrets.', 'vars.']

/** Where the secret is kept, not what it is: the rest must be a name in one case, which chance does not draw. */
function isReference(value: string): boolean {
  const place = ENVIRONMENTS.find((environment) => value.startsWith(environment))
  if (place === undefined) return false
  const name = value.slice(place.length)
  return !/[^A-Z0-9_]/.test(name) || !/[^a-z_]/.test(name)
}

function bitsPerLetter(value: string): number {
  const counts = new Map<string, number>()
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
