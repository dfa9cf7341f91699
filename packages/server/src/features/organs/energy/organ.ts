/** N13 Energy: what a run cost in joules and carbon, by a published formula and with its interval; a meter's reading only
 *  where a counter answered in this request. */
import { setTimeout as pause } from 'node:timers/promises'
import { measured } from '@orch/core'
import Type from 'typebox'
import { counterDelta } from '../../../domain/counter-delta.ts'
import { closed, Nullable } from '../../../domain/wire.ts'
import type { EnergyMeters, MeterReading } from '../../../ports.ts'
import { type Attachment, type Organ, op, type RequestFault, type RunContext } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import type { Field, Usage } from './formula.ts'
import { energyOf, FIELDS, lackingOf, MEMORY_W_PER_GB, toRange } from './formula.ts'
import { energyPrompt } from './prompt.ts'

interface EnergyNeeds {
  countTokens(text: string): Promise<number>
  /** Counters of the machine that answer now. */
  counters(): Promise<readonly { zone: string; name: string; energy: bigint; range: bigint }[]>
  /** Meters of the operator, asked over HTTP. */
  meters: EnergyMeters
  /** Processor time of the process, in microseconds. */
  cpuMicros(): number
  cores: number
}

const quantity = (minimum: number, maximum: number, more: Record<string, unknown>) => {
  const number = Type.Number({ minimum, maximum })
  return Type.Optional(Type.Union([number, closed({ value: number, low: number, high: number })], more))
}
const Estimate = closed(
  Object.fromEntries(
    FIELDS.map(([field, { min, max, description }]) => [
      field,
      quantity(min, max, { ...(field === 'pue' && { default: 1 }), ...(description && { description }) }),
    ]),
  ) as Record<Field, ReturnType<typeof quantity>>,
)
const Interval = closed({ value: Type.Number(), low: Type.Number(), high: Type.Number() })
const EnergyFields = {
  joules: Interval,
  wh: Interval,
  gco2e: Nullable(Interval),
  terms: Type.Array(closed({ name: Type.String(), joules: Interval })),
}

const METERS = 'ORCH_ENERGY_METERS'
const PHYSICAL = ['cpu_s', 'tdp_w', 'util', 'mem_gb', 'wall_s'] as const
const TOKENS = ['tokens', 'j_per_token'] as const
const COEFFICIENTS: ReadonlySet<string> = new Set(['tdp_w', 'j_per_token', 'pue', 'gco2_kwh'])
/** What nobody stated is not said to come from the caller. */
const NO_OVERHEAD = 'taken where none is given: no overhead of a facility'
const MEMORY_SOURCE = 'CodeCarbon: 3 W per 8 GB of memory'

function checkEstimate(request: Usage): RequestFault[] {
  const given = (fields: readonly Field[]) => fields.filter((field) => request[field] !== undefined)
  const [physical, [token]] = [given(PHYSICAL), given(TOKENS)]
  const needed = token === undefined ? lackingOf(request) : TOKENS.filter((field) => request[field] === undefined)
  const bounds = Object.entries(request).flatMap(([field, quantity]) => {
    const { low, value, high } = toRange(quantity!)
    return low <= value && value <= high ? [] : [{ place: [field], message: 'must have low <= value <= high' }]
  })
  if (token === undefined || physical.length === 0)
    return [
      ...bounds,
      ...needed.map((field) => ({ place: [field], message: 'is needed for this form', type: 'missing' })),
    ]
  const message = `is not given together with ${physical.join(', ')}: choose one of the two forms`
  return [...bounds, { place: [token], message }]
}

/** What the numbers rest on. */
function evidenceOf(usage: Usage, source: string, { low, high }: { low: number; high: number }, meaning: string) {
  const all = Object.entries(usage).map(([name, quantity]) => ({ name, ...toRange(quantity!) }))
  const memory = { name: 'memory_w_per_gb', value: MEMORY_W_PER_GB, low: null, high: null, source: MEMORY_SOURCE }
  return {
    inputs: all.filter(({ name }) => !COEFFICIENTS.has(name)).map((one) => ({ ...one, source })),
    coefficients: [
      ...all
        .filter(({ name }) => COEFFICIENTS.has(name))
        .map((one) => ({ ...one, source: one.name === 'pue' && one.value === 1 ? NO_OVERHEAD : 'caller' })),
      ...(usage.mem_gb === undefined ? [] : [memory]),
    ],
    interval: { low, high, meaning },
  }
}

const UTIL_NOT_GIVEN = 'util was not given, so the whole of tdp_w is counted: an upper figure'
const RULE_OF_THUMB = 'the watts per GB are a rule of thumb whose own spread is not counted'
const PROCESS_ONLY = 'the processor time of this process alone; memory, disks and fans are not in it'
const limitsOf = ({ cpu_s, util, mem_gb }: Usage): Limit[] => [
  ...(cpu_s !== undefined && util === undefined ? [{ code: 'UTIL_NOT_GIVEN', detail: UTIL_NOT_GIVEN }] : []),
  ...(mem_gb === undefined ? [] : [{ code: 'MEMORY_RULE_OF_THUMB', detail: RULE_OF_THUMB }]),
]

/** A meter says what it says; whether its joules are of this process is not known. */
const toAttachment = (answer: MeterReading, now: string): Attachment => {
  const about = { kind: 'meter', source: answer.meter }
  if ('error' in answer)
    return { ...about, label: 'UNAVAILABLE', mode: 'unreachable', read_at: now, value: null, reason: answer.error }
  const { label, value, read_at } = measured(answer.reading)
  return { ...about, label, mode: 'live', read_at, value, reason: null }
}

async function probed(needs: EnergyNeeds, windowMs: number, tdpW: number, context: RunContext) {
  const [counters, cpu, wall] = [await needs.counters(), needs.cpuMicros(), context.micros()]
  const meters = needs.meters.read()
  await pause(windowMs, undefined, { signal: context.signal })
  const [cpuUs, windowUs] = [needs.cpuMicros() - cpu, context.micros() - wall]
  const [later, answers] = [await needs.counters(), await meters]
  const now = new Date(context.now()).toISOString()
  const deltas = counters.flatMap(({ zone, name, energy, range }): Attachment[] => {
    const after = later.find((counter) => counter.zone === zone)
    if (after === undefined) return []
    const value = { joules: Number(counterDelta(energy, after.energy, range)) / 1e6, window_us: windowUs, name }
    const source = `powercap ${zone} energy_uj`
    return [{ kind: 'meter', label: 'MEASURED', mode: 'counter', source, read_at: now, value, reason: null }]
  })
  const usage = { cpu_s: cpuUs / 1e6, tdp_w: tdpW, util: { value: 1, low: 1 / needs.cores, high: 1 }, pue: 1 }
  const readings = [
    { name: 'process_cpu', value: cpuUs, unit: 'us', how: 'process.cpuUsage' },
    { name: 'window', value: windowUs, unit: 'us', how: 'process.hrtime.bigint' },
  ]
  return { attachments: [...deltas, ...answers.map((answer) => toAttachment(answer, now))], usage, readings }
}

export const energy = (needs: EnergyNeeds): Organ => ({
  id: 'N13',
  version: '1.1.0',
  ops: {
    estimate: op({
      summary: 'Joules, watt-hours and grams of CO2 equivalent of a run, with their interval',
      request: Estimate,
      result: closed(EnergyFields),
      isolation: 'inline',
      deadlineMs: 1000,
      maxWork: 1,
      estimate: () => 1,
      check: checkEstimate,
      run(request) {
        const usage = { ...request, pue: request.pue ?? 1 }
        const result = energyOf(usage)
        const evidence = evidenceOf(usage, 'caller', result.joules, 'the formula at the ends of the inputs')
        return { result, evidence, limits: limitsOf(usage) }
      },
    }),
    probe: op({
      summary: 'What this process draws now: its processor time over a window, and the counters of the machine',
      request: closed({
        window_ms: Type.Integer({ minimum: 10, maximum: 2000, default: 200 }),
        tdp_w: Type.Number({ minimum: 0, maximum: 2000, description: 'watts of the processor at full load' }),
      }),
      result: closed({ ...EnergyFields, cpu_s: Type.Number(), cores: Type.Integer() }),
      isolation: 'inline',
      deadlineMs: 2500,
      maxWork: 2000,
      estimate: ({ window_ms }) => window_ms,
      volatile: 'the processor time of the process over the window, read by process.cpuUsage',
      async run({ window_ms, tdp_w }, context) {
        const { usage, readings, attachments } = await probed(needs, window_ms, tdp_w, context)
        const result = { ...energyOf(usage), cpu_s: usage.cpu_s, cores: needs.cores }
        const meaning = `low: tdp_w shared among ${needs.cores} cores; high: each processor second at the whole of it`
        return {
          result,
          attachments,
          evidence: { ...evidenceOf(usage, 'read in this request', result.joules, meaning), readings },
          limits: [{ code: 'PROCESS_ONLY', detail: PROCESS_ONLY }],
        }
      },
    }),
  },
  fromPrompt: (prompt) => energyPrompt(prompt, needs.countTokens),
  example: {
    request: { op: 'estimate', cpu_s: 10, tdp_w: 65, util: 0.5, pue: 1.2, gco2_kwh: 400 },
    prompt: '10 cpu_s at 65 W',
  },
  backends: [{ env: METERS, configured: needs.meters.configured > 0, adds: 'what each meter answers to a probe' }],
  evidence: {
    equation: `E = (cpu_s*tdp_w*util + mem_gb*${MEMORY_W_PER_GB}*wall_s)*pue, or E = tokens*j_per_token*pue; Wh = E/3600; g = Wh/1000*gco2_kwh`,
  },
})
