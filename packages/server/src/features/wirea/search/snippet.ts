/** A part of a text around the words that were found, safe to be put into a page. */
import { placedWords } from './terms.ts'

const BEFORE = 60
const LENGTH = 200
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

export function snippetOf(text: string, stems: ReadonlySet<string>): string {
  const found = placedWords(text).filter(({ stem }) => stems.has(stem))
  const from = wholeWord(text, Math.max(0, (found[0]?.at ?? 0) - BEFORE))
  const to = wholeWord(text, Math.min(text.length, from + LENGTH))
  let [snippet, at] = [from > 0 ? '… ' : '', from]
  for (const word of found) {
    if (word.at < from || word.end > to) continue
    snippet += `${escaped(text.slice(at, word.at))}<mark>${escaped(text.slice(word.at, word.end))}</mark>`
    at = word.end
  }
  return `${snippet}${escaped(text.slice(at, to))}${to < text.length ? ' …' : ''}`
}

/** Back to the blank before, where one is near: no word and no pair of surrogates is cut. */
function wholeWord(text: string, at: number): number {
  if (at === 0 || at === text.length) return at
  const blank = text.lastIndexOf(' ', at)
  if (blank > at - BEFORE && blank > 0) return blank + 1
  return /[\udc00-\udfff]/.test(text[at]!) ? at - 1 : at
}
