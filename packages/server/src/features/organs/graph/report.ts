/** What a workflow comes to over its trials. Also the job of the compute pool. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { wilson } from '../../../domain/wilson.ts'
import { randomStream } from '../random.ts'
import {
  advance,
  type Ended,
  type HistoryEntry,
  hasSucceeded,
  initialState,
  lastToEnd,
  nextDue,
  type RunState,
} from './engine.ts'
import { criticalPath, type Structure, structureOf, type Workflow } from './structure.ts'

export const VERSION = '1.1.0'
const MAX_HISTORY = 500

export interface GraphRun {
  workflow: Workflow
  seed: number
  decisions: Record<string, boolean>
  /** Where the first trial goes on; from its beginning where there is none. */
  from?: RunState
  cutAt?: number
}

const randomOf = (seed: number, trial: number) =>
  randomStream({ organ: 'N2', version: VERSION, op: 'run', seed }, trial)

/** The first trial, with its history. */
export function firstTrial({ workflow, seed, decisions, from, cutAt }: GraphRun, structure: Structure) {
  const history: HistoryEntry[] = []
  const record = (entry: HistoryEntry) => history.push(entry)
  const inputs = { workflow, structure, decisions, record }
  let state = initialState(structure)
  if (from !== undefined) {
    // What led to the state is told again; what follows comes from the state itself.
    advance(state, { ...inputs, random: randomOf(seed, 0), until: from.events })
    state = structuredClone(from)
  }
  const until = cutAt === undefined ? {} : { until: cutAt }
  const ended = advance(state, { ...inputs, random: randomOf(seed, 0), ...until })
  return { state, ended, history }
}

/** Whether a state is one that this workflow comes to, with the same numbers. */
export function isReached({ workflow, seed, decisions }: GraphRun, state: RunState): boolean {
  const structure = structureOf(workflow)
  const again = initialState(structure)
  const inputs = { workflow, structure, decisions, record: () => null, until: state.events }
  advance(again, { ...inputs, random: randomOf(seed, 0) })
  return digest(again) === digest(state)
}

const digest = (value: unknown): string => sha256Hex(canonicalBytes(value))

export function runGraph(run: GraphRun) {
  const { workflow, seed, decisions } = run
  const structure = structureOf(workflow)
  const first = firstTrial(run, structure)
  const isOpen = first.ended === 'awaiting' || first.ended === 'cut'
  const { criticality, ran, ...figures } = isOpen ? OPEN : tallyOf(run, structure, first)
  const { total, path, slack, times } = criticalPath(workflow, structure)
  const due = nextDue(first.state)
  return {
    ended: first.ended === 'done' ? outcomeOf(first.ended, first.state, structure) : first.ended,
    awaiting: first.ended === 'awaiting' ? workflow.nodes[due]!.id : null,
    ...figures,
    success_exact: exactSuccess(workflow, structure, decisions),
    critical_path: path,
    critical_path_ms: total,
    nodes: workflow.nodes.map(({ id }, at) => ({
      ...{ id, expected_ms: times[at]!, slack_ms: slack[at]! },
      ...{ criticality: criticality?.[at] ?? null, ran: ran?.[at] ?? null },
      first_trial: first.state.nodes[at]!.status,
    })),
    events: first.state.events,
    history: first.history.slice(0, MAX_HISTORY),
    ...(first.history.length > MAX_HISTORY ? { history_truncated_from: first.history.length } : {}),
    final_state_sha256: isOpen ? null : digest({ seed, decisions: used(workflow, decisions), state: first.state }),
    state: isOpen ? first.state : null,
  }
}

/** Only what a person decided of this workflow, whatever else was said. */
const used = ({ nodes }: Workflow, decisions: GraphRun['decisions']) =>
  Object.fromEntries(nodes.flatMap(({ id }) => (Object.hasOwn(decisions, id) ? [[id, decisions[id]!]] : [])))

const OPEN = {
  ...{ makespan_ms: null, makespan_success_ms: null, success_rate: null, success_interval: null, cost: null },
  ...{ criticality: null, ran: null },
  ...{ stopped_by_max_steps: null, undecided_trials: null },
}

const outcomeOf = (ended: Ended, state: RunState, structure: Structure) =>
  hasSucceeded(ended, state, structure) ? ('succeeded' as const) : ('failed' as const)

function tallyOf({ workflow, seed, decisions }: GraphRun, structure: Structure, first: ReturnType<typeof firstTrial>) {
  const { nodes, trials } = workflow
  const [makespans, good, costs] = [[] as number[], [] as number[], [] as number[]]
  const [critical, ran] = [nodes.map(() => 0), nodes.map(() => 0)]
  let [stopped, undecided] = [0, 0]
  for (let trial = 0; trial < trials; trial += 1) {
    const state = trial === 0 ? first.state : initialState(structure)
    const ended =
      trial === 0 ? first.ended : advance(state, { workflow, structure, decisions, random: randomOf(seed, trial) })
    // Nobody knows how a trial goes on that came to a person who was not asked in the first one.
    if (ended === 'awaiting') {
      undecided += 1
      continue
    }
    if (ended === 'max_steps') stopped += 1
    makespans.push(state.clock_us / 1000)
    if (hasSucceeded(ended, state, structure)) good.push(state.clock_us / 1000)
    costs.push(state.nodes.reduce((sum, { attempts }, at) => sum + attempts * nodes[at]!.cost, 0))
    for (const at of lastToEnd(state, structure)) critical[at]! += 1
    for (const [at, { attempts }] of state.nodes.entries()) ran[at]! += Number(attempts > 0)
  }
  return {
    makespan_ms: spread(makespans),
    makespan_success_ms: good.length === 0 ? null : spread(good),
    success_rate: good.length / makespans.length,
    success_interval: wilson(good.length, makespans.length),
    cost: spread(costs),
    stopped_by_max_steps: stopped,
    undecided_trials: undecided,
    criticality: critical.map((count) => count / makespans.length),
    ran: ran.map((count) => count / makespans.length),
  }
}

/** Nearest ranks. */
function spread(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!
  return { mean: values.reduce((sum, value) => sum + value, 0) / values.length, p50: rank(0.5), p95: rank(0.95) }
}

/** Of a workflow whose every node must succeed once: the product of their chances. Null for any other, and while a person
 *  has not decided. */
function exactSuccess({ nodes, edges, max_steps }: Workflow, { loops }: Structure, decisions: GraphRun['decisions']) {
  const isPlain = edges.every(({ when = 'success' }) => when === 'success') && loops.every(({ length }) => length === 0)
  const steps = nodes.reduce((sum, { retries }) => sum + retries + 1, 0)
  const isDecided = nodes.every(({ kind, id }) => kind !== 'human' || Object.hasOwn(decisions, id))
  if (!isPlain || steps > max_steps || !isDecided) return null
  return nodes.reduce(
    (chance, { kind, id, p_fail, retries }) =>
      chance * (kind === 'human' ? Number(decisions[id]) : 1 - p_fail ** (retries + 1)),
    1,
  )
}
