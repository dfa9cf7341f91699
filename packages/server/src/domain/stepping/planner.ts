// Planner: what would be done. It reads verbs and their objects and knows nothing of what a tool would make of them.
import type { Fraction } from '../agent/exact-number.ts'
import type { Action } from './actions.ts'
import { distinct, type ExpertFinding, FULL, NONE, type Opinion } from './expert.ts'
import { larger, ratio } from './millionths.ts'
import { placeOf, type Reading, type ReadView } from './reading.ts'
import type { ActionClass } from './verbs.ts'

const EFFECT: Record<ActionClass, Fraction> = {
  read: NONE,
  write: ratio(1, 4),
  send: ratio(1, 2),
  execute: ratio(1, 2),
  pay: FULL,
  delete: FULL,
}
const BOUNDED: readonly ActionClass[] = ['delete', 'pay', 'send']

export function planner({ views }: Reading): Opinion {
  const found = views.flatMap((view) =>
    view.actions.filter(({ use, kind }) => use === 'asked' && kind !== 'read').map((action) => ({ view, action })),
  )
  const unbounded = found.filter(({ action }) => isUnbounded(action))
  return {
    expert: 'planner',
    verdict: unbounded.length > 0 ? 'block' : found.length > 0 ? 'caution' : 'pass',
    findings: distinct([
      ...unbounded.map(({ view, action }) => finding(view, action, 'unbounded_scope')),
      ...found.map(({ view, action }) => finding(view, action, 'effect_action')),
    ]),
    intensities: {
      effect_action: found.map(({ action }) => EFFECT[action.kind]).reduce(larger, NONE),
      unbounded_scope: unbounded.length > 0 ? FULL : NONE,
    },
  }
}

/** Everything, everybody, or nothing said at all. */
export function isUnbounded({ kind, object, recipient }: Action): boolean {
  if (!BOUNDED.includes(kind)) return false
  const named = object.heads.length > 0 || object.pronoun || object.outside
  return object.universal || recipient.universal || !named
}

function finding(view: ReadView, action: Action, weight_id: 'unbounded_scope' | 'effect_action'): ExpertFinding {
  const code =
    weight_id === 'unbounded_scope' ? `UNBOUNDED_${action.kind.toUpperCase()}` : `ACTION_${action.kind.toUpperCase()}`
  return { code, weight_id, span: placeOf(view, action), evidence: `${action.lemma} (${action.kind})` }
}
