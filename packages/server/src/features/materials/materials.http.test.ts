import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import type { MaterialsHealth } from './schemas.ts'

const P = '/api/orch/v1/materials'
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, [], { calibrates: true })
const predict = (body?: unknown, prefix = P) =>
  post(`${service.url}${prefix}/predict`, body === undefined ? '' : JSON.stringify(body))

/** The model is fitted by the first who asks; on a busy machine that takes longer than a prediction waits. */
async function ready() {
  for (;;) {
    const answer = await predict({ formula: 'MgO' })
    if (answer.status === 200) return answer
    assert.deepEqual([answer.status, answer.json.error.code, answer.headers['retry-after']], [503, 'compute_busy', '1'])
  }
}

test('an empty body predicts magnesia, as a sample that is recorded as an example', async () => {
  await ready()
  const { status, json, headers } = await predict()
  assert.equal(status, 200, JSON.stringify(json))
  assert.deepEqual(
    [json.label, json.input_source, headers['x-orch-default-example']],
    ['SAMPLE', 'DEFAULT_EXAMPLE', '1'],
  )
  assert.deepEqual([json.receipt.chain, json.verdict, json.prediction_excludes_reference], ['materials', 'GREEN', true])
  assert.ok(Math.abs(json.reference.value + 3.1176) < 5e-5 && json.reference.source.length > 0)
  const receipt = await send(`${service.url}/api/orch/v1/receipts/${json.receipt.digest}`)
  assert.equal(receipt.json.kind, 'example')
})

test('a composition and its formula are one question, also under the alias, and leave a receipt of digests', async () => {
  await ready()
  const [one, two, three] = [
    await predict({ composition: { Ca: 1, O: 2, H: 2 } }),
    await predict({ formula: 'Ca(OH)2' }),
    await predict({ formula: 'Ca(OH)2' }, '/v1/materials'),
  ]
  const { receipt, input_sha256, ...rest } = two.json
  const comparable = ({ receipt: _, input_sha256: __, ...body }: typeof two.json) => body
  assert.deepEqual(comparable(one.json), rest)
  assert.deepEqual(comparable(three.json), rest)
  assert.equal(three.json.input_sha256, input_sha256)
  const stored = await send(`${service.url}/api/orch/v1/receipts/${receipt.digest}`)
  assert.equal(stored.json.kind, 'analysis')
  const { key_kind: _, ...payload } = stored.json.body.payload
  assert.deepEqual(payload, {
    ...{ operation: 'materials.predict', label: 'MODELED', input_source: 'CALLER' },
    ...{ input_sha256, output_sha256: two.json.output_sha256 },
  })
})

test('bounds, closed bodies and grammar are 422 at their field', async () => {
  for (const [body, place] of [
    [{ formula: 'MgO', composition: { Mg: 1, O: 1 } }, 'formula'],
    [{ confidence: 0.95 }, 'formula'],
    [{ formula: 'Qq' }, 'formula'],
    [{ formula: `${'Mg'.repeat(32)}O` }, 'formula'],
    [{ formula: '' }, 'formula'],
    [{ formula: 'MgO', confidence: 0.7 }, 'confidence'],
    [{ formula: 'MgO', property: 'band_gap' }, 'property'],
    [{ formula: 'MgO', extra: 1 }, 'extra'],
    [{ composition: {} }, 'composition'],
    [{ composition: { Mg: 0, O: 1 } }, 'composition'],
    [{ composition: { Mg: 1001, O: 1 } }, 'composition'],
    [{ composition: { Zz: 1 } }, 'composition'],
    [{ composition: { H: 1, Li: 1, Be: 1, B: 1, C: 1, N: 1, O: 1, F: 1, Na: 1 } }, 'composition'],
    [{ composition: { Mg: '1', O: 1 } }, 'composition'],
  ] as const) {
    const { status, json } = await predict(body)
    assert.equal(status, 422, JSON.stringify(body))
    assert.ok(JSON.stringify(json.detail).includes(place), `${JSON.stringify(body)} ${JSON.stringify(json.detail)}`)
    assert.doesNotMatch(JSON.stringify(json.detail), /anyOf/)
  }
  const limits = await predict({ composition: { Mg: 1000, O: 1000 } })
  assert.notEqual(limits.status, 422)
  assert.equal((await post(`${service.url}${P}/predict`, '{"formula":"MgO"')).status, 422)
  assert.equal((await send(`${service.url}${P}/predict`)).status, 405)
})

test('health tells the table, the model and the bars, and the same under the alias and for HEAD', async () => {
  await ready()
  const [one, alias] = [await send(`${service.url}${P}/health`), await send(`${service.url}/v1/materials/health`)]
  const json = one.json as MaterialsHealth
  assert.equal(one.status, 200)
  assert.ok(json.ok && ['CALIBRATING', 'READY'].includes(json.state))
  assert.ok(json.rows >= 150 && json.training_rows >= 150 && json.systems_with_hull > 100)
  assert.match(json.data_sha256, /^[0-9a-f]{64}$/)
  assert.ok(
    json.acceptance.every(({ met }) => met !== false),
    JSON.stringify(json.acceptance),
  )
  assert.equal(alias.json.data_sha256, json.data_sha256)
  const head = await send(`${service.url}${P}/health`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('a table that was edited by hand is served no more', async (t) => {
  const { artifacts } = service.app.ports
  const { text } = artifacts
  t.after(() => {
    artifacts.text = text
  })
  artifacts.text = async (name) => {
    const file = await text.call(artifacts, name)
    if (name !== 'materials-formation' || !file.present) return file
    return { ...file, sha256: '0'.repeat(64), text: file.text.replace('-601.6', '-701.6') }
  }
  const { status, json } = await predict({ formula: 'MgO' })
  assert.deepEqual([status, json.error.code], [503, 'data_file_invalid'])
})
