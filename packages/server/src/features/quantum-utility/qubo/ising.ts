/** The same function over spins, x = (1 - s) / 2: constant + sum of h s + sum of J s s. */
import type { QuboProblem } from '../schemas.ts'
import { exactSum } from './fixed-point.ts'

export function toIsing({ variables, offset, linear, quadratic }: Required<QuboProblem>) {
  const term = (name: string) => (Object.hasOwn(linear, name) ? linear[name]! : 0)
  const touching = new Map<string, number[]>(variables.map((name) => [name, []]))
  for (const { left, right, coefficient } of quadratic)
    for (const end of [left, right]) touching.get(end)!.push(coefficient)
  // Sums of four times the values, divided once: a quarter of a double is exact.
  const fields = variables.map((name) => -exactSum([2 * term(name), ...touching.get(name)!]) / 4 + 0)
  const four = exactSum([
    4 * offset,
    ...variables.map((name) => 2 * term(name)),
    ...quadratic.map(({ coefficient }) => coefficient),
  ])
  return {
    h: Object.fromEntries(variables.map((name, at) => [name, fields[at]!])),
    J: quadratic.map(({ left, right, coefficient }) => ({ left, right, coefficient: coefficient / 4 + 0 })),
    constant: four / 4 + 0,
  }
}
