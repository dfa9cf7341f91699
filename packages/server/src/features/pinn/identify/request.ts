/** The caller's request as a problem, with every fault at its place. */
import { InputError, type InputFault } from '../../../errors.ts'
import type { IdentifyBody } from '../schemas.ts'
import type { IdentifyJob } from './job.ts'
import { initialNames } from './model.ts'
import { SYSTEMS, type SystemName, type Values } from './systems.ts'
import { withoutUnits } from './units.ts'

const DEFAULT_NOISE = 0.01
const DEFAULT_SEED = 1
const TEMPERATURE = 298.15
const LARGEST_UNIT = 1e290

export function toJob(body: IdentifyBody): IdentifyJob {
  const system: SystemName = body.system ?? 'duffing'
  const { parameters, defaultUnknowns, kind } = SYSTEMS[system]
  const known = Object.keys(parameters)
  const unknowns = [...(body.unknowns ?? defaultUnknowns)]
  const extra = system === 'redlich_kister' ? ['T'] : []
  const faults: InputFault[] = []
  const fault = (loc: (string | number)[], msg: string) => faults.push({ loc: ['body', ...loc], msg, type: 'value' })
  const list = known.join(', ')
  unknowns.forEach((name, i) => {
    if (!known.includes(name)) fault(['unknowns', i], `must be one of ${list}`)
    else if (unknowns.indexOf(name) !== i) fault(['unknowns', i], `${name} is listed twice`)
  })
  for (const name of Object.keys(body.fixed ?? {})) {
    if (![...known, ...extra].includes(name))
      fault(['fixed', name], `must be one of ${[...known, ...extra].join(', ')}`)
    else if (unknowns.includes(name)) fault(['fixed', name], 'is one of the unknowns; it cannot be fixed as well')
  }
  for (const [name, [low, high]] of Object.entries(body.bounds ?? {})) {
    if (!unknowns.includes(name)) fault(['bounds', name], 'must be one of the unknowns')
    else if (!(low! < high!)) fault(['bounds', name], 'must be [low, high] with low below high')
  }
  if (body.fixed?.T !== undefined && !(body.fixed.T > 0)) fault(['fixed', 'T'], 'must be above 0 K')
  const { T = TEMPERATURE, ...fixed } = body.fixed ?? {}
  const bounds = Object.fromEntries(
    Object.entries(body.bounds ?? {}).map(([name, pair]) => [name, [pair[0]!, pair[1]!] as const]),
  )
  const shared = { system, unknowns, bounds, seed: body.seed ?? DEFAULT_SEED, temperature: T }
  if (body.data === undefined) {
    if (faults.length > 0) throw new InputError(faults)
    const example = { noise: body.noise ?? DEFAULT_NOISE, case: body.case ?? ('identifiable' as const) }
    return { ...shared, fixed, data: null, example }
  }
  for (const name of ['noise', 'case'] as const)
    if (body[name] !== undefined) fault([name], 'belongs to the example and is not taken with data')
  const fixedValues = withDefaults(system, fixed)
  for (const name of known)
    if (!unknowns.includes(name) && fixedValues[name] === undefined)
      fault(['fixed', name], `name it in unknowns, or fix it: ${SYSTEMS[system].equation}`)
  const data = readData(body.data, system, kind, fault)
  const states = initialNames({ system }).length
  if (data !== null && data.y.length * data.y[0]!.length <= unknowns.length + states)
    fault(['data', 'y'], `must hold more than ${unknowns.length + states} values: as many are estimated`)
  if (faults.length > 0 || data === null) throw new InputError(faults)
  const { parameters: sizes } = withoutUnits({ system, ...data, unknowns, fixed: fixedValues }, bounds).units
  const beyond = unknowns.filter((name) => !(sizes[name]! > 1 / LARGEST_UNIT && sizes[name]! < LARGEST_UNIT))
  for (const name of beyond)
    fault(['data'], `in units of these data ${name} is beyond every number; send them in other units`)
  if (faults.length > 0) throw new InputError(faults)
  return { ...shared, fixed: fixedValues, data, example: null }
}

/** Higher terms of a mixture that are not named are absent. */
const withDefaults = (system: SystemName, fixed: Values): Values =>
  system === 'redlich_kister' ? { L0: 0, L1: 0, L2: 0, L3: 0, L4: 0, ...fixed } : fixed

type Data = NonNullable<IdentifyBody['data']>

function readData(
  { t, x, y }: Data,
  system: SystemName,
  kind: 'differential' | 'linear' | 'explicit',
  fault: (loc: (string | number)[], msg: string) => void,
): { t: number[]; y: number[][] } | null {
  const name = kind === 'differential' ? 't' : 'x'
  const other = name === 't' ? 'x' : 't'
  const axis = name === 't' ? t : x
  if ((name === 't' ? x : t) !== undefined) fault(['data', other], `${system} is given by ${name} and y`)
  if (axis === undefined) {
    fault(['data', name], `is missing: ${system} is given by ${name} and y`)
    return null
  }
  const late = axis.findIndex((value, i) => i > 0 && !(value > axis[i - 1]!))
  if (late >= 0) fault(['data', name, late], 'must be above the one before')
  if (kind !== 'differential')
    axis.forEach((value, i) => {
      if (value < 0 || value > 1) fault(['data', name, i], 'must lie in [0, 1]')
    })
  if (y.length !== axis.length) fault(['data', 'y'], `must be as long as ${name}: ${axis.length}, not ${y.length}`)
  const rows = y.map((row) => (typeof row === 'number' ? [row] : row))
  const width = rows[0]!.length
  const states = kind === 'differential' ? initialNames({ system }).length : 1
  rows.forEach((row, i) => {
    if (row.length !== width) fault(['data', 'y', i], `must hold ${width} values, as the first row does`)
    else if (row.length > states) fault(['data', 'y', i], `must hold at most ${states} values, one for each state`)
  })
  if (rows.every((row) => row.every((value, s) => value === rows[0]![s]))) fault(['data', 'y'], 'must not be constant')
  return { t: axis, y: rows }
}
