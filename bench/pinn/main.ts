// Direct solvers beside a network that minimises the residual, on problems with a known solution: `npm run bench:pinn`.
// Writes packages/server/data/pinn/bench.json and the digest of its bytes beside it; the service serves both and runs nothing.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { sealOf } from '../../packages/server/src/platform/sealed-file.ts'
import { parameterCount } from './network.ts'
import { errorsOf, PROBLEMS, type Problem } from './problems.ts'
import { SOLVERS, type SolverArm } from './solvers.ts'
import { type Training, train } from './train.ts'

const FOLDER = new URL('../../packages/server/data/pinn/', import.meta.url)
const SEEDS = [1, 2, 3, 4, 5]
/** Never used for the figures. */
const TUNING_SEED = 101
const REPEATS = 9
const POINTS = 128
const BUDGET = { adamSteps: 3000, lbfgsSteps: 3000 }
const TUNING_BUDGET = { adamSteps: 800, lbfgsSteps: 500 }
const GRID = [16, 24, 32].flatMap((width) =>
  [1, 3, 6].flatMap((scale) => [3e-3, 1e-2].map((rate) => ({ width, layers: 2, scale, rate }))),
)

const digits = (value: number): number => Number(value.toPrecision(6))
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const spread = (values: readonly number[]) => ({
  median: digits(median(values)),
  min: digits(Math.min(...values)),
  max: digits(Math.max(...values)),
})

/** The median of nine timings, each over as many runs as take 20 ms. */
function measureSolver(arm: SolverArm, problem: Problem) {
  const curve = arm.sizes.map((size) => {
    const { rel_l2, max_abs } = errorsOf(problem, arm.solve(problem, size))
    const timings = Array.from({ length: REPEATS }, () => {
      const begun = performance.now()
      const cpu = process.cpuUsage()
      let runs = 0
      while (performance.now() - begun < 20 || runs === 0) {
        arm.solve(problem, size)
        runs += 1
      }
      return { wall: (performance.now() - begun) / runs, cpu: process.cpuUsage(cpu).user / 1000 / runs }
    })
    return {
      size,
      wall_ms: digits(median(timings.map(({ wall }) => wall))),
      cpu_ms: digits(median(timings.map(({ cpu }) => cpu))),
      rel_l2: digits(rel_l2),
      max_abs: digits(max_abs),
    }
  })
  return { arm: arm.id, kind: 'solver', description: arm.description, deterministic: true, work_precision: curve }
}

function tune(problem: Problem) {
  const tried = GRID.map((config) => {
    const result = train(problem, { ...config, points: POINTS, ...TUNING_BUDGET }, TUNING_SEED)
    return { ...config, rel_l2: digits(errorsOf(problem, result.u).rel_l2), loss: digits(result.loss) }
  })
  const best = tried.reduce((one, other) => (other.rel_l2 < one.rel_l2 ? other : one))
  return { tried, best }
}

function measureNetwork(problem: Problem) {
  const { tried, best } = tune(problem)
  const { width, layers, scale, rate } = best
  const training: Training = { width, layers, scale, rate, points: POINTS, ...BUDGET }
  const seeds = SEEDS.map((seed) => {
    const curve: object[] = []
    const result = train(problem, training, seed, (now) =>
      curve.push({
        evaluations: now.evaluations,
        wall_ms: digits(now.wallMs),
        cpu_ms: digits(now.cpuMs),
        rel_l2: digits(errorsOf(problem, now.u).rel_l2),
      }),
    )
    const { rel_l2, max_abs } = errorsOf(problem, result.u)
    const row = { seed, rel_l2: digits(rel_l2), max_abs: digits(max_abs), loss: digits(result.loss) }
    console.log(problem.id, JSON.stringify(row), Math.round(result.wallMs))
    return {
      ...row,
      wall_ms: digits(result.wallMs),
      cpu_ms: digits(result.cpuMs),
      evaluations: result.evaluations,
      work_precision: curve,
    }
  })
  return {
    arm: 'tanh_network',
    kind: 'neural',
    description:
      'two hidden tanh layers, second derivatives by hand, ends met by construction, Adam with a cosine schedule, then L-BFGS (20 pairs, Wolfe line search)',
    deterministic: false,
    settings: { ...training, parameters: parameterCount(training) },
    tuning: {
      criterion:
        'smallest relative L2 error against the exact solution on a seed that no figure uses: in favour of the network, since in use nobody knows that error',
      seed: TUNING_SEED,
      budget: TUNING_BUDGET,
      tried,
    },
    seeds,
    rel_l2: spread(seeds.map((row) => row.rel_l2)),
    wall_ms: spread(seeds.map((row) => row.wall_ms)),
    cpu_ms: spread(seeds.map((row) => row.cpu_ms)),
  }
}

const loadBefore = loadavg()[0]!
const begunAt = new Date()
const problems = PROBLEMS.map((problem) => ({
  id: problem.id,
  equation: problem.equation,
  disclosure: problem.disclosure,
  metric: 'relative L2 and largest absolute error on 513 equidistant points, against the exact solution',
  arms: [
    ...SOLVERS.filter((arm) => arm.problem === problem.id).map((arm) => measureSolver(arm, problem)),
    measureNetwork(problem),
  ],
}))
const [cpu] = cpus()
const payload = {
  measured_at: begunAt.toISOString(),
  wall_seconds: digits((Date.now() - begunAt.getTime()) / 1000),
  machine: {
    cpu: cpu?.model ?? 'unknown',
    cores: availableParallelism(),
    memory_bytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    load1_before: digits(loadBefore),
    load1_after: digits(loadavg()[0]!),
  },
  versions: { node: process.versions.node, v8: process.versions.v8 },
  reproduce: 'npm run bench:pinn',
  problems,
  energy: null,
  energy_reason: 'no energy meter was read',
  caveats: [
    'one thread of a shared machine: wall times carry the load of the others, user processor times much less, errors not at all',
    'one-dimensional problems with smooth known solutions favour direct solvers; nothing here speaks of high dimensions or of inverse problems',
  ],
}
const text = `${JSON.stringify({ schema: 'orch.pinn-bench/v1', sha256: sealOf(payload), payload }, null, 1)}\n`
mkdirSync(FOLDER, { recursive: true })
writeFileSync(new URL('bench.json', FOLDER), text)
const digest = createHash('sha256').update(text).digest('hex')
writeFileSync(new URL('bench.json.sha256', FOLDER), `${digest}  bench.json\n`)
for (const { id, arms } of problems)
  for (const arm of arms)
    console.log(id, arm.arm, JSON.stringify('rel_l2' in arm ? arm.rel_l2 : arm.work_precision.at(-1)))
