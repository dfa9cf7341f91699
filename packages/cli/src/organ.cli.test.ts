// A run of an organ recomputed from its receipt and its input, away from the service that made it.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { startService } from '@orch/server/testing/service.ts'
import { runOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-organ')
const service = await startService()
after(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

async function runAt(id: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${service.url}/api/orch/v1/organs/${id}?envelope=1`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  assert.equal(reply.status, 200)
  return reply.text()
}
const file = (name: string, content: string): string => {
  writeFileSync(join(home, name), content)
  return name
}
/** Without any service to ask. */
const replay = (args: string[]) =>
  runOrch(['organ', 'replay', ...args], { home, env: { ORCH_BASE_URL: 'http://127.0.0.1:9' } })
const inputOf = (body: object): string => file('in.json', JSON.stringify(body))
const runFile = async (id: string, body: object): Promise<string> => file(`run-${id}.json`, await runAt(id, body))
/** The envelope of a run whose payload says something else. */
async function forge(id: string, body: object, said: object): Promise<string> {
  const { payloadType, payload, signatures } = JSON.parse(await runAt(id, body)).receipt.dsse
  const text = JSON.parse(Buffer.from(payload, 'base64').toString())
  Object.assign(text.payload, said)
  const forged = Buffer.from(JSON.stringify(text)).toString('base64')
  return file(`forged-${id}.json`, JSON.stringify({ payloadType, payload: forged, signatures }))
}
const input = { op: 'call', turns: { n: 6 }, seed: 7 }
const receipt = file('voice.json', await runAt('N20', input))

test('the same input gives both digests again, from the reply, its receipt or its bare envelope', async () => {
  const { receipt: whole } = JSON.parse(await runAt('N20', input))
  const forms = [
    receipt,
    file('receipt.json', JSON.stringify(whole)),
    file('envelope.json', JSON.stringify(whole.dsse)),
  ]
  for (const form of forms) {
    const { code, stdout, stderr } = await replay([form, '--input', file('in.json', JSON.stringify(input)), '--json'])
    assert.equal(code, 0, stderr)
    const report = JSON.parse(stdout)
    assert.deepEqual([report.equal, report.input_sha256.equal, report.result_sha256.equal], [true, true, true])
  }
  const { stdout } = await replay([receipt, '--input', 'in.json'])
  assert.match(stdout, /EQUAL/)
})

test('a prompt and the request that it stands for replay each other', async () => {
  const prompt = file('prompt-run.json', await runAt('N8', { prompt: '11-0107' }))
  assert.equal((await replay([prompt, '--input', file('written.json', '{"op":"search","parcel":"11-0107"}')])).code, 0)
})

test('another input differs in its digest, and another result in the other', async () => {
  const other = await replay([receipt, '--input', file('other.json', JSON.stringify({ ...input, seed: 8 })), '--json'])
  assert.equal(other.code, 3, other.stderr)
  assert.deepEqual([JSON.parse(other.stdout).equal, JSON.parse(other.stdout).input_sha256.equal], [false, false])
  const forged = await replay([await forge('N20', input, { result_sha256: '0'.repeat(64) }), '--input', inputOf(input)])
  assert.equal(forged.code, 3, forged.stderr)
  assert.match(forged.stdout, /input {2}equal[\s\S]*result different[\s\S]*DIFFERENT/)
})

test('another status is a difference, though the result is the same', async () => {
  const sql = { sources: [{ name: 'a', rows: [{ x: 1 }] }], sql: 'SELECT x FROM a' }
  const forged = await replay([await forge('N4', sql, { status: 'DENIED' }), '--input', inputOf(sql), '--json'])
  assert.equal(forged.code, 3, forged.stderr)
  const { equal, status, result_sha256 } = JSON.parse(forged.stdout)
  assert.deepEqual([equal, status.equal, result_sha256.equal], [false, false, true])
})

test('a run that came to nothing, then or now, is not compared', async () => {
  const endless = {
    sources: [{ name: 'a', rows: [{ x: 1 }] }],
    sql: 'WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t',
  }
  const stopped = { status: 'LIMIT_EXCEEDED', result_sha256: null }
  const cases: [string, RegExp][] = [
    [await runFile('N4', endless), /of the receipt came to LIMIT_EXCEEDED/],
    [await forge('N4', endless, { status: 'EXECUTED', result_sha256: '0'.repeat(64) }), /came to LIMIT_EXCEEDED here/],
  ]
  for (const [receipt, why] of cases) {
    const { code, stdout, stderr } = await replay([receipt, '--input', inputOf(endless), '--json'])
    assert.equal(code, 5, stderr)
    assert.deepEqual(JSON.parse(stdout).equal, false)
    assert.match(JSON.parse(stdout).not_comparable, why)
  }
  const busy = await replay([await forge('N20', input, stopped), '--input', inputOf(input)])
  assert.equal(busy.code, 5, busy.stderr)
  assert.match(busy.stdout, /NOT COMPARABLE: the run of the receipt came to LIMIT_EXCEEDED/)
})

test('what cannot be compared is said to be so, and is no difference', async () => {
  const body = { op: 'put', ns: 'team', key: 'tariff', text: 'blue' }
  const put = await replay([
    file('put.json', await runAt('N15', body)),
    '--input',
    file('put-in.json', JSON.stringify(body)),
    '--json',
  ])
  assert.equal(put.code, 5, put.stderr)
  assert.match(JSON.parse(put.stdout).not_comparable, /salted/)
})

test('a file that is no receipt of a run, an input that does not fit and a missing one are refused', async () => {
  const cases: [string[], RegExp][] = [
    [[receipt], /--input/],
    [['--input', 'in.json'], /name one RECEIPT/],
    [[file('none.json', '{}'), '--input', 'in.json'], /holds no envelope/],
    [[receipt, '--input', file('bad.json', '{"turns":')], /not valid JSON at line 1/],
    [[receipt, '--input', 'absent.json'], /cannot be read/],
    [[receipt, '--input', file('unfit.json', '{"turns":{"n":65}}')], /does not fit/],
  ]
  for (const [args, sentence] of cases) {
    const { code, stderr } = await replay(args)
    assert.equal(code, 2, stderr)
    assert.match(stderr, sentence)
  }
})
