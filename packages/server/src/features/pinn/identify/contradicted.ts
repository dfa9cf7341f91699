/** A Burgers profile beside fixed values that its data contradict: what is estimated beside a wrong end is wrong, with a narrow
 *  interval. The fixed values are left free as well, and where that gains more than chance would, nothing is told. */
import type { Identification, Identified } from './identify.ts'
import { sizeOf } from './units.ts'

/** The points of chi-square with one degree of freedom and with two that noise passes in one case of ten thousand. */
const MAX_GAIN = [0, 15.137, 18.421]

export function againstFixed(
  asked: Identification,
  noiseFloor: number,
  identified: (asked: Identification) => Identified,
): Identified {
  const result = identified(asked)
  const { problem } = asked
  const fixedNames = Object.keys(problem.fixed)
  if (problem.system !== 'burgers_viscosity' || fixedNames.length === 0 || result.found === null) return result
  const unknowns = [...problem.unknowns, ...fixedNames]
  const freed = identified({ ...asked, problem: { ...problem, unknowns, fixed: {} }, bounds: {}, profile: false })
  const work = result.work + freed.work
  // What a bound keeps from the data is not the fault of a fixed value.
  const isAtBound = ({ found }: Identified, name: string) => found?.refusals[name]?.code === 'AT_BOUND'
  const isBounded = problem.unknowns.some((name) => {
    const [low, high] = asked.bounds[name] ?? [-Infinity, Infinity]
    const value = freed.found?.discovered.find((row) => row.name === name)?.value ?? Number.NaN
    return !(value > low && value < high) || (isAtBound(result, name) && isAtBound(freed, name))
  })
  if (freed.found === null || isBounded) return { ...result, work }
  const n = problem.t.length
  const size = sizeOf(problem.y, 0)
  const rms = ({ predictions }: { predictions: ArrayLike<number> }): number => {
    const misses = problem.y.map(([u], i) => (u! - predictions[i]!) / size)
    return Math.max(noiseFloor, Math.hypot(...misses) / Math.sqrt(n))
  }
  const [before, after] = [rms(result.found), rms(freed.found)]
  if (2 * (n - unknowns.length) * Math.log(before / after) <= MAX_GAIN[fixedNames.length]!) return { ...result, work }
  const shown = (value: number) => `${Number(value.toPrecision(4))}`
  const values = fixedNames.map((name) => `${name} = ${shown(problem.fixed[name]!)}`).join(', ')
  const free = freed.found.discovered
    .filter(({ name }) => fixedNames.includes(name) && freed.found!.refusals[name] === undefined)
    .map(({ name, value }) => `, with ${name} at ${shown(value)}`)
  const reason = `the data contradict the fixed ${values}: left free, the misses fall from ${shown(before * size)} to ${shown(after * size)}${free.join('')}`
  const refusals = Object.fromEntries(
    problem.unknowns.map((name) => [name, { code: 'FIXED_CONTRADICTED' as const, reason, direction: null }]),
  )
  return { found: { ...result.found, refusals }, work }
}
