import type { Run } from './runs.ts'

/** A flag of a region takes up to seven tag characters; a longer run is a text written in invisible letters. */
const MIN_TAGS = 8
const TAG_SPACE = 0xe0020
const TAG_TILDE = 0xe007e

/** On the raw text: folding removes these characters, and what they spell with them. */
export function tagRuns(text: string): Run[] {
  const runs: Run[] = []
  for (let from = 0; from < text.length; ) {
    const { to, letters } = tagsAt(text, from)
    if (letters.length >= MIN_TAGS) runs.push({ encoding: 'tag', from, to, decoded: letters })
    from = Math.max(to, from + 1)
  }
  return runs
}

function tagsAt(text: string, from: number): { to: number; letters: string } {
  let to = from
  let letters = ''
  for (let value = text.codePointAt(to); value !== undefined && isTag(value); value = text.codePointAt(to)) {
    letters += String.fromCharCode(value - 0xe0000)
    to += 2
  }
  return { to, letters }
}

const isTag = (value: number): boolean => value >= TAG_SPACE && value <= TAG_TILDE
