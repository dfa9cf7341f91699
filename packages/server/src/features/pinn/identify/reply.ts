/** What the service says about an identification. */
import { LAMBDA } from '@orch/core'
import type { Plot } from '../../../domain/plot.ts'
import { portableDigest } from '../../../domain/portable-digest.ts'
import { significantDeep } from '../../../domain/significant.ts'
import { InputError } from '../../../errors.ts'
import type { Computed } from '../../../platform/compute/job.ts'
import type { IdentifyBody, IdentifyReply } from '../schemas.ts'
import { waldInterval } from './intervals.ts'
import type { IdentifyJob, IdentifyOutcome } from './job.ts'
import { SYSTEMS } from './systems.ts'

const DIGITS = 10
const MIN_P = 0.001
const METHOD =
  'least squares on the trajectory with the initial state estimated along, Dormand-Prince 5(4) with sensitivity equations, Levenberg-Marquardt from up to 8 starts, linear systems by QR; profile likelihood intervals'
type Found = NonNullable<IdentifyOutcome['found']>

export function toIdentifyReply(
  { body, inputSource }: { body: IdentifyBody; inputSource: IdentifyReply['input_source'] },
  job: IdentifyJob,
  { value: outcome, origin, timing }: Computed<IdentifyOutcome>,
): IdentifyReply {
  const { found } = outcome
  if (outcome.state === 'work_exceeded') throw exceeded(outcome.work, outcome.cap!)
  if (outcome.state === 'no_example') {
    const msg = 'with these values the example has no finite solution over its window; leave some of them out'
    throw new InputError([{ loc: ['body', 'fixed'], msg, type: 'no_solution' }])
  }
  if (found === null) {
    const msg = 'no start has a solution over the whole range of the data; give bounds, or other fixed values'
    throw new InputError([{ loc: ['body', 'bounds'], msg, type: 'no_solution' }])
  }
  const isExample = job.example !== null
  const discovered = discoveredOf(job, outcome, found)
  const result = significantDeep(
    {
      system: job.system,
      equation: SYSTEMS[job.system].equation,
      method: METHOD,
      observations: outcome.y.flat().length,
      convergence: {
        converged: found.fit.converged,
        iterations: found.fit.iterations,
        starts: found.starts,
        starts_agreeing: found.agreeing,
        gradient_norm: found.fit.gradientNorm,
        right_hand_sides: outcome.work,
      },
      discovered,
      initial_state: found.initial,
      fisher: fisherOf(found),
      residuals: { ...found.residuals, look_independent: lookIndependent(found) },
      validation: { held_out_rmse: found.heldOutRmse, share: 0.2 },
      stability: outcome.stability,
      stability_reason: stabilityReason(job, outcome),
      lambda_advisory: advisory(found, discovered),
      example: job.example && {
        ...job.example,
        noise_sd: outcome.noiseSd!,
        seed: job.seed,
        simulator: 'orch.pinn-identify-example/v1',
      },
    },
    DIGITS,
  )
  return {
    kind: 'orch.pinn-identify/v1',
    label: isExample ? 'SIMULATED' : 'MODELED',
    label_detail: isExample
      ? 'data of a known truth with seeded normal noise were made and identified; nothing was measured'
      : 'parameters of the named equation that fit the caller’s data best; whether the equation is the right one is not shown by a fit',
    input_source: inputSource,
    ...result,
    input_sha256: portableDigest(body),
    output_sha256: portableDigest(result),
    cache: origin === 'cache' ? 'hit' : 'miss',
    timing: timing && { wall_ms: timing.wallMs, cpu_ms: timing.cpuMs, queue_ms: timing.queueMs },
    plot: significantDeep(plotOf(job, outcome, found), DIGITS),
  }
}

function exceeded(work: number, cap: number): InputError {
  const msg = `the fit needs more than ${cap} right-hand sides; send a shorter range of time, or bounds`
  return new InputError([{ loc: ['body', 'data'], msg, type: 'work_limit_exceeded', ctx: { work, cap } }])
}

/** An estimate whose interval is not asserted is not told either. */
function discoveredOf(job: IdentifyJob, { truth }: IdentifyOutcome, found: Found): IdentifyReply['discovered'] {
  const { parameters } = SYSTEMS[job.system]
  const refused = found.discovered.filter(({ name }) => found.refusals[name] !== undefined)
  return found.discovered.map(({ name, value, sd, conditionalSd, profiled, scale }) => {
    const refusal = found.refusals[name] ?? null
    const isAsserted = refusal === null
    const wald = isAsserted && sd !== null ? waldInterval(value, sd) : null
    return {
      name,
      asserted: isAsserted,
      value: isAsserted ? value : null,
      std: isAsserted ? sd : null,
      ci95: isAsserted ? (profiled ?? wald) : null,
      ci95_basis: !isAsserted ? 'NONE' : found.exact ? 'NOISE_FLOOR' : profiled === null ? 'WALD' : 'PROFILE',
      ci95_wald: wald,
      relative_sd: sd === null ? null : sd / scale,
      identifiable: isAsserted,
      units: parameters[name]!.units,
      conditional_on: isAsserted ? refused.map((other) => ({ name: other.name, value: other.value })) : [],
      conditional_std: isAsserted ? conditionalSd : null,
      refusal,
      ...(truth === null
        ? {}
        : { ground_truth: truth[name]!, recovery_error: isAsserted ? Math.abs(value - truth[name]!) : null }),
    }
  })
}

const fisherOf = ({ information: { eigenvalues, kappa, sloppy } }: Found) => ({ eigenvalues, kappa, sloppy })

/** Null where there is no noise to look at. */
function lookIndependent({ residuals: { runs_p, normality_p }, exact }: Found): boolean | null {
  if (exact || runs_p === null || normality_p === null) return null
  return runs_p >= MIN_P && normality_p >= MIN_P
}

function stabilityReason({ system }: IdentifyJob, { stability }: IdentifyOutcome): string | null {
  if (stability !== null) return null
  return system === 'redlich_kister'
    ? 'a parameter is refused, and a phase diagram of refused values is none'
    : 'only a mixture has one'
}

/** It decides nothing. */
function advisory(found: Found, discovered: IdentifyReply['discovered']): IdentifyReply['lambda_advisory'] {
  const factors = {
    converged: found.fit.converged ? 1 : 0,
    asserted_share: discovered.filter(({ asserted }) => asserted).length / discovered.length,
    starts_agreeing_share: found.agreeing / found.starts,
  }
  const values = Object.values(factors)
  const raw = values.reduce((product, value) => product * value, 1) ** (1 / values.length)
  const { status, is_theorem, trust_ceiling, floor } = LAMBDA
  const value = Math.min(trust_ceiling, raw)
  return { value, raw, factors, status, is_theorem, trust_ceiling, floor, meets_floor: value >= floor }
}

function plotOf({ system }: IdentifyJob, { t, y }: IdentifyOutcome, { predictions }: Found): Plot {
  const columns = y[0]!.length
  const isTime = SYSTEMS[system].kind === 'differential'
  const series = Array.from({ length: columns }, (_, s) => [
    { name: `data ${s + 1}`, points: t.map((at, i) => [at, y[i]![s]!]) },
    { name: `fit ${s + 1}`, points: t.map((at, i) => [at, predictions[i * columns + s]!]) },
  ]).flat()
  const values = y.flat()
  return {
    kind: 'scatter',
    title: `Data and fit: ${system}`,
    x: { name: isTime ? 't' : 'x', unit: null, min: t[0]!, max: t.at(-1)! },
    y: {
      name: 'y',
      unit: system === 'redlich_kister' ? 'J/mol' : null,
      min: Math.min(...values),
      max: Math.max(...values),
    },
    series,
    reference_lines: [],
  }
}
