// The whole service with its default settings on a fresh data folder, to be loaded at the path BENCH_PATH.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'

const data = mkdtempSync(join(tmpdir(), 'orch-bench-'))
const { BENCH_GDW_QUOTAS: quotas } = process.env
const settings = { ORCH_PORT: '0', ORCH_DATA: data, ORCH_LOG: 'json', ORCH_LOG_LEVEL: 'error' }
const app = await buildApp(readConfig(quotas === undefined ? settings : { ...settings, ORCH_GDW_QUOTAS: quotas }))
process.stdout.write(`${await app.http.listen({ host: '127.0.0.1', port: 0 })}${process.env.BENCH_PATH}\n`)
process.on('SIGTERM', async () => {
  await app.close()
  rmSync(data, { recursive: true, force: true })
  process.exit(0)
})
