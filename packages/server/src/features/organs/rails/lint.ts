/** What is wrong with rails: faults that refuse them, and findings that a person should look at. */
import type { RequestFault } from '../organ.ts'
import type { Dialog, LintFinding, Rails } from './shapes.ts'
import { TopicIndex, topicsOf } from './topics.ts'

/** Names that are used and not declared, or declared twice. */
export function railFaults(rails: Rails): RequestFault[] {
  const topics = topicsOf(rails).map(({ name }) => name)
  const faults: RequestFault[] = []
  const refuse = (place: (string | number)[], message: string) => faults.push({ place: ['rails', ...place], message })
  if (new Set(topics).size < topics.length) refuse(['topics'], 'must name each topic once')
  const { dialog } = rails
  if (dialog === undefined) return faults
  const states = new Set(dialog.states)
  const mustBeState = (name: string, ...place: (string | number)[]) => {
    if (!states.has(name)) refuse(['dialog', ...place], 'must be one of the states')
  }
  if (states.size < dialog.states.length) refuse(['dialog', 'states'], 'must name each state once')
  mustBeState(dialog.initial, 'initial')
  for (const [at, state] of (dialog.final ?? []).entries()) mustBeState(state, 'final', at)
  for (const [at, { from, to, on }] of dialog.transitions.entries()) {
    mustBeState(from, 'transitions', at, 'from')
    mustBeState(to, 'transitions', at, 'to')
    if (on !== '*' && !topics.includes(on)) refuse(['dialog', 'transitions', at, 'on'], 'must be a topic or *')
  }
  return faults
}

export const lintRails = (rails: Rails): LintFinding[] => [
  ...(rails.dialog === undefined ? [] : lintDialog(rails.dialog)),
  ...new TopicIndex(topicsOf(rails))
    .overlaps()
    .map(({ topics, phrases }) => finding('OVERLAPPING_TOPICS', topics, `"${phrases[0]}" and "${phrases[1]}"`)),
]

function lintDialog({ initial, states, final = [], transitions }: Dialog): LintFinding[] {
  const reached = new Set([initial])
  // A set takes what is added while it is walked.
  for (const state of reached) for (const { from, to } of transitions) if (from === state) reached.add(to)
  const isLeft = (state: string) => transitions.some(({ from, to }) => from === state && to !== state)
  const pairs = transitions.map(({ from, on }) => `${from} on ${on}`)
  const twice = new Set(pairs.filter((pair, at) => pairs.indexOf(pair) < at))
  return [
    ...states
      .filter((state) => !reached.has(state))
      .map((state) => finding('UNREACHABLE_STATE', [state], `no transitions lead from ${initial} to ${state}`)),
    ...states
      .filter((state) => reached.has(state) && !isLeft(state) && !final.includes(state))
      .map((state) => finding('DEAD_END', [state], `nothing leads out of ${state}, and it is not final`)),
    ...[...twice].map((pair) =>
      finding('AMBIGUOUS_TRANSITION', [pair], `two transitions leave ${pair}; the first is taken`),
    ),
  ]
}

const finding = (code: LintFinding['code'], names: string[], detail: string): LintFinding => ({ code, names, detail })
