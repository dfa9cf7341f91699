// The service with these settings on a fresh data folder, to be loaded at the path given, until it is told to end.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'

export const QUIET = { ORCH_LOG: 'json', ORCH_LOG_LEVEL: 'error' }

export async function serve(
  path: string,
  settings: Record<string, string>,
  overrides: Parameters<typeof buildApp>[1] = {},
): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'orch-bench-'))
  const app = await buildApp(readConfig({ ORCH_PORT: '0', ORCH_DATA: data, ...settings }), overrides)
  process.stdout.write(`${await app.http.listen({ host: '127.0.0.1', port: 0 })}${path}\n`)
  process.on('SIGTERM', async () => {
    await app.close()
    rmSync(data, { recursive: true, force: true })
    process.exit(0)
  })
}
