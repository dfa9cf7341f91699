/** An order to the AI that reads a text which is data. Somebody turns to the reader ("dear AI", "for LLM reviewers:", "if you are
 *  a language model", "the bot triaging this", "when summarising these reviews") and says soon afterwards what it has to do.
 *  Either alone is a text about assistants, or about work: how surely a machine is meant and how telling the order is must
 *  make up for each other. */
import { isInsideWord, type Match, places } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const { stems, unpartedStems, taskStems, readers, addresses, orders } = wordLists['addressed-instruction']

const any = (parts: readonly string[]): string => `(?:${parts.join('|')})`
const after = (parts: readonly string[]): RegExp => new RegExp(`(?:^|[^\\p{L}])${any(parts)}$`, 'u')
const at = (parts: readonly string[]): RegExp => new RegExp(`^${any(parts)}`, 'u')
const whole = (parts: readonly string[]): RegExp => new RegExp(`^(${any(parts)})(?:$|[^\\p{L}\\p{N}-]|-[^\\p{L}])`, 'u')

const CERTAIN = whole(readers.certain)
const UNPARTED = at(readers.unparted)
const POSSIBLE = whole(readers.possible)
/** No reader but with a word before it that makes it a machine: "screening software". */
const QUALIFIED = whole(readers.qualified)
const QUALIFIERS = after(readers.qualifiers)

const GREETED = new RegExp(`${any(addresses.greeted)}$`, 'u')
const CONDITION = after(addresses.condition)
const BEGINS = new RegExp(`${any(addresses.begins)}$`, 'u')
const TOWARDS = new RegExp(`${any(addresses.towards)}$`, 'u')
const AT_WORK = at(addresses.atWork)
const MODAL = at(addresses.modal)
const TASK = at(addresses.task)
const CALLED = /^[)\]]?(?:\s?[:,：，、]|\s?[—–]|\s-\s)/u
const OPENED = /^[^.!?\n:,—–]{0,56}[:,—–\].：，]/u
const NEW_LINE = /(?:^|\n|\\n)\s{0,4}$/
const MIN_TURNS = 2
const MENTIONED = new RegExp(`${any(addresses.mentioned)}[^\\p{L}]{0,2}["'“«„‘「]$`, 'u')

const PLAIN = new RegExp(
  `(?:[.!?:;,\\n—–\\])"'>-]\\s{0,3}|[^\\p{L}]${any(orders.led)}\\s)${any(orders.verbs)}(?:$|[^\\p{L}])`,
  'gu',
)
const TELLING = new RegExp(`[^\\p{L}]${any(orders.telling)}|${any(orders.unparted)}`, 'gu')

const LEAD = 72
const REACH = 260
/** An order that the end of a window cut in two is read with the next. */
const SEAM = 120
/** Who names more readers than that tells of them; the first and the last of them are looked at. */
const MAX_PLACES = 120
/** So many of the words that may begin one are looked at from either end. */
const MAX_WORDS = 1000
const ENOUGH = 3

interface Address {
  from: number
  end: number
  /** How surely somebody turns to a machine here. */
  strength: number
}

export function addressedInstructions(lower: string): Match[] {
  const addresses = [...readersIn(lower), ...tasksIn(lower)].sort((one, other) => one.end - other.end)
  const [plain, telling] = [ordersBehind(lower, PLAIN), ordersBehind(lower, TELLING)]
  return addresses.flatMap(({ from, end, strength }): Match[] => {
    const to = strength + 2 >= ENOUGH ? telling(end) : null
    const order = to ?? (strength + 1 >= ENOUGH ? plain(end) : null)
    return order === null ? [] : [{ from, to: order }]
  })
}

/** Where the first order within reach of a place ends, for places that only go on. What was read for one of them is not read
 *  for the next. */
function ordersBehind(lower: string, pattern: RegExp): (at: number) => number | null {
  const endOffsets: number[] = []
  let [read, next] = [0, 0]
  return (at) => {
    if (read < at + REACH) {
      const from = Math.max(at, read - SEAM)
      for (const found of lower.slice(from, at + REACH).matchAll(pattern))
        endOffsets.push(from + found.index + found[0].length)
      read = at + REACH
    }
    while (next < endOffsets.length && (endOffsets[next] as number) <= at) next += 1
    const end = endOffsets[next]
    return end !== undefined && end <= at + REACH ? end : null
  }
}

function readersIn(lower: string): Address[] {
  const endOffsets = new Set<number>()
  const turns = new Map<string, boolean>()
  /** Who speaks several times takes part in a conversation that was written down. */
  const speaks = (name: string): boolean => {
    const known = turns.get(name) ?? places(lower, `${name}:`).length >= MIN_TURNS
    turns.set(name, known)
    return known
  }
  // What stands inside a word is nobody: it is left out before places are counted off, so that no amount of rain hides an AI.
  const candidates = [
    ...stems.flatMap((stem) => parted(lower, stem).map((from) => ({ from, isParted: true }))),
    ...unpartedStems.flatMap((stem) => unparted(lower, stem).map((from) => ({ from, isParted: false }))),
  ]
  const readers = outermost(candidates, MAX_WORDS).flatMap(({ from, isParted }) => {
    const before = lower.slice(Math.max(0, from - LEAD), from)
    const here = lower.slice(from, from + LEAD)
    const isQualified = isParted && QUALIFIERS.test(before)
    const certain = isParted ? (CERTAIN.exec(here) ?? (isQualified ? QUALIFIED.exec(here) : null)) : UNPARTED.exec(here)
    const reader = certain ?? (isParted ? POSSIBLE.exec(here) : null)
    const name = reader === null ? '' : (reader[1] ?? reader[0])
    if (name === '' || endOffsets.has(from + name.length)) return []
    endOffsets.add(from + name.length)
    return [{ from, name, isCertain: certain !== null, before: isQualified ? before.replace(QUALIFIERS, ' ') : before }]
  })
  return outermost(readers, MAX_PLACES).flatMap(({ from, name, isCertain, before }): Address[] => {
    const end = from + name.length
    const strength = addressed(before, lower.slice(end, end + LEAD), isCertain ? 1 : 0, () => speaks(name))
    return strength < 0 ? [] : [{ from, end, strength }]
  })
}

/** Behind an escaped line end of JSON as well. */
const parted = (lower: string, stem: string): number[] =>
  places(lower, stem).filter((from) => !isInsideWord(lower, from) || lower.startsWith('\\n', from - 2))

/** In a script without blanks, where letters of another one end a word. */
const unparted = (lower: string, stem: string): number[] =>
  places(lower, stem).filter(
    (from) => !isLatin(lower, from) || !(isLatin(lower, from - 1) || isLatin(lower, from + stem.length)),
  )

function isLatin(lower: string, at: number): boolean {
  const code = lower.charCodeAt(at)
  return code >= 97 && code <= 122
}

/** Negative where nobody is addressed. */
function addressed(before: string, behind: string, certain: 0 | 1, speaks: () => boolean): number {
  if (MENTIONED.test(before)) return -1
  const begins = BEGINS.test(before)
  // "Assistant: ..." is a turn of a transcript more often than a call.
  if (begins && behind.startsWith(':') && speaks()) return -1
  const isTurn = begins && behind.startsWith(':') && NEW_LINE.test(before)
  let ways = 0
  if (GREETED.test(before) || CONDITION.test(before)) ways = 1
  else if (begins && CALLED.test(behind)) ways = isTurn && certain === 1 ? 0 : 1
  else if (TOWARDS.test(before) && OPENED.test(behind)) ways = 1
  if (AT_WORK.test(behind)) ways += 1
  if (ways > 0 || isTurn) return certain + ways
  return certain === 1 && MODAL.test(behind) ? 1 : -1
}

/** The work of a reader instead of the reader. */
function tasksIn(lower: string): Address[] {
  const begun = taskStems.flatMap((stem) => places(lower, stem).map((from) => ({ from })))
  const tasks = outermost(begun, MAX_WORDS).flatMap(({ from }): Address[] => {
    const task = isInsideWord(lower, from) ? null : TASK.exec(lower.slice(from, from + LEAD))
    return task === null ? [] : [{ from, end: from + task[0].length, strength: 1 }]
  })
  return outermost(tasks, MAX_PLACES)
}

function outermost<T extends { from: number }>(found: T[], max: number): T[] {
  const sorted = found.sort((one, other) => one.from - other.from)
  if (sorted.length <= 2 * max) return sorted
  return [...sorted.slice(0, max), ...sorted.slice(-max)]
}
