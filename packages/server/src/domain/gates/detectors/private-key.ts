import { isAlnumCode, type Match, places } from './scanner.ts'

const MIN_BODY = 64
const MAX_BODY = 16_384

/** The markers alone are documentation; with the start of a body it is a key. */
export function privateKeyBlocks(text: string): Match[] {
  const found: Match[] = []
  for (const from of places(text, '-----BEGIN ')) {
    const header = text.slice(from, from + 64)
    const close = header.indexOf('-----', 11)
    const kind = close < 0 ? '' : header.slice(11, close)
    if (!kind.includes('PRIVATE KEY')) continue
    const body = bodyFrom(text, from + close + 5)
    if (body.letters.length >= MIN_BODY) found.push({ from, to: body.to, value: body.letters })
  }
  return found
}

/** Base64 letters up to the end marker; the headers of an encrypted key and written-out line breaks are passed over. */
function bodyFrom(text: string, from: number): { letters: string; to: number } {
  const end = text.indexOf('-----', from)
  const to = Math.min(end < 0 ? text.length : end, from + MAX_BODY)
  const words = text.slice(from, to).replaceAll('\\n', '\n').replaceAll('\\r', '').split(/\s/)
  const letters = words.filter((word) => !/[:,]/.test(word)).flatMap((word) => [...word].filter(isBase64))
  return { letters: letters.join(''), to: to === end ? endMarker(text, to) : to }
}

function endMarker(text: string, at: number): number {
  const close = text.slice(at, at + 64).indexOf('-----', 5)
  return close < 0 ? at : at + close + 5
}

const isBase64 = (letter: string): boolean => isAlnumCode(letter.charCodeAt(0)) || letter === '+' || letter === '/'
