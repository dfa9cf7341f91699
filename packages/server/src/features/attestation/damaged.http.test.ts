// Whoever can edit the database of a running service gets reports about it, never an internal error and never a good word.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type Service, startApp } from '#testing/layer.ts'

async function json(service: Service, path: string, body?: object) {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(`${service.url}${path}`, init)
  return { status: answer.status, json: (await answer.json()) as Record<string, never> }
}

async function minted(t: TestContext, env: Record<string, string> = {}) {
  const service = await startApp(t, { ORCH_STORE: 'sqlite', ...env })
  const digests: string[] = []
  for (let n = 0; n < 3; n += 1) digests.push((await json(service, '/api/orch/khipu/sign', { n })).json.digest!)
  return { service, digests }
}

function edit({ data }: Service, statements: string): void {
  const db = new DatabaseSync(join(data, 'ledger.sqlite'), { timeout: 10_000 })
  for (const table of ['receipts', 'checkpoints', 'tiles'])
    db.exec(`DROP TRIGGER ${table}_never_change; DROP TRIGGER ${table}_never_leave`)
  db.exec(statements)
  db.close()
}

for (const [what, change] of [
  ['a tree whose edge was deleted', 'DELETE FROM edges'],
  [
    'a checkpoint over more receipts than there are',
    'INSERT INTO checkpoints SELECT max(size) + 50, note FROM checkpoints',
  ],
] as const)
  test(`${what} is a report on every receipt, and readiness is not VERIFIED`, async (t) => {
    const { service, digests } = await minted(t)
    assert.equal((await json(service, `/api/orch/v1/attest/${digests[1]}`)).json.verdict, 'CHAIN-VERIFIED')
    edit(service, change)
    const verified = await json(service, `/api/orch/v1/verify/receipt/${digests[1]}`)
    const attested = await json(service, `/api/orch/v1/attest/${digests[1]}`)
    assert.deepEqual([verified.status, attested.status], [200, 200])
    const checks = verified.json.checks as unknown as { check: string; status: string; reason: string }[]
    assert.notEqual(checks.find(({ check }) => check === 'inclusion')?.status, 'VERIFIED')
    if (change === 'DELETE FROM edges')
      assert.match(
        checks.find(({ check }) => check === 'inclusion')!.reason,
        /damaged and proves nothing: tile 0\/0 is missing/,
      )
    const presented = await json(service, '/api/orch/v1/verify/receipt', { receipt_id: digests[1] })
    assert.equal(presented.status, 200)
    const ready = await json(service, '/api/readyz')
    assert.equal(ready.status, 503)
    assert.equal(JSON.stringify(ready.json).includes('"VERIFIED"'), false)
  })

test('an unsigned receipt is never attested as verified, though its chain is', async (t) => {
  const { service, digests } = await minted(t, { ORCH_SIGNER: 'none' })
  const { json: attested } = await json(service, `/api/orch/v1/attest/${digests[1]}`)
  assert.equal(attested.verdict, 'INCONCLUSIVE')
  assert.equal((attested.factors as unknown as { status: string }[])[0]!.status, 'INCONCLUSIVE')
})

test('a signature taken off while the service runs is a broken chain at that receipt', async (t) => {
  const { service, digests } = await minted(t)
  edit(service, 'UPDATE receipts SET sig = NULL, key_id = NULL WHERE node_index = 1')
  const { json: attested } = await json(service, `/api/orch/v1/attest/${digests[1]}`)
  assert.notEqual(attested.verdict, 'CHAIN-VERIFIED')
})
