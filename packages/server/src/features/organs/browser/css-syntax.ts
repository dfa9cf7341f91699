/** Style sheets taken apart as CSS Syntax says: rules with their blocks, and declarations. */

/** A rule where it has a block; otherwise a declaration or a statement. */
interface Item {
  prelude: string
  block: string | null
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const SPACE = /(?:\s|\/\*[\s\S]*?(?:\*\/|$))*/y
const TOP_SPACE = /(?:\s|<!--|-->|\/\*[\s\S]*?(?:\*\/|$))*/y
const STRING = /"(?:[^"\\\n\r\f]|\\[\s\S])*"?|'(?:[^'\\\n\r\f]|\\[\s\S])*'?/y
const ADDRESS = /\((?!\s*["'])(?:[^)\\]|\\[\s\S])*/y
const NAME_BEFORE = /(?:[\w-]|\\[0-9a-f]{1,6}\s?|\\.)+$/i

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Where the first of the stops stands outside of comments, strings, addresses and brackets; else the end. */
function scan(text: string, from: number, stops: string): number {
  const open: string[] = []
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at]!
    if (open.length === 0 && stops.includes(letter)) return at
    if (letter === '\\') at += 1
    else if (letter === '"' || letter === "'") at = endOf(STRING, text, at) - 1
    else if (text.startsWith('/*', at)) at = endOf(SPACE, text, at) - 1
    else if (letter === '(' && isAddress(text, at)) at = endOf(ADDRESS, text, at)
    else if (letter in CLOSING) open.push(CLOSING[letter]!)
    else if (letter === open.at(-1)) open.pop()
  }
  return text.length
}

const isAddress = (text: string, at: number): boolean =>
  unescaped(NAME_BEFORE.exec(text.slice(Math.max(0, at - 24), at))?.[0] ?? '').toLowerCase() === 'url' &&
  endOf(ADDRESS, text, at) > at

/** Declarations stand in the block of a style rule alone: elsewhere a semicolon is part of a broken selector. */
export function* itemsOf(text: string, place: 'top' | 'rules' | 'style'): Generator<Item> {
  for (let at = 0; at < text.length; ) {
    at = endOf(place === 'top' ? TOP_SPACE : SPACE, text, at)
    const isCustom = place === 'style' && /^--[\w-]+\s*:/.test(text.slice(at, at + 256))
    const end = scan(text, at, isCustom ? ';' : place === 'style' || text[at] === '@' ? '{;' : '{')
    const prelude = text.slice(at, end).trim()
    const close = text[end] === '{' ? scan(text, end + 1, '}') : end
    // What has no block is a declaration or a statement; the end of the sheet closes what is open.
    if (prelude !== '' || close > end) yield { prelude, block: text[end] === '{' ? text.slice(end + 1, close) : null }
    at = close + 1
  }
}

/** At a sign that stands in no brackets and no quotes. */
export function splitAt(text: string, sign: string): string[] {
  const parts: string[] = []
  for (let at = 0; at <= text.length; ) {
    const end = scan(text, at, sign)
    parts.push(text.slice(at, end))
    at = end + 1
  }
  return parts
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|\r\n|\n|([\s\S]))/gi, (_, hex?: string, letter?: string) => {
    const code = hex === undefined ? 0 : Number.parseInt(hex, 16)
    return hex === undefined ? (letter ?? '') : code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  })
}

/** The strings of a value, as they would be written on the page. */
export const stringsIn = (value: string): string =>
  [...value.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'/g)]
    .map(([, double, single]) => unescaped(double ?? single ?? ''))
    .join('')

export interface Declaration {
  name: string
  value: string
  isImportant: boolean
}

/** Names with the prefix of one browser: what they say counts in it alone. */
const PREFIX = /^-(?:webkit|moz)-(?!text-|line-clamp|box|margin|padding|(?:max-)?logical)/

/** Stands before a value that not every browser takes. */
export const UNSURE = '?'

/** Null for what is no declaration. A comment parts two words; it is left in only there, and no value allows for it. */
export function declarationIn(text: string): Declaration | null {
  const plain = text.replaceAll(
    /("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|(?<=([\w%)-]))\/\*[\s\S]*?(?:\*\/|$)(?=[\w(.#-])|\/\*[\s\S]*?(?:\*\/|$)/g,
    (comment, string?: string, word?: string) => string ?? (word === undefined ? '' : comment),
  )
  const colon = plain.indexOf(':')
  const written = plain.slice(0, colon).trim()
  if (colon < 0 || written === '') return null
  const isCustom = written.startsWith('--')
  const name = isCustom ? written : unescaped(written).toLowerCase()
  const [, value = '', important] = /^([\s\S]*?)\s*(!\s*important)?\s*$/i.exec(plain.slice(colon + 1).trimStart())!
  const isPrefixed = PREFIX.test(name)
  return {
    name: name.replace(PREFIX, ''),
    value: isPrefixed ? `${UNSURE}${value}` : value,
    isImportant: important !== undefined,
  }
}
