/** One run of a workflow, event by event. Its whole state is plain data in whole microseconds: what is written down and
 *  read back goes on exactly as if nothing had happened. */
import { canonicalize, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { closed, Hex64, Nullable, words } from '../../../domain/wire.ts'
import type { Random } from '../random.ts'
import type { Structure, When, Workflow } from './structure.ts'

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const NodeState = closed({
  status: words(['waiting', 'running', 'succeeded', 'failed', 'skipped']),
  round: Count,
  failures: Count,
  attempts: Count,
  ...{ start_us: Nullable(Count), end_us: Nullable(Count) },
  due: Nullable(closed({ at_us: Count, seq: Count, event: words(['begin', 'success', 'error']) })),
})
type NodeState = Static<typeof NodeState>
export const RunState = closed({
  ...{ clock_us: Count, steps: Count, events: Count, seq: Count },
  history_sha256: Hex64,
  nodes: Type.Array(NodeState, { minItems: 1, maxItems: 64 }),
})
export type RunState = Static<typeof RunState>

export interface HistoryEntry {
  index: number
  t_ms: number
  node: string
  event: 'start' | 'error' | 'succeeded' | 'failed' | 'skipped' | 'cancelled'
  round: number
  attempt: number
}

/** `awaiting`: a person must decide. `cut`: as many events as were asked for have happened. */
export type Ended = 'done' | 'max_steps' | 'awaiting' | 'cut'

interface RunInputs {
  workflow: Workflow
  structure: Structure
  /** Of the trial from its beginning; what the state has used of it is skipped. */
  random: Random
  decisions: Readonly<Record<string, boolean>>
  /** Where it is given, the digest of the history is kept as well. */
  record?: (entry: HistoryEntry) => unknown
  /** Stop after this many events. */
  until?: number
}

const DRAWS_PER_STEP = 2

export function initialState({ incoming }: Structure): RunState {
  const nodes = incoming.map((links, at): NodeState => {
    const due = links.length === 0 ? { at_us: 0, seq: at, event: 'begin' as const } : null
    return { status: 'waiting', round: 0, failures: 0, attempts: 0, start_us: null, end_us: null, due }
  })
  return { clock_us: 0, steps: 0, events: 0, seq: nodes.length, history_sha256: sha256Hex(''), nodes }
}

/** Goes on from the state, which it changes. */
export function advance(state: RunState, inputs: RunInputs): Ended {
  const { workflow, structure, random, decisions, record, until = Infinity } = inputs
  const { nodes } = state
  /** The nodes that something is due for, in any order. */
  const pending = dueNodes(state)
  for (let draw = 0; draw < state.steps * DRAWS_PER_STEP; draw += 1) random.uniform()

  const note = (at: number, event: HistoryEntry['event']): void => {
    if (record === undefined) return
    const { round, failures } = nodes[at]!
    const base = { index: state.events, t_ms: state.clock_us / 1000, node: workflow.nodes[at]!.id, event }
    const entry = { ...base, round, attempt: event === 'skipped' ? 0 : failures + 1 }
    state.history_sha256 = sha256Hex(state.history_sha256 + canonicalize(entry))
    record(entry)
  }
  const schedule = (at: number, event: 'begin' | 'success' | 'error', inUs: number): void => {
    if (nodes[at]!.due === null) pending.push(at)
    nodes[at]!.due = { at_us: state.clock_us + Math.round(inUs), seq: state.seq, event }
    state.seq += 1
  }
  const cancel = (at: number): void => {
    if (nodes[at]!.due === null) return
    nodes[at]!.due = null
    // Their order does not matter.
    const last = pending.pop()!
    if (last !== at) pending[pending.indexOf(at)] = last
  }
  const begin = (at: number): void => {
    const node = workflow.nodes[at]!
    const one = nodes[at]!
    if (one.failures === 0) one.start_us = state.clock_us
    one.status = 'running'
    one.attempts += 1
    state.steps += 1
    note(at, 'start')
    // Both numbers are drawn every time, so that steps alone say how many were.
    const luck = random.uniform()
    const exponential = random.exponential(1)
    const fails = node.kind === 'human' ? !decisions[node.id] : luck < node.p_fail
    schedule(at, fails ? 'error' : 'success', 1000 * node.mean_ms * (node.dist === 'exp' ? exponential : 1))
  }
  const fail = (at: number): void => {
    const [{ retries, backoff_ms }, one] = [workflow.nodes[at]!, nodes[at]!]
    if (one.failures >= retries) settle(at, 'failed')
    else {
      note(at, 'error')
      schedule(at, 'begin', 1000 * backoff_ms * 2 ** one.failures)
      one.failures += 1
    }
  }
  const settle = (at: number, status: 'succeeded' | 'failed' | 'skipped'): void => {
    nodes[at]!.status = status
    nodes[at]!.end_us = state.clock_us
    note(at, status)
    let isBack = false
    for (const { node, when } of structure.loops[at]!) {
      if (status === 'skipped' || !isTaken(when, status)) continue
      restart(node)
      isBack = true
    }
    if (!isBack) for (const { node } of structure.outgoing[at]!) join(node)
  }
  /** Starts a node when all edges to it are decided and taken, and skips it where one is not taken. */
  const join = (at: number): void => {
    if (nodes[at]!.status !== 'waiting' || nodes[at]!.due !== null) return
    const links = structure.incoming[at]!
    if (!links.every(({ node }) => isSettled(nodes[node]!))) return
    if (links.every(({ node, when }) => isTaken(when, nodes[node]!.status))) schedule(at, 'begin', 0)
    else settle(at, 'skipped')
  }
  const restart = (target: number): void => {
    for (const at of structure.behind[target]!) {
      const one = nodes[at]!
      if (one.status === 'running') note(at, 'cancelled')
      one.status = 'waiting'
      one.round += 1
      one.failures = 0
      one.start_us = null
      one.end_us = null
      cancel(at)
    }
    schedule(target, 'begin', 0)
  }

  for (;;) {
    const at = earliest(nodes, pending)
    if (at === -1) return 'done'
    if (state.events >= until) return 'cut'
    const { event, at_us } = nodes[at]!.due!
    const { kind, id } = workflow.nodes[at]!
    if (event === 'begin' && kind === 'human' && !Object.hasOwn(decisions, id)) return 'awaiting'
    if (event === 'begin' && state.steps === workflow.max_steps) return 'max_steps'
    state.clock_us = at_us
    state.events += 1
    cancel(at)
    if (event === 'begin') begin(at)
    else if (event === 'error') fail(at)
    else settle(at, 'succeeded')
  }
}

const dueNodes = ({ nodes }: RunState): number[] => nodes.flatMap(({ due }, at) => (due === null ? [] : [at]))

/** The node whose turn is next; -1 where nothing is due. */
export const nextDue = (state: RunState): number => earliest(state.nodes, dueNodes(state))

/** Of those that are due at the same time the one that was scheduled first. */
function earliest(nodes: readonly NodeState[], pending: readonly number[]): number {
  let found = -1
  let [time, order] = [Infinity, Infinity]
  for (let place = 0; place < pending.length; place += 1) {
    const { at_us, seq } = nodes[pending[place]!]!.due!
    if (at_us > time || (at_us === time && seq > order)) continue
    found = pending[place]!
    time = at_us
    order = seq
  }
  return found
}

const isSettled = ({ status }: NodeState): boolean => status !== 'waiting' && status !== 'running'

const isTaken = (when: When, status: NodeState['status']): boolean =>
  when === 'always' || status === (when === 'success' ? 'succeeded' : 'failed')

/** A run succeeds that came to its end, whose failed nodes each have an edge for that case, and that leads somewhere: a
 *  node succeeded that hands over to nobody. Where all work is handed to nodes that are skipped, nothing came of it. */
export const hasSucceeded = (ended: Ended, { nodes }: RunState, { outgoing }: Structure): boolean =>
  ended === 'done' &&
  nodes.every(({ status }, at) => status !== 'failed' || outgoing[at]!.some(({ when }) => when === 'failure')) &&
  nodes.some(
    ({ status }, at) => status === 'succeeded' && !outgoing[at]!.some(({ when }) => isTaken(when, 'succeeded')),
  )

/** The nodes on the way that made the run as long as it was: from the last to end back to one that waited for nobody. */
export function lastToEnd({ nodes }: RunState, { incoming }: Structure): number[] {
  const ran = nodes.flatMap(({ end_us }, at) => (end_us === null ? [] : [at]))
  const path: number[] = []
  let at = ran.reduce((last, one) => (last === -1 || nodes[one]!.end_us! > nodes[last]!.end_us! ? one : last), -1)
  while (at !== -1) {
    const { status, start_us, end_us } = nodes[at]!
    if (status !== 'skipped') path.push(at)
    const began = start_us ?? end_us
    at = incoming[at]!.find(({ node }) => nodes[node]!.end_us === began)?.node ?? -1
  }
  return path
}
