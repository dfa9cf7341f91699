/** Chances of being the best, and what knowing one input would be worth, over triangular draws. Money is compared here in
 *  doubles: the figures are estimates, the margins themselves are not. */
import { canonicalize, sha256Hex } from '@orch/core'
import { type Sfc32, sfc32 } from '../../../domain/sfc32.ts'
import { COSTS, type InputName } from '../schemas.ts'
import { significant } from '../significant.ts'
import { INPUTS, type Judged, type Ranges } from './candidate.ts'
import { toNumber } from './money.ts'

export const DRAWS = 4000

interface Triangle {
  low: number
  mode: number
  high: number
}
type Triangles = Record<InputName, Triangle>

interface Drawn {
  id: string
  triangles: Triangles
}

/** Null where no known candidate states an interval. */
export function simulate(judged: readonly Judged[], body: unknown) {
  const known = judged.flatMap(({ candidate, ranges }): Drawn[] =>
    ranges === null ? [] : [{ id: candidate.candidate_id, triangles: trianglesOf(ranges) }],
  )
  if (!known.some(({ triangles }) => INPUTS.some((name) => isOpen(triangles[name])))) return null
  const input = sha256Hex(canonicalize(body))
  return {
    p_best: chances(known, sfc32('orch.quantum-utility.p-best/v1', { input })),
    worth: worths(known, (of) => sfc32('orch.quantum-utility.evppi/v1', { input, of })),
  }
}

function trianglesOf(ranges: Ranges): Triangles {
  const of = (name: InputName): Triangle => ({
    low: toNumber(ranges[name].low),
    mode: toNumber(ranges[name].value),
    high: toNumber(ranges[name].high),
  })
  return Object.fromEntries(INPUTS.map((name) => [name, of(name)])) as Triangles
}

const isOpen = ({ low, high }: Triangle): boolean => high > low

/** By the inverse of its distribution. */
function draw({ low, mode, high }: Triangle, random: Sfc32): number {
  if (high === low) return mode
  const u = random.uniform()
  const split = (mode - low) / (high - low)
  return u < split
    ? low + Math.sqrt(u * (high - low) * (mode - low))
    : high - Math.sqrt((1 - u) * (high - low) * (high - mode))
}

const margin = (values: (name: InputName) => number): number =>
  values('bounded_value_usd') * values('estimated_accuracy') - COSTS.reduce((total, name) => total + values(name), 0)

/** Candidates that are equally good share a draw. */
function chances(known: readonly Drawn[], random: Sfc32) {
  const wins = new Float64Array(known.length)
  for (let turn = 0; turn < DRAWS; turn++) {
    const margins = known.map(({ triangles }) => {
      const values = Object.fromEntries(INPUTS.map((name) => [name, draw(triangles[name], random)]))
      return margin((name) => values[name]!)
    })
    const most = Math.max(...margins)
    const best = margins.flatMap((value, at) => (value === most ? [at] : []))
    for (const at of best) wins[at]! += 1 / best.length
  }
  return known.map(({ id }, at) => ({ candidate_id: id, p_best: Number((wins[at]! / DRAWS).toFixed(6)) }))
}

const mean = ({ low, mode, high }: Triangle): number => (low + mode + high) / 3

/** Expected value of partial perfect information: what the choice gains on average when this input is known before it is
 *  made, the others staying as they are. Inputs are independent and the margin is linear in each, so only this is drawn. */
function worths(known: readonly Drawn[], stream: (of: string[]) => Sfc32) {
  const expected = known.map(({ triangles }) => margin((name) => mean(triangles[name])))
  const most = Math.max(...expected)
  return known
    .flatMap(({ id, triangles }, at) => {
      const others = Math.max(...expected.filter((_, other) => other !== at), Number.NEGATIVE_INFINITY)
      return INPUTS.filter((name) => isOpen(triangles[name])).map((name) => {
        const random = stream([id, name])
        let total = 0
        for (let turn = 0; turn < DRAWS; turn++) {
          const value = draw(triangles[name], random)
          total += Math.max(
            others,
            margin((one) => (one === name ? value : mean(triangles[one]))),
          )
        }
        return { candidate_id: id, input: name, worth: significant(Math.max(0, total / DRAWS - most)) }
      })
    })
    .sort((a, b) => b.worth - a.worth)
}
