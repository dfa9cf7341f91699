/** Cuts a page of documentation into passages: one for each section, long sections at their paragraphs and lines. */
import type { SearchedText } from '../search/io/text-index.ts'

const MAX_PASSAGE = 2000

export function cutPassages(path: string, page: string): SearchedText[] {
  const passages: SearchedText[] = []
  let [title, heading] = [path, '']
  const seen = new Map<string, number>()
  for (const section of page.split(/^(?=#{1,4} )/mu)) {
    const [, level, name] = /^(#{1,4}) (.*)/u.exec(section) ?? []
    if (level === '#') title = name!
    heading = level === undefined || level === '#' ? '' : name!
    const body =
      level === undefined ? section.trim() : section.slice(section.indexOf('\n') + 1 || section.length).trim()
    if (body === '') continue
    const place = heading === '' ? path : `${path}#${slug(heading)}`
    for (const part of cut(body)) {
      const nth = (seen.get(place) ?? 0) + 1
      seen.set(place, nth)
      const text = `${heading === '' ? title : `${title}: ${heading}`}\n${part}`
      passages.push({ id: nth === 1 ? place : `${place}~${nth}`, text })
    }
  }
  return passages
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')

/** At blank lines where that is enough, else at any line, else at the length. */
function cut(body: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const piece of body.split(/\n\n+/u).flatMap((block) => (block.length > MAX_PASSAGE ? block.split('\n') : block)))
    for (let at = 0; at < piece.length; at += MAX_PASSAGE) {
      const more = piece.slice(at, at + MAX_PASSAGE)
      if (part !== '' && part.length + more.length + 1 > MAX_PASSAGE) {
        parts.push(part)
        part = ''
      }
      part = part === '' ? more : `${part}\n${more}`
    }
  return part === '' ? parts : [...parts, part]
}
