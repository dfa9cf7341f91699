import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { reading } from '@orch/core'
import fc from 'fast-check'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { readCounters } from '../../../adapters/meters/powercap.ts'
import { countTokens } from '../../../adapters/models/tokens.ts'
import { counterDelta } from '../../../domain/counter-delta.ts'
import { InputError } from '../../../errors.ts'
import type { Usage } from './formula.ts'
import { energy } from './organ.ts'

type EnergyNeeds = Parameters<typeof energy>[0]

/** A process that uses 30,000 microseconds between two looks. */
function fakeNeeds(more: Partial<EnergyNeeds> = {}): EnergyNeeds {
  let cpu = 0
  const meters = { configured: 0, read: async () => [] }
  return { countTokens, counters: async () => [], meters, cpuMicros: () => (cpu += 30_000), cores: 4, ...more }
}
const organ = energy(fakeNeeds())
const point = (value: number) => ({ value, low: value, high: value })
const faultsOf = (body: Record<string, unknown>): Promise<string[]> =>
  tryOrgan(organ, body).then(
    () => [],
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail.map(({ loc }) => loc.join('.'))
    },
  )

test('10 s at 65 W, half used, PUE 1.2 and 400 g: 390 J, 0.108333 Wh, 0.043333 g', async () => {
  const { answer } = await tryOrgan(organ, {})
  assert.deepEqual(answer.result, {
    joules: point(390),
    wh: point(0.108333),
    gco2e: point(0.043333),
    terms: [
      { name: 'cpu', joules: point(325) },
      { name: 'memory', joules: point(0) },
      { name: 'facility_overhead', joules: point(65) },
    ],
  })
  assert.equal(answer.result_sha256, GOLDEN)
  assert.deepEqual([answer.attachments, answer.status], [[], 'EXECUTED'])
  assert.deepEqual(
    answer.evidence.coefficients.map(({ name, source }: { name: string; source: string }) => [name, source]),
    [
      ['tdp_w', 'caller'],
      ['pue', 'caller'],
      ['gco2_kwh', 'caller'],
    ],
  )
})
const GOLDEN = '937e7664ef6f3e4cddec009a91e80d3745edefa1ca8ea1400f1d1bdc5236e748'

test('memory counts 0.375 W per GB, with the source of that number', async () => {
  const { answer } = await tryOrgan(organ, { mem_gb: 8, wall_s: 100 })
  assert.deepEqual([answer.result.joules, answer.result.gco2e], [point(300), null])
  assert.match(answer.evidence.coefficients.at(-1).source, /CodeCarbon/)
  assert.deepEqual(
    answer.limits.map(({ code }: { code: string }) => code),
    ['MEMORY_RULE_OF_THUMB'],
  )
})

test('an interval of an input is an interval of the answer', async () => {
  const { answer } = await tryOrgan(organ, { tokens: 1000, j_per_token: { value: 0.3, low: 0.1, high: 2 } })
  assert.deepEqual(answer.result.joules, { value: 300, low: 100, high: 2000 })
  assert.deepEqual([answer.evidence.interval.low, answer.evidence.interval.high], [100, 2000])
})

const limits: Record<string, [min: number, max: number]> = {
  cpu_s: [0, 1e6],
  tdp_w: [0, 2000],
  util: [0, 1],
  mem_gb: [0, 4096],
  wall_s: [0, 1e6],
  pue: [1, 3],
  gco2_kwh: [0, 1500],
}
const physical = { cpu_s: 1, tdp_w: 1, util: 1, mem_gb: 1, wall_s: 1 }

test('every input is accepted at its bounds and refused one step beyond, by its name', async () => {
  for (const [field, [min, max]] of Object.entries(limits)) {
    const step = (max - min) / 1e6
    for (const value of [min, max, max - step]) assert.deepEqual(await faultsOf({ ...physical, [field]: value }), [])
    for (const value of [min - step, max + step])
      assert.ok((await faultsOf({ ...physical, [field]: value })).some((loc) => loc.startsWith(`body.${field}`)))
  }
  for (const [field, max] of Object.entries({ tokens: 1e12, j_per_token: 1000 })) {
    const body = { tokens: 1, j_per_token: 1 }
    assert.deepEqual(await faultsOf({ ...body, [field]: max }), [])
    assert.ok((await faultsOf({ ...body, [field]: max * 1.000001 })).some((loc) => loc.startsWith(`body.${field}`)))
  }
  const probe = (window_ms: number, tdp_w = 10) => faultsOf({ op: 'probe', window_ms, tdp_w })
  assert.deepEqual(await probe(10), [])
  for (const refused of [probe(9), probe(2001), probe(10.5)])
    assert.ok((await refused).includes('body.window_ms'), 'window')
  assert.ok((await probe(10, 2000.1)).includes('body.tdp_w'))
})

test('reversed bounds, two forms at once and half a form are refused at their place', async () => {
  assert.deepEqual(await faultsOf({ cpu_s: { value: 1, low: 2, high: 3 }, tdp_w: 1 }), ['body.cpu_s'])
  assert.deepEqual(await faultsOf({ cpu_s: { value: 4, low: 2, high: 3 }, tdp_w: 1 }), ['body.cpu_s'])
  assert.deepEqual(await faultsOf({ cpu_s: 1, tdp_w: 1, tokens: 5, j_per_token: 1 }), ['body.tokens'])
  assert.deepEqual(await faultsOf({ cpu_s: 1 }), ['body.tdp_w'])
  assert.deepEqual(await faultsOf({ tokens: 1 }), ['body.j_per_token'])
  assert.deepEqual(await faultsOf({ mem_gb: 1 }), ['body.wall_s'])
  assert.deepEqual(await faultsOf({ op: 'estimate', pue: 1 }), ['body.cpu_s', 'body.tdp_w'])
  assert.deepEqual(await faultsOf({ window_ms: 10 }), ['body.window_ms'])
})

test('a prompt has the digests of its written-out form', async () => {
  const forms: [prompt: string, request: Record<string, unknown>][] = [
    ['10 cpu_s at 65 W', { cpu_s: 10, tdp_w: 65 }],
    ['1000 tokens at 0.3 J', { tokens: 1000, j_per_token: 0.3 }],
    [
      '10 cpu_s at 65 W util 0.5, 8 GB, 20 s wall, pue 1.2, 400 g/kWh',
      { cpu_s: 10, tdp_w: 65, util: 0.5, mem_gb: 8, wall_s: 20, pue: 1.2, gco2_kwh: 400 },
    ],
  ]
  for (const [prompt, request] of forms) {
    const [said, written] = [await tryOrgan(organ, { prompt }), await tryOrgan(organ, request)]
    assert.equal(said.answer.status, 'EXECUTED', prompt)
    assert.deepEqual(
      [said.answer.input_sha256, said.answer.result_sha256],
      [written.answer.input_sha256, written.answer.result_sha256],
    )
  }
})

test('a prompt without the numbers says what is missing and invents no coefficient', async () => {
  const hello = (await tryOrgan(organ, { prompt: 'hello world' })).answer
  assert.deepEqual([hello.status, hello.ok, hello.result.understood], ['NEEDS_INPUT', false, { tokens: 2 }])
  assert.deepEqual(
    hello.result.missing.map(({ field }: { field: string }) => field),
    ['j_per_token'],
  )
  const missing = async (prompt: string) =>
    (await tryOrgan(organ, { prompt })).answer.result.missing.map(({ field }: { field: string }) => field)
  assert.deepEqual(await missing('65 W'), ['cpu_s'])
  assert.deepEqual(await missing('9999999 cpu_s at 65 W'), ['cpu_s'])
  assert.deepEqual(await missing('0.3 J'), ['tokens'])
  assert.deepEqual(await missing('8 GB'), ['wall_s'])
})

test('any text is either computed or asked about', async () => {
  const words = fc.constantFrom(
    '10',
    '1e9',
    '-3',
    'cpu_s',
    'W',
    'tokens',
    'at',
    'J',
    'GB',
    'pue',
    '9.5',
    'util',
    'g',
    '.',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 8 }), async (parts) => {
      const { answer } = await tryOrgan(organ, { prompt: parts.join(' ') })
      assert.ok(['EXECUTED', 'NEEDS_INPUT'].includes(answer.status))
    }),
    { seed: 13, numRuns: 300 },
  )
})

test('low <= value <= high, and no input can be raised without the joules at least staying', async () => {
  const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
  const quantity = (min: number, max: number) =>
    fc
      .tuple(number(min, max), number(min, max), number(min, max))
      .map((three) => [...three].sort((a, b) => a - b) as [number, number, number])
      .map(([low, value, high]) => ({ low, value, high }))
  const usage = fc.record(
    Object.fromEntries(Object.entries(limits).map(([field, [min, max]]) => [field, quantity(min, max)])),
  ) as fc.Arbitrary<Record<keyof Usage, { low: number; value: number; high: number }>>
  await fc.assert(
    fc.asyncProperty(usage, fc.constantFrom(...Object.keys(limits)), async (body, field) => {
      const { result } = (await tryOrgan(organ, body)).answer
      for (const { low, value, high } of [result.joules, result.wh, result.gco2e])
        assert.ok(low <= value && value <= high)
      const { high, ...rest } = body[field as keyof Usage]
      const raised = (await tryOrgan(organ, { ...body, [field]: { ...rest, high, value: high } })).answer.result
      assert.ok(raised.joules.value >= result.joules.value && raised.gco2e.value >= result.gco2e.value)
    }),
    { seed: 13, numRuns: 100 },
  )
})

test('the probe reads the counter of the process, and another reading is another answer', async () => {
  const run = async (cpuMicros: () => number) =>
    (await tryOrgan(energy(fakeNeeds({ cpuMicros })), { op: 'probe', window_ms: 10, tdp_w: 100 })).answer
  let [slow, fast] = [0, 0]
  const one = await run(() => (slow += 20_000))
  assert.deepEqual(one.result.joules, { value: 2, low: 0.5, high: 2 })
  assert.deepEqual([one.deterministic, one.result.cpu_s, one.evidence.readings[0].value], [false, 0.02, 20_000])
  assert.deepEqual(one.attachments, [])
  assert.equal((await run(() => (fast += 40_000))).result.joules.value, 4)
})

test('a counter that starts again never gives a negative number', () => {
  assert.equal(counterDelta(262143000000n, 500000n, 262143328850n), 828850n)
  assert.equal(counterDelta(5n, 9n, 100n), 4n)
})

test('a counter of the machine is attached only where it answered', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'orch-powercap-'))
  t.after(() => rm(root, { recursive: true }))
  const zone = async (name: string, energyUj: string) => {
    await mkdir(join(root, name), { recursive: true })
    await writeFile(join(root, name, 'name'), 'package-0\n')
    await writeFile(join(root, name, 'energy_uj'), energyUj)
    await writeFile(join(root, name, 'max_energy_range_uj'), '262143328850\n')
  }
  await zone('intel-rapl:0', '262143000000\n')
  await zone('intel-rapl:0:0', '1\n')
  await zone('intel-rapl:1', 'not a number\n')
  let looks = 0
  const counters = async () => {
    if (looks++ === 1) await zone('intel-rapl:0', '500000\n')
    return readCounters(root)
  }
  const { answer } = await tryOrgan(energy(fakeNeeds({ counters })), { op: 'probe', window_ms: 10, tdp_w: 1 })
  assert.equal(answer.attachments.length, 1)
  const [{ label, value, source }] = answer.attachments
  assert.deepEqual([label, value.joules, source], ['MEASURED', 0.82885, 'powercap intel-rapl:0 energy_uj'])
  assert.deepEqual(await readCounters(join(root, 'nowhere')), [])
})

test('a number is read whole or it is missing: never a part of it, and never one of two', async () => {
  const joules: [prompt: string, joules: number][] = [
    ['1,000 tokens at 0.3 J', 300],
    ['2,500,000 tokens at 0.5 J', 1_250_000],
    ['1000 tokens at 1e-3 J', 1],
    ['10 cpu_s at 65 W util 50%', 325],
    ['10 cpu_s at 65 W util = 0.5', 325],
  ]
  for (const [prompt, value] of joules)
    assert.equal((await tryOrgan(organ, { prompt })).answer.result.joules?.value, value, prompt)
  const unclear: [prompt: string, field: string][] = [
    ['-10 cpu_s at 65 W', 'cpu_s'],
    ['1e999 tokens at 0.3 J', 'tokens'],
    ['10 cpu_s at 65 W util 0,5', 'util'],
    ['10 cpu_s at 65 W util high', 'util'],
    ['10 cpu_s at 65 W and 20 cpu_s at 5 W', 'cpu_s'],
    ['1000 tokens at 0.3 J and 10 cpu_s at 65 W', 'tokens'],
    ['10 cpu_s at 65 W on 3 servers', 'prompt'],
    ['1000 tokens at 0.3 J 20 times', 'prompt'],
    ['10 cpu_s at 65 W, 8 GB for 2 h', 'prompt'],
  ]
  for (const [prompt, field] of unclear) {
    const { answer } = await tryOrgan(organ, { prompt })
    assert.equal(answer.status, 'NEEDS_INPUT', prompt)
    assert.ok(
      answer.result.missing.some((one: { field: string }) => one.field === field),
      prompt,
    )
  }
})

test('each meter of the operator is attached as it answered in this request, or as silent, and changes no result', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  const meters = {
    configured: 2,
    read: async () => [
      {
        meter: 'https://a.example',
        reading: reading(
          'meter https://a.example',
          () => at,
          () => ({ joules: 12.5, at }),
        ),
      },
      { meter: 'https://b.example', error: 'STALE_READING' },
    ],
  }
  const probe = { op: 'probe', window_ms: 10, tdp_w: 1 }
  const [plain, metered] = [energy(fakeNeeds()), energy(fakeNeeds({ meters }))]
  const { answer } = await tryOrgan(metered, probe)
  assert.deepEqual(answer.attachments, [
    {
      ...{ kind: 'meter', label: 'MEASURED', mode: 'live', source: 'https://a.example', read_at: at },
      ...{ value: { joules: 12.5, at }, reason: null },
    },
    {
      ...{ kind: 'meter', label: 'UNAVAILABLE', mode: 'unreachable', source: 'https://b.example', read_at: at },
      ...{ value: null, reason: 'STALE_READING' },
    },
  ])
  assert.equal(answer.result_sha256, (await tryOrgan(plain, probe)).answer.result_sha256)
  assert.deepEqual(
    [plain, metered].map(({ backends }) => backends?.[0]?.configured),
    [false, true],
  )
})
