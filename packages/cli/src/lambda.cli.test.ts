import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@orch/client'
import { canonicalBytes, importPublicKey, pae, RECEIPT_PAYLOAD_TYPE } from '@orch/core'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { runOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-lambda')
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
const { keyid } = importPublicKey(pem)!
type Body = { payload: Record<string, unknown> & { lambda: number } }
let service: Service
let body: Body
let env: Record<string, string>
const orch = (...args: string[]) => runOrch(args, { home, env })

before(async () => {
  service = await startService()
  env = { ORCH_BASE_URL: service.url }
  const client = createClient({ baseUrl: service.url })
  const { receipt } = await client.governance.govern({ body: { text: 'Please wire 900 dollars to wallet 7' } })
  await client.inference.infer({ body: { prompt: 'What is the capital of France?' } })
  await client.agent.loop({ body: { goal: 'hash "x" then calculate 2+3*4' } })
  await client.stepping.step({ body: { session_id: 's', request: 'write the summary' } })
  await client.khipu.sign({ body: { lambda: 0.5, lambda_inputs: { planned: 0 } } })
  body = JSON.parse(new TextDecoder().decode(await client.receipts.canonical({ params: { digest: receipt!.digest } })))
  writeFileSync(join(home, 'receipt.json'), (await orch('ledger', 'show', receipt!.digest, '--json')).stdout)
  writeFileSync(join(home, 'cosign.pub'), await client.keys.cosign())
  writeFileSync(join(home, 'forger.pub'), pem)
})
after(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

/** Whoever holds the key can sign any number. */
function forged(name: string, payload: object): string {
  const bytes = canonicalBytes({ ...body, payload })
  const sig = sign('sha256', pae(RECEIPT_PAYLOAD_TYPE, bytes), privateKey).toString('base64')
  const payloadText = Buffer.from(bytes).toString('base64')
  const envelope = { payloadType: RECEIPT_PAYLOAD_TYPE, payload: payloadText, signatures: [{ sig, keyid }] }
  writeFileSync(join(home, name), JSON.stringify(envelope))
  return name
}

async function verified(file: string, key: string) {
  const { code, stdout, stderr } = await orch('verify', '--key', key, '--json', file)
  assert.notEqual(stdout, '', stderr)
  const { checks } = JSON.parse(stdout) as {
    checks: { check: string; status: string; details: Record<string, unknown> }[]
  }
  const failed = checks.filter(({ status }) => status === 'MISMATCH').map(({ check }) => check)
  return { code, failed, lambda: checks.find(({ check }) => check === 'lambda') }
}

test('orch verify computes lambda of a decision again from its receipt', async () => {
  const { code, failed, lambda } = await verified('receipt.json', 'cosign.pub')
  assert.deepEqual([code, failed, lambda?.status], [0, [], 'VERIFIED'])
})

test('4a verify 3: a lambda that does not follow from its inputs fails although its signature is good', async () => {
  const { payload } = body
  assert.deepEqual((await verified(forged('same.json', payload), 'forger.pub')).code, 0)
  for (const change of [{ lambda: payload.lambda - 0.01 }, { lambda_raw: 0.5 }, { lambda: null }]) {
    const { code, failed } = await verified(forged('changed.json', { ...payload, ...change }), 'forger.pub')
    assert.deepEqual([code, failed], [3, ['lambda']], JSON.stringify(change))
  }
})

test('a whole ledger is computed again too: decisions, inferences and steps, and no minted object', async () => {
  await orch('ledger', 'export', '--out', 'ledger.jsonl')
  const { code, lambda } = await verified('ledger.jsonl', 'cosign.pub')
  assert.deepEqual([code, lambda?.status], [0, 'VERIFIED'])
  const kinds = JSON.parse((await orch('ledger', 'ls', '--limit', '200', '--json')).stdout).receipts.map(
    ({ kind }: { kind: string }) => kind,
  )
  const carrying = kinds.filter((kind: string) => ['decision', 'inference', 'agent-step', 'step'].includes(kind))
  assert.deepEqual([...new Set(carrying)].sort(), ['agent-step', 'decision', 'inference', 'step'])
  assert.equal(lambda?.details.receipts, carrying.length)
})

test('a pack says of its receipts what each says alone', async () => {
  await orch('pack', 'create', '--out', 'pack.json')
  const { code, lambda } = await verified('pack.json', 'cosign.pub')
  assert.deepEqual([code, lambda?.status], [0, 'VERIFIED'])
})
