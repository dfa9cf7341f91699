// One PostgreSQL for all test files of a run: each of them makes databases of its own in it.
import { postgresUnavailable, SHARED_POSTGRES, startPostgres } from '@orch/server/testing/postgres.ts'

/** Files start three at a time and a node has a few connections; what nobody uses costs nothing. */
const SETTINGS = { fsync: 'off', max_connections: '300' }

/** Where no server can be started, each file finds that out for itself and says so. */
export async function withSharedPostgres(wanted: boolean, work: () => Promise<unknown>): Promise<void> {
  if (!wanted || postgresUnavailable() !== undefined) return void (await work())
  const server = await startPostgres({ settings: SETTINGS })
  process.env[SHARED_POSTGRES] = server.url
  try {
    await work()
  } finally {
    delete process.env[SHARED_POSTGRES]
    await server.stop()
  }
}
