// The service with these settings on a fresh data folder, or on the one that BENCH_DATA names, to be loaded at the path
// given, until it is told to end.
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { benchFolder } from '../folder.ts'

export const QUIET = { ORCH_LOG: 'json', ORCH_LOG_LEVEL: 'error' }

export async function serve(
  path: string,
  settings: Record<string, string>,
  overrides: Parameters<typeof buildApp>[1] = {},
): Promise<void> {
  const data = process.env.BENCH_DATA ?? benchFolder()
  const app = await buildApp(readConfig({ ORCH_PORT: '0', ORCH_DATA: data, ...settings }), overrides)
  process.stdout.write(`${await app.http.listen({ host: '127.0.0.1', port: 0 })}${path}\n`)
  process.on('SIGTERM', async () => {
    await app.close()
    process.exit(0)
  })
}
