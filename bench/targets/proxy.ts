// The whole service in front of the same upstream: both texts examined, both receipts signed and durable.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { startChatUpstream } from '../references/chat-upstream.ts'

const data = mkdtempSync(join(tmpdir(), 'orch-bench-'))
const settings = {
  ORCH_PORT: '0',
  ORCH_DATA: data,
  ORCH_LOG: 'json',
  ORCH_LOG_LEVEL: 'error',
  ORCH_UPSTREAM_URL: `http://127.0.0.1:${await startChatUpstream()}`,
  ORCH_UPSTREAM_MODEL: 'bench-model',
}
const app = await buildApp(readConfig(settings))
process.stdout.write(`${await app.http.listen({ host: '127.0.0.1', port: 0 })}/v1/chat/completions\n`)
process.on('SIGTERM', async () => {
  await app.close()
  rmSync(data, { recursive: true, force: true })
  process.exit(0)
})
