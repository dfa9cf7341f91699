/** Planner: what would be done. It reads verbs and their objects and knows nothing of what a tool would make of
 *  them. */
import type { Effect } from '@orch/core'
import type { Fraction } from '../../../domain/exact-number.ts'
import { graverEffect } from '../../../domain/policy/requests.ts'
import { FULL, larger, NONE, ratio } from '../rules/millionths.ts'
import type { ExpertFinding } from '../schemas.ts'
import type { Action } from './actions.ts'
import { distinct, expertFinding, notUnderstood, type Opinion } from './expert.ts'
import { placeOf, type Reading, type ReadView } from './reading.ts'
import type { ActionClass } from './word-lists.ts'

const EFFECT: Record<ActionClass, Fraction> = {
  read: NONE,
  write: ratio(1, 4),
  send: ratio(1, 2),
  execute: ratio(1, 2),
  pay: FULL,
  delete: FULL,
}
const BOUNDED: readonly ActionClass[] = ['delete', 'pay', 'send']

export function planner({ views, understood }: Reading): Opinion {
  if (!understood) {
    const findings = [notUnderstood('not_understood')]
    return { expert: 'planner', verdict: 'abstain', findings, intensities: { not_understood: FULL } }
  }
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

const EFFECT_OF: Record<ActionClass, Effect> = {
  read: 'read',
  write: 'write',
  send: 'external',
  execute: 'external',
  pay: 'destructive',
  delete: 'destructive',
}

/** What the gravest action that is asked for would do. */
export const effectAsked = ({ views }: Reading): Effect =>
  views
    .flatMap(({ actions }) => actions.filter(({ use }) => use === 'asked').map(({ kind }) => EFFECT_OF[kind]))
    .reduce(graverEffect, 'none')

/** Everything, everybody, or nothing said at all. */
export function isUnbounded({ kind, object, recipient }: Action): boolean {
  if (!BOUNDED.includes(kind)) return false
  const named = object.heads.length > 0 || object.pronoun || object.outside
  return object.universal || recipient.universal || !named
}

function finding(view: ReadView, action: Action, weight_id: 'unbounded_scope' | 'effect_action'): ExpertFinding {
  const code = `${weight_id === 'unbounded_scope' ? 'UNBOUNDED' : 'ACTION'}_${action.kind.toUpperCase()}`
  return expertFinding(code, `${action.lemma} (${action.kind})`, weight_id, placeOf(view, action))
}
