/** Files and addresses that only the machine itself has business with. */
import { isInsideWord, type Match, places } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

/** `RESOLVED` stands before a path that a compiler, a linker of documents or a shell's own folder resolves. */
const { paths: PATHS, resolved: RESOLVED } = wordLists['forbidden-path']

export function forbiddenPath(lower: string): Match[] {
  const named = PATHS.flatMap((path) =>
    places(lower, path).flatMap((from) =>
      isDescribed(lower, from) || isAccountList(lower, from, path) ? [] : [{ from, to: from + path.length }],
    ),
  )
  const files = [...places(lower, 'file://')].flatMap((from) => {
    const code = lower.charCodeAt(from + 7)
    return !isInsideWord(lower, from) && code > 32 && !isSourceLine(lower, from) ? [{ from, to: from + 7 }] : []
  })
  return [...named, ...files, ...metadataHosts(lower), ...climbs(lower, '../'), ...climbs(lower, '..\\')]
}

const MAX_URL = 256
const SOURCE_LINE =
  /^file:\/\/\/[^\s"'()<>|;]{1,224}\.[cm]?[jt]sx?(?:\?[\w=.]{1,24})?:\d{1,6}(?::\d{1,6})?(?:$|[\s)\]"'`,])/

/** A line of a stack trace names the file and the line that the runtime was in. */
const isSourceLine = (lower: string, from: number): boolean => SOURCE_LINE.test(lower.slice(from, from + MAX_URL))

const SENTENCE_REACH = 120
const DESCRIBES = new Set(wordLists['forbidden-path'].describes)
const READS = new Set(wordLists['forbidden-path'].reads)

/** A well-known file that is spoken of and not read: the format of it, the fields of a line in it. */
function isDescribed(lower: string, from: number): boolean {
  if (!/[a-z] [`"']?$/.test(lower.slice(Math.max(0, from - 3), from))) return false
  const window = lower.slice(Math.max(0, from - SENTENCE_REACH), from + SENTENCE_REACH)
  const words = window.split(/[^a-z]/)
  return words.some((word) => DESCRIBES.has(word)) && !words.some((word) => READS.has(word))
}

/** `cut -d: -f1 /etc/passwd`: the names of the accounts, counted or sorted and sent nowhere. */
const isAccountList = (lower: string, from: number, path: string): boolean =>
  path === '/etc/passwd' &&
  /(?:^|[^a-z])cut -d ?["']?:["']? -f ?1 $/.test(lower.slice(Math.max(0, from - 24), from)) &&
  /^(?: ?\| ?(?:sort|uniq|wc|head|tail)[ a-z0-9-]{0,12})?(?:$|["'`\n])/.test(
    lower.slice(from + path.length, from + path.length + 32),
  )

const METADATA = [0xa9fea9fe, 0x646464c8]
const MAX_HOST = 64

/** The metadata address as one number, in hexadecimal or in octal: every resolver reads those forms too. */
function metadataHosts(lower: string): Match[] {
  return places(lower, '://').flatMap((at) => {
    const from = at + 3
    const window = lower.slice(from, from + MAX_HOST)
    const end = window.search(/[^0-9a-fx.]/)
    const host = end < 0 ? window : window.slice(0, end)
    return METADATA.includes(addressOf(host)) ? [{ from, to: from + host.length }] : []
  })
}

/** One to four parts, the last of which fills what is left of the 32 bits; -1 for a host that is no number. */
function addressOf(host: string): number {
  const parts = (host.endsWith('.') ? host.slice(0, -1) : host).split('.').map(partOf)
  const last = parts.pop() ?? -1
  if (parts.length > 3 || last < 0 || parts.some((part) => part < 0 || part > 255)) return -1
  if (last >= 256 ** (4 - parts.length)) return -1
  return parts.reduce((address, part, at) => address + part * 256 ** (3 - at), last)
}

function partOf(part: string): number {
  if (/^0x[0-9a-f]{1,8}$/.test(part)) return Number.parseInt(part.slice(2), 16)
  if (/^0[0-7]{1,11}$/.test(part)) return Number.parseInt(part, 8)
  return /^[0-9]{1,10}$/.test(part) ? Number(part) : -1
}

const MIN_CLIMBS = 3

/** Imports, includes and links climb in their own tree, and name a source there: a file of no folder is none. */
function isOwnTree(lower: string, from: number, to: number): boolean {
  const lead = lower.slice(Math.max(0, from - 28), '"\'`<'.includes(lower.charAt(from - 1) || ' ') ? from - 1 : from)
  if (lower.startsWith('node_modules/', to)) return true
  return (
    RESOLVED.some((mark) => lead.endsWith(mark)) &&
    !/^(?:etc|proc|root|home|var|windows|\.)/.test(lower.slice(to, to + 8))
  )
}

function climbs(lower: string, step: string): Match[] {
  const found: Match[] = []
  for (let from = lower.indexOf(step); from >= 0; ) {
    let to = from
    while (lower.startsWith(step, to)) to += step.length
    if (to - from >= MIN_CLIMBS * step.length && !isOwnTree(lower, from, to)) found.push({ from, to })
    from = lower.indexOf(step, to)
  }
  return found
}
