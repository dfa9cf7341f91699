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

function drawnMargin(triangles: Triangles, random: Sfc32): number {
  let total = draw(triangles.bounded_value_usd, random) * draw(triangles.estimated_accuracy, random)
  for (const name of COSTS) total -= draw(triangles[name], random)
  return total
}

/** Candidates that are equally good share a draw. */
function chances(known: readonly Drawn[], random: Sfc32) {
  const wins = new Float64Array(known.length)
  for (let turn = 0; turn < DRAWS; turn++) {
    const margins = known.map(({ triangles }) => drawnMargin(triangles, random))
    const most = Math.max(...margins)
    const best = margins.flatMap((value, at) => (value === most ? [at] : []))
    for (const at of best) wins[at]! += 1 / best.length
  }
  return known.map(({ id }, at) => ({ candidate_id: id, p_best: Number((wins[at]! / DRAWS).toFixed(6)) }))
}

const mean = ({ low, mode, high }: Triangle): number => (low + mode + high) / 3

const expectedMargin = (triangles: Triangles): number =>
  mean(triangles.bounded_value_usd) * mean(triangles.estimated_accuracy) -
  COSTS.reduce((total, name) => total + mean(triangles[name]), 0)

/** What the expected margin gains for each unit of one input. */
function slope(triangles: Triangles, name: InputName): number {
  if (name === 'bounded_value_usd') return mean(triangles.estimated_accuracy)
  return name === 'estimated_accuracy' ? mean(triangles.bounded_value_usd) : -1
}

/** Expected value of partial perfect information: what the choice gains on average when this input is known before it is
 *  made, the others staying as they are. Inputs are independent and the margin is linear in each, so only this is drawn. */
function worths(known: readonly Drawn[], stream: (of: string[]) => Sfc32) {
  const expected = known.map(({ triangles }) => expectedMargin(triangles))
  const most = Math.max(...expected)
  return known
    .flatMap(({ id, triangles }, at) => {
      const others = Math.max(...expected.filter((_, other) => other !== at), Number.NEGATIVE_INFINITY)
      return INPUTS.filter((name) => isOpen(triangles[name])).map((name) => {
        const random = stream([id, name])
        const [triangle, gain] = [triangles[name], slope(triangles, name)]
        const base = expected[at]! - gain * mean(triangle)
        const isChosen = expected[at] === most
        let total = 0
        for (let turn = 0; turn < DRAWS; turn++) {
          const margin = base + gain * draw(triangle, random)
          // Against what is chosen without knowing, in the same draw: where the choice stays, nothing is gained.
          total += Math.max(others, margin) - (isChosen ? margin : others)
        }
        return { candidate_id: id, input: name, worth: significant(total / DRAWS) }
      })
    })
    .sort((a, b) => b.worth - a.worth)
}
