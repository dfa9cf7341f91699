import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tryOrgan } from '#testing/organs/try-organ.ts'
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
