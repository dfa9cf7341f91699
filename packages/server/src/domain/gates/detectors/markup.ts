// Markup that runs or loads something by itself when the answer is rendered.
import { isAlnumCode, isBlankCode, isInsideWord, isLetterCode, type Match, places, skipBlanks } from './scanner.ts'

const LONGEST_TAG = 512

export function activeMarkup(lower: string): Match[] {
  return [...scriptElements(lower), ...scriptUris(lower), ...handlers(lower)]
}

function scriptElements(lower: string): Match[] {
  return [...places(lower, '<script')].flatMap((from) => {
    const next = lower.charAt(from + 7)
    return next === '>' || next === '/' || isBlankCode(next.charCodeAt(0)) ? [{ from, to: from + 7 }] : []
  })
}

/** "JavaScript: the good parts" has a space where a URI has code. */
function scriptUris(lower: string): Match[] {
  return ['javascript:', 'vbscript:'].flatMap((scheme) =>
    [...places(lower, scheme)].flatMap((from) => {
      const code = lower.charCodeAt(from + scheme.length)
      const begins = from === 0 || '"\'(=<> \t\n`['.includes(lower.charAt(from - 1))
      const call = lower.slice(from + scheme.length, from + scheme.length + 64)
      const runs = call.includes('(') || call.includes('=') || call.startsWith('//')
      return begins && code > 32 && runs ? [{ from, to: from + scheme.length }] : []
    }),
  )
}

function handlers(lower: string): Match[] {
  return [...places(lower, '<')].flatMap((from) => {
    if (!isLetterCode(lower.charCodeAt(from + 1))) return []
    const tag = tagAt(lower, from)
    const at = handlerIn(tag)
    return at < 0 ? [] : [{ from, to: from + at }]
  })
}

/** Up to the bracket that closes it or opens the next: tags never nest, so every letter is read once. */
function tagAt(lower: string, from: number): string {
  const window = lower.slice(from, from + LONGEST_TAG)
  const next = window.indexOf('<', 1)
  const end = window.indexOf('>')
  const cut = Math.min(next < 0 ? window.length : next, end < 0 ? window.length : end)
  return window.slice(0, cut)
}

function handlerIn(tag: string): number {
  for (const at of places(tag, 'on')) {
    const lead = tag.charCodeAt(at - 1)
    if (!isBlankCode(lead) && lead !== 47 && lead !== 34 && lead !== 39) continue
    let end = at + 2
    while (end - at < 24 && isLetterCode(tag.charCodeAt(end))) end++
    if (end - at >= 5 && tag.charAt(skipBlanks(tag, end)) === '=') return end
  }
  return -1
}

const MOST_CARRIED = 64
const LONGEST_URL = 4096
const LOADERS = ['](http', 'src="http', "src='http", 'src=http', 'url(http', 'url("http', "url('http", 'href="http']

/** An image or a style sheet is fetched without a click: a long encoded part of its address is a letter box. */
export function exfiltratingLink(text: string, allowed: readonly string[]): Match[] {
  const lower = text.toLowerCase()
  return LOADERS.flatMap((loader) => loadedBy(loader, lower, allowed))
}

/** The search goes on behind each address, so that no letter is read for two of them. */
function loadedBy(loader: string, lower: string, allowed: readonly string[]): Match[] {
  const found: Match[] = []
  for (let from = lower.indexOf(loader); from >= 0; ) {
    const begin = from + loader.length - 4
    const url = urlAt(lower, begin)
    if (isLoaded(loader, lower, from) && !allowed.includes(hostOf(url)) && longestEncoded(url) > MOST_CARRIED)
      found.push({ from, to: begin + url.length })
    from = lower.indexOf(loader, begin + url.length)
  }
  return found
}

function isLoaded(loader: string, lower: string, from: number): boolean {
  if (loader === '](http') return isImage(lower, from)
  return !loader.startsWith('href') || isLinkElement(lower, from)
}

function isImage(lower: string, bracket: number): boolean {
  return lower.slice(Math.max(0, bracket - 256), bracket).includes('![')
}

function isLinkElement(lower: string, at: number): boolean {
  const window = lower.slice(Math.max(0, at - 128), at)
  return window.lastIndexOf('<link') > window.lastIndexOf('>')
}

function urlAt(lower: string, from: number): string {
  let to = from
  while (
    to < lower.length &&
    to - from < LONGEST_URL &&
    lower.charCodeAt(to) > 32 &&
    !'"\'<>()[]'.includes(lower.charAt(to))
  )
    to++
  return lower.slice(from, to)
}

function hostOf(url: string): string {
  const rest = url.slice(url.indexOf('://') + 3)
  const end = rest.search(/[/?#]/)
  const authority = end < 0 ? rest : rest.slice(0, end)
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:[0-9]{1,5}$/, '')
}

/** The longest stretch behind the host without a separator that ordinary addresses have. */
function longestEncoded(url: string): number {
  const rest = url.slice(url.indexOf('://') + 3)
  let longest = 0
  let size = 0
  for (let at = Math.max(0, rest.search(/[/?#]/)); at < rest.length; at++) {
    const carries = isAlnumCode(rest.charCodeAt(at)) || '+_-=%'.includes(rest.charAt(at))
    size = carries ? size + 1 : 0
    if (size > longest) longest = size
  }
  return longest
}

const PATHS = [
  '/etc/passwd',
  '/etc/shadow',
  '/etc/sudoers',
  '169.254.169.254',
  'metadata.google.internal',
  '100.100.100.200',
  'fd00:ec2::254',
]

export function forbiddenPath(lower: string): Match[] {
  const named = PATHS.flatMap((path) => [...places(lower, path)].map((from) => ({ from, to: from + path.length })))
  const files = [...places(lower, 'file://')].flatMap((from) => {
    const code = lower.charCodeAt(from + 7)
    return !isInsideWord(lower, from) && code > 32 ? [{ from, to: from + 7 }] : []
  })
  return [...named, ...files, ...climbs(lower, '../'), ...climbs(lower, '..\\')]
}

const LEAST_CLIMBS = 3

function climbs(lower: string, step: string): Match[] {
  const found: Match[] = []
  for (let from = lower.indexOf(step); from >= 0; ) {
    let to = from
    while (lower.startsWith(step, to)) to += step.length
    if (to - from >= LEAST_CLIMBS * step.length) found.push({ from, to })
    from = lower.indexOf(step, to)
  }
  return found
}
