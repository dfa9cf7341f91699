// What it costs to count, by our series and by the library under them: `node bench/programs/series.ts`. Prints the median of
// five alternating rounds, in microseconds of processor time for one value with three labels.
import { Counter, Histogram, Registry } from 'prom-client'
import { CountSeries, DistributionSeries } from '../../packages/server/src/adapters/telemetry/series.ts'
import { median } from '../results.ts'

const VALUES = 400_000
const ITERATIONS = 5
const LABELS = ['method', 'route', 'status'] as const
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const ROUTES = Array.from({ length: 20 }, (_, at) => `/api/orch/v1/route/${at}`)

const registry = new Registry()
const named = (name: string) => ({ name, help: name, labelNames: LABELS, registers: [registry] })
const counter = new Counter(named('counter'))
const histogram = new Histogram({ ...named('histogram'), buckets: BOUNDS })
const counts = new CountSeries(registry, 'counts', 'counts', LABELS)
const distribution = new DistributionSeries(registry, 'distribution', 'distribution', BOUNDS, ...LABELS)

const works: Record<string, (route: string, value: number) => void> = {
  'a count, ours': (route) => counts.add('POST', route, '200'),
  'a count, the library': (route) => counter.inc({ method: 'POST', route, status: '200' }),
  'a distribution, ours': (route, value) => distribution.observe(value, 'POST', route, '200'),
  'a distribution, the library': (route, value) => histogram.observe({ method: 'POST', route, status: '200' }, value),
}

function microseconds(work: (route: string, value: number) => void): number {
  const before = process.cpuUsage()
  for (let at = 0; at < VALUES; at += 1) work(ROUTES[at % ROUTES.length]!, (at % 100) / 1_000)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / VALUES
}

const taken = new Map(Object.keys(works).map((name) => [name, [] as number[]]))
for (const work of Object.values(works)) microseconds(work)
for (let round = 0; round < ITERATIONS; round += 1)
  for (const [name, work] of Object.entries(works)) taken.get(name)!.push(microseconds(work))
for (const [name, values] of taken) process.stdout.write(`${name}: ${median(values)!.toFixed(2)}\n`)
