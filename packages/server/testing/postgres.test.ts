import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { postgresUnavailable, startPostgres } from './postgres.ts'
import { isAlive } from './process-alive.ts'

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query({ text: sql, rowMode: 'array' })
  await client.end()
  return rows[0]?.[0]
}

test('1f a PostgreSQL of our own answers from its own folder, gives out databases and leaves nothing behind', async (t) => {
  const reason = postgresUnavailable()
  if (reason) return t.skip(reason)
  const server = await startPostgres()
  t.after(() => server.stop())
  assert.equal(await ask(server.url, 'select 1'), 1)
  assert.equal(await ask(server.url, 'show data_directory'), server.dataDir)
  const own = await server.createDatabase('a "quoted" name')
  assert.equal(await ask(own, 'select current_database()'), 'a "quoted" name')
  await assert.rejects(ask(server.url.replace(/orch:[^@]+@/, 'orch:guess@'), 'select 1'), /password authentication/)

  await ask(own, 'create table kept as select 7 as n')
  const before = server.pid
  process.kill(before, 'SIGKILL')
  await server.restart()
  assert.notEqual(server.pid, before)
  assert.equal(await ask(own, 'select n from kept'), 7)

  const { pid, dataDir } = server
  await server.stop()
  assert.equal(isAlive(pid), false)
  assert.equal(existsSync(dirname(dataDir)), false)
})

test('1f a test process killed with -9 takes its PostgreSQL and its folder with it', async (t) => {
  const reason = postgresUnavailable()
  if (reason) return t.skip(reason)
  const source = `import { startPostgres } from ${JSON.stringify(new URL('./postgres.ts', import.meta.url).href)}
    const { pid, dataDir } = await startPostgres()
    console.log(JSON.stringify({ pid, dataDir }))
    setInterval(() => undefined, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await Promise.race([once(owner.stdout, 'data'), once(owner, 'close')])) as [unknown]
  const { pid, dataDir } = JSON.parse(String(line)) as { pid: number; dataDir: string }
  assert.equal(isAlive(pid), true)
  owner.kill('SIGKILL')
  for (let waited = 0; waited < 150 && (isAlive(pid) || existsSync(dirname(dataDir))); waited += 1) await pause(100)
  assert.equal(isAlive(pid), false)
  assert.equal(existsSync(dirname(dataDir)), false)
})
