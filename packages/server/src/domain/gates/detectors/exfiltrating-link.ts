/** An address that is fetched without a click: a long encoded part of it is a letter box. */
import { isAlnumCode, isBlankCode, isLetterCode, type Match, places, runEnd, runStart } from './scanner.ts'

const MAX_CARRIED = 64
const MAX_URL = 4096
const MAX_LABEL = 256
/** Attributes that make a renderer fetch, whatever element they stand in. */
const LOADING = ['src', 'srcset', 'background', 'poster']

/** Every address is found by its two slashes, with a scheme before them or without; none is read for two of them. */
export function exfiltratingLink(text: string, allowed: readonly string[]): Match[] {
  const lower = text.toLowerCase()
  const found: Match[] = []
  let labels: ReadonlySet<string> | undefined
  const imageLabels = (): ReadonlySet<string> => {
    labels ??= imageLabelsOf(lower)
    return labels
  }
  for (let slashes = lower.indexOf('//'); slashes >= 0; ) {
    const from = schemeStart(lower, slashes)
    const url = urlAt(lower, slashes)
    const carries = maxEncodedLength(withoutPicture(url)) > MAX_CARRIED && !allowed.includes(hostOf(url))
    if (carries && isLoaded(lower, from, imageLabels)) found.push({ from, to: slashes + url.length })
    slashes = lower.indexOf('//', slashes + Math.max(2, url.length))
  }
  return found
}

function schemeStart(lower: string, slashes: number): number {
  return ['https:', 'http:'].reduce((at, scheme) => {
    const from = slashes - scheme.length
    return at === slashes && from >= 0 && lower.startsWith(scheme, from) ? from : at
  }, slashes)
}

/** By what stands before the address: an image, a style, an attribute that loads, or the definition of an image. */
function isLoaded(lower: string, from: number, imageLabels: () => ReadonlySet<string>): boolean {
  const at = blanksBefore(lower, '"\'<'.includes(lower.charAt(from - 1) || ' ') ? from - 1 : from)
  const lead = lower.charAt(at - 1)
  if (lead === '(') return isStyle(lower, at - 1) || (lower.charAt(at - 2) === ']' && isImage(lower, at - 2))
  if (lead === '=') return isAttribute(lower, at - 1)
  if (lead === ':' && lower.charAt(at - 2) === ']') return imageLabels().has(labelBefore(lower, at - 2))
  return false
}

const blanksBefore = (lower: string, from: number): number => runStart(lower, from, isBlankCode, 16)

const isStyle = (lower: string, bracket: number): boolean => lower.slice(Math.max(0, bracket - 3), bracket) === 'url'

/** The bracket that opens this one's text has an exclamation mark; a link around an image has none of its own. */
function isImage(lower: string, closing: number): boolean {
  let depth = 0
  for (let at = closing; at >= 0 && closing - at <= MAX_LABEL; at--) {
    const letter = lower.charAt(at)
    if (letter === ']') depth++
    else if (letter === '[' && --depth === 0) return lower.charAt(at - 1) === '!'
  }
  return false
}

function isAttribute(lower: string, sign: number): boolean {
  const end = blanksBefore(lower, sign)
  const from = runStart(lower, end, isLetterCode, 12)
  const name = lower.slice(from, end)
  return LOADING.includes(name) || (name === 'href' && isLinkElement(lower, from))
}

function isLinkElement(lower: string, at: number): boolean {
  const window = lower.slice(Math.max(0, at - 128), at)
  return window.lastIndexOf('<link') > window.lastIndexOf('>')
}

function labelBefore(lower: string, closing: number): string {
  const window = lower.slice(Math.max(0, closing - MAX_LABEL), closing)
  return window.slice(window.lastIndexOf('[') + 1).trim()
}

/** `![text][label]`, `![label][]` and `![label]`: what an image may be defined under, further down. */
function imageLabelsOf(lower: string): Set<string> {
  const labels = new Set<string>()
  for (const at of places(lower, '![')) {
    const alt = lower.slice(at + 2, at + 2 + MAX_LABEL)
    const close = alt.indexOf(']')
    if (close < 0) continue
    const rest = alt.charAt(close + 1) === '[' ? alt.slice(close + 2) : ''
    const label = rest.slice(0, Math.max(0, rest.indexOf(']'))).trim()
    labels.add(label === '' ? alt.slice(0, close).trim() : label)
  }
  return labels
}

const isUrl = (code: number): boolean => code > 32 && !'"\'<>()[]'.includes(String.fromCharCode(code))
const urlAt = (lower: string, from: number): string => lower.slice(from, runEnd(lower, from, isUrl, MAX_URL))

/** Of an address from its two slashes on. */
function hostOf(url: string): string {
  const rest = url.slice(2)
  const end = rest.search(/[/?#\\]/)
  const authority = end < 0 ? rest : rest.slice(0, end)
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:[0-9]{1,5}$/, '')
}

/** Drawers of badges, and the parameters in which they are handed a small picture. */
const BADGES = ['img.shields.io', 'badgen.net']
const PICTURES = ['logo=', 'icon=']

/** A drawer shows the picture and hands it to nobody; its other parameters may name a host that it then asks. */
function withoutPicture(url: string): string {
  const query = url.indexOf('?')
  if (query < 0 || !BADGES.includes(hostOf(url))) return url
  const parameters = url.slice(query + 1).split('&')
  const remaining = parameters.filter((parameter) => !PICTURES.some((name) => parameter.startsWith(name)))
  return `${url.slice(0, query + 1)}${remaining.join('&')}`
}

/** The longest stretch behind the host without a separator that ordinary addresses have. */
function maxEncodedLength(url: string): number {
  const rest = url.slice(2)
  let longestRun = 0
  let size = 0
  for (let at = Math.max(0, rest.search(/[/?#]/)); at < rest.length; at++) {
    const carries = isAlnumCode(rest.charCodeAt(at)) || '+_-=%'.includes(rest.charAt(at))
    size = carries ? size + 1 : 0
    if (size > longestRun) longestRun = size
  }
  return longestRun
}
