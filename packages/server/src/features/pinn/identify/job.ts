/** The job of the compute pool. Pure: the same parameters give the same result. */
import { type ExampleRequest, makeExample } from './example.ts'
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
  const made = job.example === null ? null : makeExample({ ...job, ...job.example })
  const problem: Problem = made?.problem ?? {
    system: job.system,
    t: job.data!.t,
    y: job.data!.y,
    unknowns: job.unknowns,
    fixed: job.fixed,
  }
  try {
    const { found, work } = identify({ problem, bounds: job.bounds, seed: job.seed })
    if (found === null)
      return { state: 'no_solution' as const, work, cap: null, found: null, stability: null, ...shown(made, problem) }
    const stability = job.system === 'redlich_kister' ? stabilityOf(problem, found, job.temperature) : null
    return { state: 'done' as const, work, cap: null, found, stability, ...shown(made, problem) }
  } catch (error) {
    if (!(error instanceof WorkExceeded)) throw error
    return {
      state: 'work_exceeded' as const,
      work: error.work,
      cap: error.cap,
      found: null,
      stability: null,
      ...shown(made, problem),
    }
  }
}

export type IdentifyOutcome = ReturnType<typeof identifyJob>

const shown = (made: ReturnType<typeof makeExample> | null, { t, y }: Problem) => ({
  truth: made?.truth ?? null,
  noiseSd: made?.noise_sd ?? null,
  t,
  y,
})

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
