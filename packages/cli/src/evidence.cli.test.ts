// A decision saved by the command line, under keys that are production keys: a signer in a process of its own.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { post, send } from '@orch/server/testing/raw-http.ts'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { runOrch } from './testing/run-orch.ts'

const REFERENCE = fileURLToPath(new URL('../../../examples/reference-signer.ts', import.meta.url))
const home = freshFolder('evidence')
const orch = (...args: string[]) => runOrch(args, { home, env: { ORCH_BASE_URL: service.url } })
let signer: ChildProcess | undefined
let service: Service

before(async () => {
  const url = `unix:${join(home, 's')}`
  signer = spawn(process.execPath, [REFERENCE, join(home, 'key.pem'), url], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(signer.stdout!, 'data')
  const publicKey = readFileSync(join(home, 'key.pem.pub'), 'utf8')
  const env = { ORCH_SIGNER: 'external', ORCH_SIGNER_URL: url, ORCH_SIGNER_PUBLIC_KEY: publicKey }
  service = await startService({ env })
  writeFileSync(join(home, 'log.vkey'), (await send(`${service.url}/log/key`)).text)
})
after(async () => {
  signer?.kill('SIGKILL')
  await service?.close()
  rmSync(home, { recursive: true, force: true })
})

test('a decision and a minted receipt pass under two pinned production keys, with every demand', async () => {
  assert.equal((await orch('govern', 'What is the capital of France?', '--receipt', 'decision.json')).code, 0)
  const minted = await post(`${service.url}/api/orch/khipu/sign?envelope=1`, '{"note":"released build 42"}')
  writeFileSync(join(home, 'minted.json'), minted.text)
  assert.equal((await orch('keys', 'pin', 'key.pem.pub', '--kind', 'production')).code, 0)
  assert.equal((await orch('keys', 'pin', 'log.vkey')).code, 0)
  for (const file of ['decision.json', 'minted.json']) {
    const { code, stdout } = await orch('verify', '--strict', '--chain', '--require-production', file)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /: PASS \((?:reply|receipt)\)\n {2}everything holds: /)
  }
})

test('the saved decision says allow to nobody once a word of it is changed', async () => {
  const text = readFileSync(join(home, 'decision.json'), 'utf8')
  writeFileSync(join(home, 'changed.json'), text.replace('"decision":"allow"', '"decision":"deny"'))
  const { code, stdout } = await orch('verify', 'changed.json')
  assert.equal(code, 3)
  assert.match(stdout, /the reply is contradicted: the answer is not the one that the signed bytes cover/)
})
