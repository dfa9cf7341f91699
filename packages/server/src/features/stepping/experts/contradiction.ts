/** An action both asked for and forbidden. Actions are compared by marks: kind, thing and receiver. Of earlier steps
 *  only keyed hashes of marks are kept, so a session remembers what was forbidden without remembering the text. */
import type { Action } from './actions.ts'
import type { KeyedHash } from './novelty.ts'

const ALL = '*'
const ANY = '?'
const MAX_MARKS = 256

/** `remove the logs` is forbidden by `do not delete the logs`; `save` is not forbidden by `do not rename`. */
const groupOf = ({ kind, lemma }: Action): string =>
  kind === 'delete' || kind === 'pay' || kind === 'send' ? kind : `${kind} ${lemma}`

const mark = (action: Action, thing: string, receiver: string): string =>
  JSON.stringify([groupOf(action), thing, receiver])

/** What stands for an action without a noun: everything, or within one text its pronoun. */
function thingsOf({ object }: Action, withPronouns: boolean): string[] {
  if (object.heads.length > 0) return object.heads
  if (object.pronoun && !object.universal) return withPronouns ? ['it'] : []
  return [ALL]
}

/** All marks under which the action may be found again. */
export function marksOf(action: Action, withPronouns = false): string[] {
  const things = thingsOf(action, withPronouns)
  const receivers = action.recipient.heads.length > 0 ? action.recipient.heads : ['']
  return [
    ...things.flatMap((thing) => [...receivers, ANY].map((receiver) => mark(action, thing, receiver))),
    ...(things.length > 0 ? [mark(action, ANY, ANY)] : []),
  ]
}

/** The marks whose presence on the other side contradicts this action. */
export function oppositesOf(action: Action, withPronouns = false): string[] {
  const things = thingsOf(action, withPronouns)
  if (things.includes(ALL)) return [mark(action, ANY, ANY)]
  const receivers = action.recipient.heads.length > 0 ? [...action.recipient.heads, ''] : [ANY]
  return [...things, ...(things.length > 0 ? [ALL] : [])].flatMap((thing) =>
    receivers.map((receiver) => mark(action, thing, receiver)),
  )
}

const used = (actions: readonly Action[], use: Action['use']): Action[] =>
  actions.filter((action) => action.use === use)

/** The asked actions that the same text forbids. */
export function contradictionsIn(actions: readonly Action[]): Action[] {
  const forbidden = new Set(used(actions, 'forbidden').flatMap((action) => marksOf(action, true)))
  return used(actions, 'asked').filter((action) => oppositesOf(action, true).some((wanted) => forbidden.has(wanted)))
}

export interface ActionMarks {
  asked: string[]
  forbidden: string[]
}

/** What the session remembers of a step. */
export function rememberedMarks(actions: readonly Action[], hash: KeyedHash): ActionMarks {
  const hashed = (use: Action['use']): string[] =>
    [...new Set(used(actions, use).flatMap((action) => marksOf(action)))].slice(0, MAX_MARKS).map(hash)
  return { asked: hashed('asked'), forbidden: hashed('forbidden') }
}

/** Whether one of the actions stands against what earlier steps asked or forbade. */
export function contradictsEarlier(
  actions: readonly Action[],
  earlier: Iterable<{ asked: readonly string[]; forbidden: readonly string[] }>,
  hash: KeyedHash,
): Action[] {
  const [asked, forbidden] = [new Set<string>(), new Set<string>()]
  for (const step of earlier) {
    for (const one of step.asked) asked.add(one)
    for (const one of step.forbidden) forbidden.add(one)
  }
  const against = (use: Action['use'], marks: ReadonlySet<string>): Action[] =>
    marks.size === 0
      ? []
      : used(actions, use).filter((action) => oppositesOf(action).some((wanted) => marks.has(hash(wanted))))
  return [...against('asked', forbidden), ...against('forbidden', asked)]
}

/** "only" and "all" said of the same kind of action and the same role. */
export function onlyAgainstAll(actions: readonly Action[], limitedBefore: (at: number) => boolean): Action[] {
  const limited = new Set<string>()
  const found: Action[] = []
  for (const action of used(actions, 'asked')) {
    const { object, recipient } = action
    if ((object.limited && object.universal) || (recipient.limited && recipient.universal)) found.push(action)
    if (!object.universal && (object.limited || limitedBefore(action.at))) limited.add(`${groupOf(action)} object`)
    if (!recipient.universal && recipient.limited) limited.add(`${groupOf(action)} recipient`)
  }
  const wide = used(actions, 'asked').filter(
    (action) =>
      (action.object.universal && limited.has(`${groupOf(action)} object`)) ||
      (action.recipient.universal && limited.has(`${groupOf(action)} recipient`)),
  )
  return [...found, ...wide]
}
