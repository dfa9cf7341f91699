/** A problem without units: data of size 1 and a time of length 1, so that every tolerance means the same in nanometres and
 *  kilometres. All of the fit happens there; what it finds is multiplied by the units of the caller. */
import { type Problem, systemOf } from './model.ts'
import { frequencyOf, type Powers, type Values } from './systems.ts'

export type OwnBounds = Readonly<Record<string, readonly [number, number]>>

interface Units {
  /** Of each parameter. */
  parameters: Values
  /** Of each state, the observed ones first. */
  states: readonly number[]
}

export function withoutUnits(
  problem: Problem,
  bounds: OwnBounds,
): { problem: Problem; bounds: OwnBounds; units: Units } {
  const { t, y, fixed } = problem
  const system = systemOf(problem)
  const isTime = system.kind === 'differential'
  const origin = isTime && !system.isDriven ? t[0]! : 0
  const span = isTime ? t.at(-1)! - t[0]! : 1
  const scaledTime = isTime ? t.map((at) => (at - origin) / span) : t
  const size = sizeOf(y, 0)
  const second = y[0]!.length > 1 ? sizeOf(y, 1) : unseenSize(problem, bounds, scaledTime, size, span)
  const unit = ([x, other, time]: Powers): number => size ** x * second ** other * span ** time
  const parameters = Object.fromEntries(
    Object.entries(system.parameters).map(([name, { powers }]) => [name, unit(powers)]),
  )
  const states = isTime ? system.states.map(unit) : [size]
  const divided = (name: string, value: number): number => value / parameters[name]!
  return {
    problem: {
      ...problem,
      t: scaledTime,
      y: y.map((row) => row.map((value, s) => value / states[s]!)),
      fixed: Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, divided(name, value)])),
    },
    bounds: Object.fromEntries(
      Object.entries(bounds).map(([name, [low, high]]) => [name, [divided(name, low), divided(name, high)] as const]),
    ),
    units: { parameters, states },
  }
}

export const sizeOf = (y: Problem['y'], column: number): number =>
  Math.max(...y.map((row) => Math.abs(row[column]!))) || 1

/** Hunters that nobody counted are measured by their effect on the prey, where that is known or cannot be 1. */
function unseenSize(
  { y, fixed }: Problem,
  bounds: OwnBounds,
  t: readonly number[],
  size: number,
  span: number,
): number {
  const omega = frequencyOf(
    t,
    y.map(([first]) => first! / size),
  )
  const usual = omega / span / size
  const [low, high] = bounds.beta ?? [-Infinity, Infinity]
  const effect = fixed.beta ?? (low < usual && usual < high ? usual : (low + high) / 2)
  return effect === 0 ? size : omega / span / Math.abs(effect)
}

/** The root of a mean square in units of the data, over series that were divided by them. */
export function rootMeanSquare(
  series: readonly (readonly number[])[],
  units: readonly number[],
  count: number,
): number {
  const largest = Math.max(...units.slice(0, series.length))
  const sum = series.reduce(
    (total, values, s) => total + values.reduce((one, value) => one + (value * (units[s]! / largest)) ** 2, 0),
    0,
  )
  return largest * Math.sqrt(sum / count)
}
