/** The job of the compute pool. Pure: the same parameters give the same result. */
import { type Example, type ExampleRequest, makeExample } from './example.ts'
import { identify } from './identify.ts'
import { WorkExceeded } from './integrate.ts'
import type { Problem } from './model.ts'
import { mixingStability } from './stability.ts'
import { SYSTEMS, type SystemName, type Values } from './systems.ts'

export interface IdentifyJob {
  system: SystemName
  unknowns: readonly string[]
  fixed: Values
  bounds: Readonly<Record<string, readonly [number, number]>>
  seed: number
  temperature: number
  /** Exactly one of the two. */
  data: { t: number[]; y: number[][] } | null
  example: Pick<ExampleRequest, 'noise' | 'case'> | null
}

export function identifyJob(job: IdentifyJob) {
  let made: Example | null = null
  let data = job.data ?? { t: [], y: [] }
  const shown = () => ({ truth: made?.truth ?? null, noiseSd: made?.noise_sd ?? null, ...data })
  const nothing = { found: null, stability: null }
  try {
    if (job.example !== null) {
      made = makeExample({ ...job, ...job.example })
      if (made === null) return { state: 'no_example' as const, work: 0, cap: null, ...nothing, ...shown() }
      data = { t: [...made.problem.t], y: made.problem.y.map((row) => [...row]) }
    }
    const { system, unknowns, fixed } = job
    const problem: Problem = made?.problem ?? { system, ...data, unknowns, fixed }
    const { found, work } = identify({ problem, bounds: job.bounds, seed: job.seed })
    if (found === null) return { state: 'no_solution' as const, work, cap: null, ...nothing, ...shown() }
    const stability = system === 'redlich_kister' ? stabilityOf(problem, found, job.temperature) : null
    return { state: 'done' as const, work, cap: null, found, stability, ...shown() }
  } catch (error) {
    if (!(error instanceof WorkExceeded)) throw error
    return { state: 'work_exceeded' as const, work: error.work, cap: error.cap, ...nothing, ...shown() }
  }
}

export type IdentifyOutcome = ReturnType<typeof identifyJob>

type Found = NonNullable<ReturnType<typeof identify>['found']>

/** Only from values that are asserted: a phase diagram of guesses is none. */
function stabilityOf({ unknowns, fixed }: Problem, { discovered, refusals }: Found, temperature: number) {
  if (unknowns.some((name) => refusals[name] !== undefined)) return null
  const system = SYSTEMS.redlich_kister
  if (system.kind !== 'linear') return null
  const values: Values = { ...fixed, ...Object.fromEntries(discovered.map(({ name, value }) => [name, value])) }
  const excess = (x: number) =>
    Object.entries(values).reduce((sum, [name, value]) => sum + value * system.basis(name, x), 0)
  return mixingStability(excess, temperature)
}
