// `npm run bench`: every scenario beside its reference in one run, rounds interleaved (A B A B), medians, as ratios.
// Arguments: --only name,name (references come along)  --rounds n  --seconds n
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { entryOf, mergeResults, type Results, tableOf } from './results.ts'
import { type Runner, type Scenario, Unavailable } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

const FILE = fileURLToPath(new URL('./results.json', import.meta.url))

interface Slot {
  scenario: Scenario
  runner: Runner | undefined
  values: number[]
  reason?: string
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
    },
  })
  const chosen = choose(values.only)
  const startedAt = new Date().toISOString()
  const machine = { cores: availableParallelism(), arch: process.arch, node: process.version }
  process.stderr.write(
    `${machine.cores} cores, ${machine.arch}, node ${machine.node}; server and load each in a process of its own\n`,
  )
  const slots = await prepareAll(chosen)
  try {
    for (let iteration = 1; iteration <= Number(values.rounds); iteration += 1)
      await measureAll(slots, iteration, Number(values.seconds))
  } finally {
    await Promise.all(slots.map(({ runner }) => runner?.close()))
  }
  const measured = new Map(
    slots.map(({ scenario, values, reason }) => [scenario.name, { values, ...(reason ? { reason } : {}) }]),
  )
  const results = Object.fromEntries(chosen.map((scenario) => [scenario.name, entryOf(scenario, measured, startedAt)]))
  write({ schema: 'orch.bench/v1', machine, started_at: startedAt, results }, values.only !== undefined)
}

function choose(only: string | undefined): Scenario[] {
  if (only === undefined) return [...SCENARIOS]
  const wanted = new Set(only.split(','))
  const unknown = [...wanted].filter((name) => !SCENARIOS.some((scenario) => scenario.name === name))
  if (unknown.length > 0)
    throw new RangeError(
      `unknown scenario ${unknown.join(', ')}; known: ${SCENARIOS.map(({ name }) => name).join(', ')}`,
    )
  // A ratio or a difference needs its reference measured beside it.
  for (const { name, ratioTo, addedTo } of SCENARIOS)
    if (wanted.has(name)) for (const other of [ratioTo, addedTo]) if (other !== undefined) wanted.add(other)
  return SCENARIOS.filter(({ name }) => wanted.has(name))
}

// One after the other: a warm-up must not be measured against another warm-up.
async function prepareAll(scenarios: readonly Scenario[]): Promise<Slot[]> {
  const slots: Slot[] = []
  for (const scenario of scenarios) {
    const slot: Slot = { scenario, runner: undefined, values: [] }
    await orReason(slot, async () => {
      slot.runner = await scenario.prepare()
    })
    slots.push(slot)
  }
  return slots
}

async function measureAll(slots: readonly Slot[], iteration: number, seconds: number): Promise<void> {
  for (const slot of slots) {
    const { runner } = slot
    if (!runner || slot.reason !== undefined) continue
    await orReason(slot, async () => {
      const value = await runner.measure(seconds)
      slot.values.push(value)
      process.stderr.write(`round ${iteration} ${slot.scenario.name}: ${value.toFixed(1)} ${slot.scenario.unit}\n`)
    })
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

function write(current: Results, narrowed: boolean): void {
  const previous = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : undefined
  const merged = mergeResults(previous, current, narrowed)
  writeFileSync(FILE, `${JSON.stringify(merged, null, 2)}\n`)
  process.stdout.write(tableOf(merged))
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

try {
  await main()
} catch (error) {
  if (!(error instanceof RangeError) && !(error instanceof TypeError && 'code' in error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
