/** What a prompt says in numbers and was not read. Such a prompt is asked about: to leave a number out is to answer
 *  another question. */
import { cutText } from '@orch/core'
import type { NeedsInput } from './organ.ts'

/** Words that change the number before or behind them. */
const UNIT =
  /^(?:%|percent|[munk\u00b5]?s|m?secs?|(?:milli|micro)?seconds?|min(?:ute)?s?|h(?:ours?)?|[kmgt]i?b(?:its?|ytes?)?|[kmgt]?bps|k|m|bn|thousand|million|billion|x)$/i
const SIGN = /^(?:minus|negative)$/i
const MAX_SHOWN = 5

/** Words with a digit, a sign or a unit that no match covers; `read` are the matches that were understood. */
function unreadWords(prompt: string, read: Iterable<RegExpMatchArray>): string[] {
  const covered = new Set<number>()
  for (const { 0: text, index = 0 } of read) for (let at = 0; at < text.length; at += 1) covered.add(index + at)
  const words = [...prompt.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    word: cutText(word, 32),
    hasNumber: /\p{N}/u.test(word),
    rest: word
      .split('')
      .filter((sign, at) => !covered.has(index + at) && !/[,;:.=!?()"']/.test(sign))
      .join(''),
  }))
  return words.flatMap(({ word, hasNumber, rest }, at) =>
    (hasNumber && rest !== '') ||
    (words[at - 1]?.hasNumber && UNIT.test(rest)) ||
    (words[at + 1]?.hasNumber && SIGN.test(rest))
      ? [word]
      : [],
  )
}

/** The entry of `missing` for them; none where all was read. */
export function unread(prompt: string, read: Iterable<RegExpMatchArray>, example: string): NeedsInput['missing'] {
  const words = unreadWords(prompt, read)
  const shown = words.slice(0, MAX_SHOWN).join(' ')
  return words.length === 0 ? [] : [{ field: 'prompt', type: `not understood: ${shown}`, example }]
}
