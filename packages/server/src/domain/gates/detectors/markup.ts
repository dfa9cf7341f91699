/** Markup that runs something by itself when the answer is rendered. */
import { isBlankCode, isLetterCode, type Match, places, runEnd, skipBlanks } from './scanner.ts'

const MAX_TAG = 512

export function activeMarkup(lower: string): Match[] {
  return [...scriptElements(lower), ...scriptUris(lower), ...handlers(lower)]
}

function scriptElements(lower: string): Match[] {
  return [...places(lower, '<script')].flatMap((from) => {
    const next = lower.charAt(from + 7)
    return next === '>' || next === '/' || isBlankCode(next.charCodeAt(0)) ? [{ from, to: from + 7 }] : []
  })
}

/** "JavaScript: the good parts" has a space where a URI has code; a backtick there ends a code span that names it. */
function scriptUris(lower: string): Match[] {
  return places(lower, ':').flatMap((colon) => {
    if (lower.charCodeAt(colon - 1) !== LAST_OF_SCHEME) return NOTHING
    const from = SCRIPT_SCHEMES.map((scheme) => schemeStart(lower, colon, scheme)).find((at) => at >= 0) ?? -1
    if (from < 0) return NOTHING
    const code = lower.charCodeAt(colon + 1)
    const begins = from === 0 || '"\'(=<> \t\n`['.includes(lower.charAt(from - 1))
    const call = lower.slice(colon + 1, colon + 65)
    const runs = call.includes('(') || call.includes('=') || call.startsWith('//') || isTagged(call)
    return begins && code > 32 && code !== 96 && runs ? [{ from, to: colon + 1 }] : []
  })
}

/** A call without brackets: a name right before a template, and the template closed. */
function isTagged(call: string): boolean {
  const open = call.indexOf('`')
  return open > 0 && call.indexOf('`', open + 1) > open && isLetterCode(call.charCodeAt(open - 1))
}

const SCRIPT_SCHEMES = ['javascript', 'vbscript']
/** A t. */
const LAST_OF_SCHEME = 116
const NOTHING: Match[] = []
const MAX_SCHEME = 24

/** A browser passes over tabs and line breaks inside a scheme, and folding has made each of them a space. */
function schemeStart(lower: string, colon: number, scheme: string): number {
  let left = scheme.length
  let at = colon
  while (left > 0 && at > 0 && colon - at < MAX_SCHEME) {
    const code = lower.charCodeAt(at - 1)
    if (code === scheme.charCodeAt(left - 1)) left--
    else if (!isBlankCode(code) || left === scheme.length) return -1
    at--
  }
  return left === 0 ? at : -1
}

function handlers(lower: string): Match[] {
  return [...places(lower, '<')].flatMap((from) => {
    if (!isLetterCode(lower.charCodeAt(from + 1))) return []
    const tag = tagAt(lower, from)
    const at = handlerIn(tag)
    return at < 0 ? [] : [{ from, to: from + at }]
  })
}

/** To the bracket that closes it, or up to the one that opens the next: tags never nest, so every letter is read once. */
function tagAt(lower: string, from: number): string {
  const window = lower.slice(from, from + MAX_TAG)
  const next = window.indexOf('<', 1)
  const end = window.indexOf('>')
  const isClosed = end >= 0 && (next < 0 || end < next)
  return window.slice(0, isClosed ? end + 1 : next < 0 ? window.length : next)
}

function handlerIn(tag: string): number {
  for (const at of places(tag, 'on')) {
    const lead = tag.charCodeAt(at - 1)
    if (!isBlankCode(lead) && lead !== 47 && lead !== 34 && lead !== 39) continue
    const end = runEnd(tag, at + 2, isLetterCode, 22)
    const equals = skipBlanks(tag, end)
    if (end - at >= 5 && tag.charAt(equals) === '=' && !isOfComponent(tag.slice(skipBlanks(tag, equals + 1))))
      return end
  }
  return -1
}

/** `onClick={close}` and `onClick={() => close()}` of a component. As HTML the value ends at the first blank or closing bracket: what
 *  is left is a name, which calls nothing, or a block that nothing closes, an entity neither, which is no program. Where its end is
 *  not seen, nothing is known of it. */
function isOfComponent(value: string): boolean {
  const end = value.search(/[\t\n\f\r >]/)
  if (!value.startsWith('{') || end < 0) return false
  const read = value.slice(0, end)
  return /^\{[a-z0-9_$.]{0,128}\}?$/.test(read) || !/[}&]/.test(read)
}
