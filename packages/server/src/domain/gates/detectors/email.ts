import { isAlnumCode, isLetterCode, type Match } from './scanner.ts'

const MAX_LOCAL = 64
const MAX_DOMAIN = 253

export function emailAddresses(text: string): Match[] {
  const found: Match[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const from = localStart(text, at)
    const to = domainEnd(text, at + 1)
    if (from < at && to > at + 1) found.push({ from, to, value: text.slice(from, to).toLowerCase() })
  }
  return found
}

function localStart(text: string, at: number): number {
  let from = at
  while (from > 0 && at - from < MAX_LOCAL && isLocal(text.charCodeAt(from - 1))) from--
  while (from < at && !isAlnum(text.charCodeAt(from))) from++
  const last = text.charCodeAt(at - 1)
  return last === 46 || text.slice(from, at).includes('..') ? at : from
}

/** Labels parted by dots, the last of letters; a full stop that ends the sentence is not part of it. */
function domainEnd(text: string, from: number): number {
  let at = from
  while (
    at - from < MAX_DOMAIN &&
    (isAlnum(text.charCodeAt(at)) || text.charCodeAt(at) === 45 || text.charCodeAt(at) === 46)
  )
    at++
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
const isLocal = (code: number): boolean => isAlnum(code) || "!#$%&'*+/=?^_`{|}~.-".includes(String.fromCharCode(code))
