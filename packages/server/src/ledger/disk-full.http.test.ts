// The real process on a disk that takes no more: what callers hear, what probes hear, what a restart finds.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { startService } from '#testing/service.ts'

const PADDING = 'x'.repeat(8_000)

test('a full disk: appends are refused, readiness names store and ledger, reads go on, a restart has every receipt', async (t) => {
  if (process.platform === 'win32') return t.skip('SKIPPED: needs a file-size limit')
  const folder = freshFolder('disk-full')
  const data = join(folder, 'data')
  t.after(() => rm(folder, { recursive: true, force: true }))
  // The limit makes write(2) fail with EFBIG where a full disk gives ENOSPC.
  const { url, kill9, close, output } = await startService({ data, fileBlocks: 1500 })
  t.after(close)
  const acknowledged: string[] = []
  await post(`${url}/api/orch/v1/gdw/step`, '{"session_id":"s","request":"read the audit log"}')
  let last = await post(`${url}/api/orch/khipu/sign`, '{"n":0}')
  for (let n = 1; n < 1_000 && last.status === 200; n += 1) {
    acknowledged.push(last.json.digest)
    last = await post(`${url}/api/orch/khipu/sign`, JSON.stringify({ n, PADDING }))
  }
  assert.deepEqual([last.status, last.json.error?.code], [503, 'ledger_read_only'])
  assert.ok(acknowledged.length > 5, `${acknowledged.length} receipts before the disk was full`)
  const ready = await send(`${url}/api/readyz`)
  assert.deepEqual([ready.status, ready.json.blocking_components], [503, ['store', 'ledger']])
  assert.deepEqual(
    [ready.json.components.store.state, ready.json.components.store.detail],
    [
      'FAILED',
      {
        wrote_read_rolled_back: false,
        code: 'PROBE_FAILED',
        reason: 'a row could not be written, read back and rolled back',
      },
    ],
  )
  assert.match(ready.json.components.ledger.detail.reason, /the store failed to record \(disk I\/O error\)/)
  const lines = output()
    .split('\n')
    .filter((line) => line.includes('the ledger is read-only: '))
  assert.equal(lines.length, 1, output())
  const { level, reason } = JSON.parse(lines[0]!)
  assert.deepEqual([level, reason], ['error', ready.json.components.ledger.detail.reason])
  assert.equal((await send(`${url}/api/livez`)).status, 200)
  assert.equal((await send(`${url}/api/orch/v1/receipts/${acknowledged.at(-1)}`)).status, 200)
  // Nothing that is stored was altered, and nobody says so.
  const { ok, records_total, first_broken } = (await send(`${url}/api/orch/v1/gdw/integrity/global`)).json
  assert.deepEqual([ok, records_total, first_broken], [true, 1, null])
  await kill9()
  const again = await startService({ data })
  t.after(() => again.close())
  assert.equal((await send(`${again.url}/api/readyz`)).json.status, 'READY')
  for (const digest of acknowledged)
    assert.equal((await send(`${again.url}/api/orch/v1/receipts/${digest}`)).status, 200, digest)
})
