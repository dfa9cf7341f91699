import { isAlnumCode, isDigitCode, type Match, places, runEnd, runStart } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const MAX_LOCAL = 64
const MAX_DOMAIN = 253
/** Top levels in scripts that are written without blanks: nothing else tells where the address ends. */
const UNPARTED_TOPS: ReadonlySet<string> = new Set(wordLists.email.unpartedTops)
/** No top level is called so: icon@2x.png and app@1.2.tgz are files. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(wordLists.email.fileEndings)
const MAX_TOP = Math.max(...wordLists.email.unpartedTops.map(({ length }) => length))

export function emailAddresses(text: string): Match[] {
  return places(text, '@').flatMap((at) => {
    const to = domainEnd(text, at + 1)
    const from = to > at + 1 && !isRepository(text, to) ? localStart(text, at, isUnparted(text.charCodeAt(at + 1))) : at
    return from < at ? [{ from, to, value: text.slice(from, to).toLowerCase() }] : []
  })
}

const MAX_PATH = 256
const isPath = (code: number): boolean => isAlnumCode(code) || '/:._~-'.includes(String.fromCharCode(code))

/** git@host:team/project.git names a repository and nobody who could be written to. */
function isRepository(text: string, domainEnd: number): boolean {
  const mark = text.charAt(domainEnd)
  if (mark !== ':' && mark !== '/') return false
  return /\.git[./]?$/.test(text.slice(domainEnd, runEnd(text, domainEnd, isPath, MAX_PATH)))
}

/** In scripts without blanks the words before an address would be taken for its name, unless the domain is in one too. */
function localStart(text: string, at: number, unparted: boolean): number {
  const isMember = unparted ? (code: number): boolean => isLocal(code) || isUnparted(code) : isLocal
  let from = runStart(text, at, isMember, MAX_LOCAL)
  while (from < at && !isAlnum(text.charCodeAt(from)) && !isUnparted(text.charCodeAt(from))) from++
  const last = text.charCodeAt(at - 1)
  return last === 46 || text.slice(from, at).includes('..') ? at : from
}

/** Labels parted by dots, the last one a top level; a full stop that ends the sentence is not part of it. */
function domainEnd(text: string, from: number): number {
  let at = runEnd(text, from, isDomain, MAX_DOMAIN)
  while (at > from && !isAlnum(text.charCodeAt(at - 1)) && !isUnparted(text.charCodeAt(at - 1))) at--
  const labels = text.slice(from, at).split('.')
  const top = labels.at(-1) as string
  const size = topSize(top)
  const named =
    labels.length > 1 && labels.every((label) => label !== '' && !label.startsWith('-') && !label.endsWith('-'))
  return named && size >= 2 ? at - top.length + size : from
}

/** How much of the last label is a top level: letters, a coded one, or a known one in a script without blanks. */
function topSize(top: string): number {
  const lower = top.toLowerCase()
  if (lower.startsWith('xn--')) return runEnd(top, 0, isCoded, top.length)
  if (isUnparted(top.charCodeAt(0))) return unpartedSize(top)
  const size = FILE_ENDINGS.has(lower) ? 0 : runEnd(top, 0, isName, top.length)
  return size === top.length || isUnparted(top.charCodeAt(size)) ? size : 0
}

function unpartedSize(top: string): number {
  let size = Math.min(top.length, MAX_TOP)
  while (size > 0 && !UNPARTED_TOPS.has(top.slice(0, size))) size--
  return size
}

const isCoded = (code: number): boolean => isAlnumCode(code) || code === 45
const isName = (code: number): boolean => isAlnum(code) && !isDigitCode(code)
/** Letters of Europe, Africa, India and the Near East: their words are parted by blanks. */
const isAlnum = (code: number): boolean => isAlnumCode(code) || (code > 0xbf && code < 0x2000 && !isThai(code))
const isThai = (code: number): boolean => code >= 0xe00 && code <= 0xe7f
/** Thai, kana, Han and Hangul. */
const isUnparted = (code: number): boolean =>
  isThai(code) || (code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)
const isDomain = (code: number): boolean => isAlnum(code) || isUnparted(code) || code === 45 || code === 46
const LOCAL = Uint8Array.from({ length: 128 }, (_, code) =>
  isAlnumCode(code) || "!#$%&'*+/=?^_`{|}~.-".includes(String.fromCharCode(code)) ? 1 : 0,
)
const isLocal = (code: number): boolean => (code < 128 ? LOCAL[code] === 1 : isAlnum(code))
