// `npm run bench`: every scenario beside its reference in one run, rounds interleaved (A B A B), medians, as ratios.
// Arguments: --only name,name (references come along)  --rounds n  --seconds n  --out file  --progress (as JSON lines)
// --peers: instead, others in the same place beside us (npm run bench:peers).
// --spread: instead, rates, waits and processor time at growing sizes and numbers of callers (spread.ts).
// --memory: instead, resident memory as requests come in (memory.ts).
// --overload: instead, what is answered when more is asked than can be (overload.ts).
// --account: instead, where the processor time of a request goes, by thread and by stage (--only decision,step,chat).
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { accountOf, accountTable, medians } from './account.ts'
import type { HttpTarget } from './http-load.ts'
import { memoryOf, memoryTable } from './memory.ts'
import { overloadOf, overloadTable } from './overload.ts'
import { entryOf, mergeResults, type Results, tableOf } from './results.ts'
import { RESULTS_FILE, readResults, recordEntry, writeResults } from './results-file.ts'
import { type Runner, type Scenario, Unavailable } from './scenario.ts'
import { ACCOUNTED, programThreads, SCENARIOS } from './scenarios.ts'
import { readSource, type Source } from './source.ts'
import { spreadOf, spreadTable } from './spread.ts'

interface Slot {
  scenario: Scenario
  runner: Runner | undefined
  values: number[]
  reason?: string
}

const USUAL = { rounds: '5', seconds: '5' }
const OVERLOAD = { rounds: '3', seconds: '10', connections: '9000' }

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      out: { type: 'string', default: RESULTS_FILE },
      progress: { type: 'boolean', default: false },
      account: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      spread: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      overload: { type: 'boolean', default: false },
      requests: { type: 'string', default: '100000' },
      sizes: { type: 'string', default: '10000,100000,1000000' },
      connections: { type: 'string' },
    },
  })
  if (values.account) return takeAccounts(values.only, values.out, { ...USUAL, ...values })
  if (values.spread) return takeSpreads(values.only, values.out, { ...USUAL, connections: '1,32,256', ...values })
  if (values.memory)
    return takeMemory(values.only ?? 'decision', values.out, { rounds: '3', connections: '32,256', ...values })
  if (values.overload) return takeOverload(values.only ?? 'decision,mint', values.out, { ...OVERLOAD, ...values })
  const all = values.peers ? await (await import('./peers/scenarios.ts')).peerScenarios() : SCENARIOS
  const chosen = choose(all, values.only)
  const startedAt = new Date().toISOString()
  const source = readSource()
  const machine = { cores: availableParallelism(), arch: process.arch, node: process.version }
  process.stderr.write(
    `${machine.cores} cores, ${machine.arch}, node ${machine.node}; server and load each in a process of its own\n`,
  )
  const { passes, seconds } = {
    passes: Number(values.rounds ?? USUAL.rounds),
    seconds: Number(values.seconds ?? USUAL.seconds),
  }
  const tell = progressOf(values.progress, chosen.length * (passes + 1))
  const slots = await prepareAll(chosen, tell)
  try {
    for (let iteration = 1; iteration <= passes; iteration += 1) await measureAll(slots, iteration, seconds, tell)
  } finally {
    await Promise.all(slots.map(({ runner }) => runner?.close()))
  }
  const measured = new Map(
    slots.map(({ scenario, values, reason }) => [scenario.name, { values, ...(reason ? { reason } : {}) }]),
  )
  const results = Object.fromEntries(
    chosen.map((scenario) => [scenario.name, { ...entryOf(scenario, measured, startedAt), source }]),
  )
  write(
    { schema: 'orch.bench/v1', machine, started_at: startedAt, results },
    values.peers || values.only !== undefined,
    values.out,
    source,
  )
}

type Asked = Record<'rounds' | 'seconds', string>
const numbersIn = (list: string): number[] => list.split(',').map(Number)

async function takeAccounts(only: string | undefined, file: string, { rounds: passes, seconds }: Asked): Promise<void> {
  await intoFile('account', only, file, async (name, target) => {
    const account = await accountOf(target, { passes: Number(passes), seconds: Number(seconds) })
    process.stdout.write(accountTable(name, account))
    return account
  })
}

async function takeSpreads(
  only: string | undefined,
  file: string,
  asked: Asked & Record<'sizes' | 'connections', string>,
): Promise<void> {
  const plan = {
    sizes: numbersIn(asked.sizes),
    connections: numbersIn(asked.connections),
    passes: Number(asked.rounds),
    seconds: Number(asked.seconds),
  }
  await intoFile('spread', only, file, async (name, target) => {
    const rows = await spreadOf(target, plan)
    process.stdout.write(spreadTable(name, rows))
    return { rows }
  })
}

async function takeMemory(
  only: string,
  file: string,
  { requests, connections, rounds: passes }: Record<'requests' | 'connections' | 'rounds', string>,
): Promise<void> {
  const plan = { requests: Number(requests), connections: numbersIn(connections), passes: Number(passes) }
  await intoFile('memory', only, file, async (name, target) => {
    const found = await memoryOf(target, plan)
    process.stdout.write(memoryTable(name, found))
    return found
  })
}

async function takeOverload(
  only: string,
  file: string,
  { connections, rounds: passes, seconds }: Asked & Record<'connections', string>,
): Promise<void> {
  const plan = { connections: Number(connections), passes: Number(passes), seconds: Number(seconds) }
  await intoFile('overload', only, file, async (name, target) => {
    const found = await overloadOf(target, plan)
    process.stdout.write(overloadTable(name, found))
    return found
  })
}

/** What is found of each target that was asked for. */
async function intoFile(
  section: Parameters<typeof recordEntry>[0],
  only: string | undefined,
  file: string,
  take: (name: string, target: HttpTarget) => Promise<object>,
): Promise<void> {
  for (const name of only?.split(',') ?? Object.keys(ACCOUNTED)) {
    const target = ACCOUNTED[name]
    if (target === undefined) throw new RangeError(`unknown: ${name}; known: ${Object.keys(ACCOUNTED).join(', ')}`)
    await recordEntry(section, name, file, () => take(name, target))
  }
}

function choose(all: readonly Scenario[], only: string | undefined): Scenario[] {
  if (only === undefined) return [...all]
  const wanted = new Set(only.split(','))
  const unknown = [...wanted].filter((name) => !all.some((scenario) => scenario.name === name))
  if (unknown.length > 0)
    throw new RangeError(`unknown scenario ${unknown.join(', ')}; known: ${all.map(({ name }) => name).join(', ')}`)
  // A ratio or a difference needs its reference measured beside it.
  for (const { name, ratioTo, addedTo } of all)
    if (wanted.has(name)) for (const other of [ratioTo, addedTo]) if (other !== undefined) wanted.add(other)
  return all.filter(({ name }) => wanted.has(name))
}

/** For whoever draws it: a step is one scenario made ready, or one round of it. */
function progressOf(isAsked: boolean, total: number): () => void {
  let done = 0
  return () => {
    done += 1
    if (isAsked) process.stderr.write(`${JSON.stringify({ done, total })}\n`)
  }
}

// One after the other: a warm-up must not be measured against another warm-up.
async function prepareAll(scenarios: readonly Scenario[], tell: () => void): Promise<Slot[]> {
  const slots: Slot[] = []
  for (const scenario of scenarios) {
    const slot: Slot = { scenario, runner: undefined, values: [] }
    await orReason(slot, async () => {
      slot.runner = await scenario.prepare()
    })
    slots.push(slot)
    tell()
  }
  return slots
}

async function measureAll(slots: readonly Slot[], iteration: number, seconds: number, tell: () => void): Promise<void> {
  for (const slot of slots) {
    const { runner } = slot
    await orReason(slot, async () => {
      if (!runner || slot.reason !== undefined) return
      if (slot.scenario.isReadOnce === true && iteration > 1) return
      const value = await runner.measure(seconds)
      slot.values.push(value)
      process.stderr.write(`round ${iteration} ${slot.scenario.name}: ${value.toFixed(1)} ${slot.scenario.unit}\n`)
    })
    tell()
  }
}

async function orReason(slot: Slot, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    // Rounds that went before were not fit to be shown alone: a scenario is measured whole or not at all.
    slot.values = []
    slot.reason = error.message
  }
}

function write(current: Results, narrowed: boolean, file: string, source: Source): void {
  const previous = readResults(file)
  const merged = mergeResults(previous, current, narrowed)
  writeResults({ ...merged, programs: { ...previous?.programs, ...programsOf(current.started_at, source) } }, file)
  process.stdout.write(tableOf(merged))
}

const programsOf = (run_at: string, source: Source) =>
  Object.fromEntries([...programThreads].map(([name, runs]) => [name, { threads: medians(runs), run_at, source }]))

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

try {
  await main()
} catch (error) {
  const isTold =
    error instanceof RangeError || error instanceof Unavailable || (error instanceof TypeError && 'code' in error)
  if (!isTold) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
