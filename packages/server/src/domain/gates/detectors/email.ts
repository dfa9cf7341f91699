import { isAlnumCode, isLetterCode, type Match, places, runEnd, runStart } from './scanner.ts'

const MAX_LOCAL = 64
const MAX_DOMAIN = 253

export function emailAddresses(text: string): Match[] {
  return places(text, '@').flatMap((at) => {
    const [from, to] = [localStart(text, at), domainEnd(text, at + 1)]
    return from < at && to > at + 1 ? [{ from, to, value: text.slice(from, to).toLowerCase() }] : []
  })
}

function localStart(text: string, at: number): number {
  let from = runStart(text, at, isLocal, MAX_LOCAL)
  while (from < at && !isAlnum(text.charCodeAt(from))) from++
  const last = text.charCodeAt(at - 1)
  return last === 46 || text.slice(from, at).includes('..') ? at : from
}

/** Labels parted by dots, the last of letters; a full stop that ends the sentence is not part of it. */
function domainEnd(text: string, from: number): number {
  let at = runEnd(text, from, isDomain, MAX_DOMAIN)
  while (at > from && !isAlnum(text.charCodeAt(at - 1))) at--
  const labels = text.slice(from, at).split('.')
  const top = labels.at(-1) as string
  const named =
    labels.length > 1 && labels.every((label) => label !== '' && !label.startsWith('-') && !label.endsWith('-'))
  return named && top.length >= 2 && [...top].every((letter) => isLetterCode(letter.charCodeAt(0)) || letter > '\u007f')
    ? at
    : from
}

const isAlnum = (code: number): boolean => isAlnumCode(code) || (code > 0xbf && code < 0x2000)
const isDomain = (code: number): boolean => isAlnum(code) || code === 45 || code === 46
const isLocal = (code: number): boolean => isAlnum(code) || "!#$%&'*+/=?^_`{|}~.-".includes(String.fromCharCode(code))
