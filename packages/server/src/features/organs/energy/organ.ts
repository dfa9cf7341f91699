/** N13 Energy: what a run cost in joules and carbon, by a published formula and with its interval; a meter's reading only
 *  where a counter answered in this request. */
import { setTimeout as pause } from 'node:timers/promises'
import Type, { type Static } from 'typebox'
import { counterDelta } from '../../../domain/counter-delta.ts'
import { exactly, Nullable } from '../../../domain/wire.ts'
import { type Attachment, type Organ, op, type RequestFault, type RunContext } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { energyOf, MEMORY_W_PER_GB, type Quantity, toRange, type Usage } from './formula.ts'
import { energyPrompt, lackingOf } from './prompt.ts'

interface EnergyNeeds {
  countTokens(text: string): number
  /** Counters of the machine that answer now. */
  counters(): Promise<readonly { zone: string; name: string; energy: bigint; range: bigint }[]>
  /** Processor time of the process, in microseconds. */
  cpuMicros(): number
  cores: number
}

const quantity = (minimum: number, maximum: number, more = {}) => {
  const number = Type.Number({ minimum, maximum })
  return Type.Optional(Type.Union([number, Type.Object({ value: number, low: number, high: number }, exactly)], more))
}

const Estimate = Type.Object(
  {
    cpu_s: quantity(0, 1e6, { description: 'processor seconds' }),
    tdp_w: quantity(0, 2000, { description: 'watts at full load' }),
    util: quantity(0, 1, { description: 'share of tdp_w that the work draws; the whole where it is not given' }),
    mem_gb: quantity(0, 4096),
    wall_s: quantity(0, 1e6, { description: 'how long the memory was held' }),
    tokens: quantity(0, 1e12),
    j_per_token: quantity(0, 1000),
    pue: quantity(1, 3, { default: 1, description: 'facility energy over equipment energy' }),
    gco2_kwh: quantity(0, 1500, { description: 'grams of CO2 equivalent per kWh of the grid' }),
  },
  exactly,
)
const Interval = Type.Object({ value: Type.Number(), low: Type.Number(), high: Type.Number() }, exactly)
const EnergyFields = {
  joules: Interval,
  wh: Interval,
  gco2e: Nullable(Interval),
  terms: Type.Array(Type.Object({ name: Type.String(), joules: Interval }, exactly)),
}

const PHYSICAL = ['cpu_s', 'tdp_w', 'util', 'mem_gb', 'wall_s'] as const
const TOKENS = ['tokens', 'j_per_token'] as const
const MEMORY_SOURCE = 'CodeCarbon: 3 W per 8 GB of memory'

function checkEstimate(request: Static<typeof Estimate>): RequestFault[] {
  const given = (fields: readonly (keyof typeof request)[]) => fields.filter((field) => request[field] !== undefined)
  const [physical, tokens] = [given(PHYSICAL), given(TOKENS)]
  const needed = tokens.length > 0 ? TOKENS.filter((field) => !tokens.includes(field)) : lackingOf(request)
  return [
    ...Object.entries(request).flatMap(([field, quantity]) => boundsFault(field, quantity)),
    ...(physical.length > 0 && tokens.length > 0
      ? [
          {
            place: [tokens[0]!],
            message: `is not given together with ${physical.join(', ')}: choose one of the two forms`,
          },
        ]
      : needed.map((field) => ({ place: [field], message: 'is needed for this form', type: 'missing' }))),
  ]
}

function boundsFault(field: string, quantity: Quantity): RequestFault[] {
  const { low, value, high } = toRange(quantity)
  return low <= value && value <= high ? [] : [{ place: [field], message: 'must have low <= value <= high' }]
}

/** What the numbers rest on. */
function evidenceOf(usage: Usage, source: string, joules: { low: number; high: number }, meaning: string) {
  const { pue, gco2_kwh, j_per_token, tdp_w, ...rest } = usage
  const coefficient = (name: string, quantity: Quantity | undefined) =>
    quantity === undefined ? [] : [{ name, ...toRange(quantity), source: 'caller' }]
  return {
    inputs: Object.entries(rest).flatMap(([name, quantity]) => [{ name, ...toRange(quantity!), source }]),
    coefficients: [
      ...coefficient('tdp_w', tdp_w),
      ...coefficient('j_per_token', j_per_token),
      ...coefficient('pue', pue),
      ...coefficient('gco2_kwh', gco2_kwh),
      ...(usage.mem_gb === undefined
        ? []
        : [{ name: 'memory_w_per_gb', value: MEMORY_W_PER_GB, low: null, high: null, source: MEMORY_SOURCE }]),
    ],
    interval: { low: joules.low, high: joules.high, meaning },
  }
}

const limitsOf = ({ cpu_s, util, mem_gb }: Usage): Limit[] => [
  ...(cpu_s !== undefined && util === undefined
    ? [{ code: 'UTIL_NOT_GIVEN', detail: 'util was not given, so the whole of tdp_w is counted: an upper figure' }]
    : []),
  ...(mem_gb === undefined
    ? []
    : [
        {
          code: 'MEMORY_RULE_OF_THUMB',
          detail: 'the watts per GB are a rule of thumb whose own spread is not counted',
        },
      ]),
]

async function probed(needs: EnergyNeeds, windowMs: number, tdpW: number, context: RunContext) {
  const [counters, cpu, wall] = [await needs.counters(), needs.cpuMicros(), context.micros()]
  await pause(windowMs, undefined, { signal: context.signal })
  const [cpuUs, windowUs] = [needs.cpuMicros() - cpu, context.micros() - wall]
  const later = await needs.counters()
  const readAt = new Date(context.now()).toISOString()
  const attachments = counters.flatMap(({ zone, name, energy, range }): Attachment[] => {
    const after = later.find((counter) => counter.zone === zone)
    if (after === undefined) return []
    const value = { joules: Number(counterDelta(energy, after.energy, range)) / 1e6, window_us: windowUs, name }
    const source = `powercap ${zone} energy_uj`
    return [{ kind: 'meter', label: 'MEASURED', mode: 'counter', source, read_at: readAt, value, reason: null }]
  })
  const usage = { cpu_s: cpuUs / 1e6, tdp_w: tdpW, util: { value: 1, low: 1 / needs.cores, high: 1 }, pue: 1 }
  const readings = [
    { name: 'process_cpu', value: cpuUs, unit: 'us', how: 'process.cpuUsage' },
    { name: 'window', value: windowUs, unit: 'us', how: 'process.hrtime.bigint' },
  ]
  return { attachments, usage, readings }
}

export const energy = (needs: EnergyNeeds): Organ => ({
  id: 'N13',
  version: '1.0.0',
  ops: {
    estimate: op({
      summary: 'Joules, watt-hours and grams of CO2 equivalent of a run, with their interval',
      request: Estimate,
      result: Type.Object(EnergyFields, exactly),
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
      request: Type.Object(
        {
          window_ms: Type.Integer({ minimum: 10, maximum: 2000, default: 200 }),
          tdp_w: Type.Number({ minimum: 0, maximum: 2000, description: 'watts of the processor at full load' }),
        },
        exactly,
      ),
      result: Type.Object({ ...EnergyFields, cpu_s: Type.Number(), cores: Type.Integer() }, exactly),
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
          limits: [
            {
              code: 'PROCESS_ONLY',
              detail: 'the processor time of this process alone; memory, disks and fans are not in it',
            },
          ],
        }
      },
    }),
  },
  fromPrompt: (prompt) => energyPrompt(prompt, needs.countTokens),
  example: {
    request: { op: 'estimate', cpu_s: 10, tdp_w: 65, util: 0.5, pue: 1.2, gco2_kwh: 400 },
    prompt: '10 cpu_s at 65 W',
  },
  evidence: {
    equation: `E = (cpu_s*tdp_w*util + mem_gb*${MEMORY_W_PER_GB}*wall_s)*pue, or E = tokens*j_per_token*pue; Wh = E/3600; g = Wh/1000*gco2_kwh`,
  },
})
