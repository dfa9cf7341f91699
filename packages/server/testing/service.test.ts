import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startService } from './service.ts'

function program(t: TestContext, source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'orch-program-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const main = join(folder, 'main.mjs')
  writeFileSync(main, source)
  return main
}

const SERVER = `
import { createServer } from 'node:http'
import { mkdirSync } from 'node:fs'
mkdirSync(process.env.ORCH_DATA)
let asked = 0
const server = createServer((request, reply) => {
  asked += 1
  reply.statusCode = request.url === '/healthz' && asked > 2 ? 200 : 503
  reply.end()
}).listen(Number(process.env.ORCH_PORT), process.env.ORCH_HOST, () => {
  console.log('console http://127.0.0.1:' + server.address().port + '/console ' + process.env.EXTRA)
})
process.on('SIGTERM', () => process.exit(0))
`

test('1f a service is handed over healthy, on its own port and data folder, and is gone after close', async (t) => {
  const service = await startService({ main: program(t, SERVER), env: { EXTRA: 'given' } })
  t.after(() => service.close())
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  assert.match(service.output(), /\/console given/)
  assert.equal(existsSync(service.data), true)
  assert.equal(await service.stop(), 0)
  await assert.rejects(fetch(`${service.url}/healthz`), TypeError)
  await service.close()
  assert.equal(existsSync(service.data), false)
})

test('kill9 ends a service at once and keeps its data', async (t) => {
  const service = await startService({ main: program(t, SERVER) })
  t.after(() => service.close())
  await service.kill9()
  assert.equal(service.child.signalCode, 'SIGKILL')
  assert.equal(existsSync(service.data), true)
})

test('a service that dies at start is reported with what it printed', async (t) => {
  const main = program(t, `console.error('port 1 is taken'); process.exit(1)`)
  await assert.rejects(startService({ main }), /ended with 1 before it answered:\nport 1 is taken/)
})
