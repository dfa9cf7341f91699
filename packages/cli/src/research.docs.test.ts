// Every shell block of docs/research.md, against a fresh service.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Service, startService } from '@orch/server/testing/service.ts'

let service: Service
before(async () => {
  service = await startService({ env: { ORCH_STORE: 'memory' } })
})
after(() => service.close())

const text = readFileSync(join(import.meta.dirname, '../../../docs/research.md'), 'utf8')
for (const [, block] of text.matchAll(/^```sh\n([\s\S]*?)^```$/gm))
  test(`it runs: ${block!.split('\n')[0]}`, () => {
    const script = block!.replaceAll('http://127.0.0.1:8080', service.url)
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', script], { encoding: 'utf8', timeout: 60_000 })
    assert.equal(status, 0, `${stdout}\n${stderr}`)
  })
