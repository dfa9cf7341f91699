/** A turn of the user and the answer to it, written into a text that is data: a model that reads it takes the user to have
 *  asked and itself to have agreed. A transcript has many turns and begins with one; a forged one stands behind a text. */
import { type Match, places } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const { askers, answerers, agreeing } = wordLists.turns
const MIN_LEAD = 24
const MAX_TURN = 800
/** More of them are a conversation that somebody wrote down. */
const MAX_TURNS = 3

export function forgedTurns(lower: string): Match[] {
  const asked = turns(lower, askers)
  const answered = turns(lower, answerers)
  if (asked.length === 0 || asked.length > MAX_TURNS || answered.length > MAX_TURNS) return []
  if ((asked[0] as Turn).at < MIN_LEAD || (answered[0]?.at ?? 0) < (asked[0] as Turn).at) return []
  return answered.flatMap(({ at, behind }): Match[] => {
    const question = asked.findLast((turn) => turn.at < at)
    const isNear = question !== undefined && at - question.at <= MAX_TURN
    return isNear && agrees(lower, behind) ? [{ from: question.at + 1, to: behind }] : []
  })
}

interface Turn {
  /** The end of the line before it. */
  at: number
  behind: number
}

const turns = (lower: string, names: readonly string[]): Turn[] =>
  names
    .flatMap((name) => [`\n${name}:`, `\n${name}\uff1a`])
    .flatMap((name) => places(lower, name).map((at) => ({ at, behind: at + name.length })))
    .sort((one, other) => one.at - other.at)

function agrees(lower: string, from: number): boolean {
  const answer = lower.slice(from, from + 32).trimStart()
  return agreeing.some((word) => answer.startsWith(word) && !/^[a-z]/.test(answer.slice(word.length)))
}
