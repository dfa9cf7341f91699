// The longest hostile texts through the gate engine as the service runs it, and what the event loop waits meanwhile:
// `node bench/guards/engine.ts [--write]`. Prints what it saw; `--write` keeps it under `gate_engine` of results.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type GateEngine, openGates, RULES_FOLDER } from '../../packages/server/src/governance/workers/gate-engine.ts'
import { readSource } from '../source.ts'
import { hostileTexts, SIZE } from './hostile-texts.ts'
import { slowerGate, summary } from './speed.ts'

const RESULTS = new URL('../results.json', import.meta.url)
const ITERATIONS = 5
const TOGETHER = 4
const GOALS = { p99_ms: 50, max_ms: 250, loop_lag_ms: 100 }

interface Seen {
  ms: number
  gateMs: number
  unfinished: boolean
}

async function timed(gates: GateEngine, text: string): Promise<Seen> {
  const circumstances = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const
  const begun = performance.now()
  const examination = await gates.examine({ text, ...circumstances })
  const unfinished = examination.completed < examination.planned
  return { ms: performance.now() - begun, gateMs: slowerGate(examination), unfinished }
}

/** `together` at a time, each text as often as there are rounds. */
async function measured(gates: GateEngine, together: number) {
  const texts = Array.from({ length: ITERATIONS }, hostileTexts).flat()
  const lag = monitorEventLoopDelay({ resolution: 1 })
  lag.enable()
  const seen: Seen[] = []
  const next = async (): Promise<void> => {
    for (let text = texts.pop(); text !== undefined; text = texts.pop()) seen.push(await timed(gates, text))
  }
  await Promise.all(Array.from({ length: together }, next))
  lag.disable()
  return {
    together,
    texts: seen.length,
    unfinished: seen.filter(({ unfinished }) => unfinished).length,
    answered_in: summary(seen.map(({ ms }) => ms)),
    slower_gate: summary(seen.map(({ gateMs }) => gateMs)),
    loop_lag: { p99_ms: milliseconds(lag.percentile(99)), max_ms: milliseconds(lag.max) },
  }
}

const milliseconds = (nanoseconds: number): number => Number((nanoseconds / 1e6).toFixed(1))

const gates = await openGates({ folder: RULES_FOLDER })
for (const text of hostileTexts()) await timed(gates, text)
const runs = [await measured(gates, 1), await measured(gates, TOGETHER)]
const record = {
  schema: 'orch.gate-engine-speed/v1',
  measured_at: new Date().toISOString(),
  source: readSource(),
  rules_digest: gates.status().rules_digest,
  code_points: SIZE,
  goals: GOALS,
  threads: gates.threads(),
  runs,
}
await gates.close()
process.stdout.write(`${JSON.stringify(record, null, 2)}\n`)
if (process.argv.includes('--write')) {
  const previous = JSON.parse(readFileSync(RESULTS, 'utf8'))
  writeFileSync(RESULTS, `${JSON.stringify({ ...previous, gate_engine: record }, null, 2)}\n`)
}
