import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { systemClock } from '../../../platform/clock.ts'
import { machineProbes } from './io/probes.ts'
import { tune } from './organ.ts'

const found = (value: boolean) => async () => [
  { probe: 'accelerator device', found: value, at: '2026-01-01T00:00:00.000Z' },
]
const organ = tune(found(false))

test('the refusal has no result, no number and says what was looked for', async () => {
  const { answer } = await tryOrgan(organ, { base_model: 'm', lora_r: 8, epochs: 3 })
  assert.deepEqual([answer.ok, answer.status, answer.result, answer.result_sha256], [false, 'UNAVAILABLE', null, null])
  assert.equal(answer.label, 'UNAVAILABLE')
  assert.deepEqual(
    answer.evidence.checked.map(({ found }: { found: boolean }) => found),
    [false],
  )
  assert.ok(answer.evidence.to_enable.length > 0)
})

test('an accelerator changes what was found and not the answer', async () => {
  const { answer } = await tryOrgan(tune(found(true)), {})
  assert.deepEqual([answer.status, answer.result, answer.evidence.checked[0].found], ['UNAVAILABLE', null, true])
})

test('over 1,000 generated requests there is no job, loss, progress or other number', async () => {
  for (let n = 0; n < 1000; n += 1) {
    const { answer } = await tryOrgan(organ, {
      base_model: `model-${n}`,
      lora_r: 1 + (n % 256),
      lora_dropout: (n % 11) / 10,
      epochs: 1 + (n % 100),
      sample: Array.from({ length: n % 51 }, (_, at) => ({ prompt: `p${at % 7}`, completion: `c${n % 3}` })),
    })
    assert.equal(answer.result, null)
    JSON.stringify([answer.evidence, answer.attachments], (name, value) => {
      assert.doesNotMatch(name, /^(?:job_id|loss|eta|progress)$/)
      assert.notEqual(typeof value, 'number')
      return value
    })
  }
})

test('the configuration is linted: empty, repeated and over-long rows are named', async () => {
  const row = { prompt: 'a', completion: 'b' }
  const sample = [row, row, { prompt: ' ', completion: 'x' }, { prompt: 'x'.repeat(9000), completion: 'y' }]
  const { answer } = await tryOrgan(organ, { base_model: 'm', sample })
  const [lint] = answer.attachments
  assert.equal(lint.label, 'STRUCTURAL-ONLY')
  assert.deepEqual(lint.value.problems, [
    'sample row 1 repeats an earlier one',
    'sample row 2 has an empty side',
    'sample row 3 is too long',
  ])
})

test('devices, a trainer and weights are really looked for; all of them there change nothing but what was found', async () => {
  const exchange = async () => ({ ok: true as const, value: {}, status: 200 }) as never
  const trainer = { url: 'https://trainer.example/jobs?token=secret', exchange }
  const there = tune(() => machineProbes(systemClock, { trainer, devices: [import.meta.filename] }), true)
  const { answer } = await tryOrgan(there, { base_model: 'm' })
  assert.deepEqual(
    answer.evidence.checked.map(({ found }: { found: boolean }) => found),
    [true, true, true],
  )
  assert.ok(!JSON.stringify(answer).includes('secret'))
  assert.deepEqual([answer.ok, answer.status, answer.result], [false, 'UNAVAILABLE', null])
  const silent = async () => ({ ok: false, code: 'TRANSPORT_UNAVAILABLE' }) as never
  const gone = { trainer: { ...trainer, exchange: silent }, devices: ['/dev/no-such-device'] }
  const looked = await machineProbes(systemClock, gone)
  assert.deepEqual(
    looked.map(({ found }) => found),
    [false, false, true],
  )
  const page = async () => ({ ok: false, code: 'RESPONSE_INVALID' }) as never
  const [, answering] = await machineProbes(systemClock, { ...gone, trainer: { ...trainer, exchange: page } })
  assert.equal(answering?.found, false, 'what answers with a page is no trainer')
  const unset = await machineProbes(systemClock, {})
  assert.ok(unset.some(({ probe, found }) => probe.includes('ORCH_ORGAN_N11_URL') && !found))
})
