// Memory through the service, and what is left of it after a crash.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { canonicalBytes, sha256Hex } from '@orch/core'
import { testFolder } from '#testing/ledger/at-rest.ts'
import { post } from '#testing/raw-http.ts'
import { startService } from '#testing/service.ts'

const run = (url: string, body: unknown, headers = {}) =>
  post(`${url}/api/orch/v1/organs/N15`, JSON.stringify(body), headers)

test('what was answered is there after kill -9, what was forgotten is in no file, and a secret is never stored', async (t) => {
  const data = testFolder(t, 'memory-crash')
  const first = await startService({ data })
  t.after(() => first.close())
  const texts = Array.from({ length: 8 }, (_, n) => `fragment-${n}-${'abcdefgh'[n]!.repeat(300)}`)
  for (const [n, text] of texts.entries()) {
    const body = { op: 'put', ns: 'n', key: `k${n % 4}`, text }
    const { status, json } = await run(first.url, body, { 'idempotency-key': `put-${n}` })
    assert.deepEqual([status, json.status], [200, 'EXECUTED'], JSON.stringify(json))
  }
  const key = `AKIA${'QWERTZUIOPASDFGH'}`
  const denied = await run(first.url, { prompt: `deploy = aws_access_key_id=${key}` })
  assert.deepEqual([denied.json.status, denied.json.result?.stored], ['DENIED', false], denied.text)
  assert.ok(!denied.text.includes(key))
  assert.equal((await run(first.url, { op: 'forget', ns: 'n', key: 'k1' })).json.result.versions, 2)
  await first.kill9()
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name))
  const holding = (text: string | Buffer) =>
    files.filter((path) => statSync(path).isFile() && readFileSync(path).includes(text))
  for (const gone of ['fragment-1-', 'fragment-5-', 'bbbbbbbb', 'ffffffff', key])
    assert.deepEqual(holding(gone), [], gone)
  assert.ok(holding('fragment-4-').length > 0)
  // Nor a digest of it, in hex or in bytes: not of the text and not of a request or an answer that was kept.
  for (const text of [texts[1]!, texts[5]!])
    for (const digest of [
      sha256Hex(text),
      sha256Hex(canonicalBytes([{ organ_id: 'N15' }, {}, { op: 'put', ns: 'n', key: 'k1', text }])),
    ])
      assert.deepEqual([holding(digest), holding(Buffer.from(digest, 'hex'))], [[], []], text.slice(0, 10))
  assert.ok(holding(sha256Hex(texts[4]!)).length > 0)
  const second = await startService({ data })
  t.after(() => second.close())
  for (const [n, expected] of [
    [0, texts[4]],
    [2, texts[6]],
    [3, texts[7]],
  ] as const)
    assert.equal((await run(second.url, { op: 'get', ns: 'n', key: `k${n}` })).json.result.record.text, expected)
  assert.equal((await run(second.url, { op: 'get', ns: 'n', key: 'k1' })).status, 404)
})
