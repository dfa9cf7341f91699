import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runPage } from '@orch/server/testing/docs-page.ts'
import { postgresUnavailable, sharedPostgres } from '@orch/server/testing/postgres.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const home = freshFolder('operating-docs')
after(() => rmSync(home, { recursive: true, force: true }))

async function outputOf(page: string, env: Record<string, string> = {}): Promise<string> {
  const { status, stdout, stderr } = await runPage(page, join(home, page), env)
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  return stdout
}

test('9.4: the page on upgrades: what was decided before verifies after, under the same keys', async () => {
  const output = await outputOf('upgrade.md')
  assert.match(output, /same signing key\nsame log\n/)
  assert.match(output, /ledger\.jsonl: PARTIAL[\s\S]*before\.json: PARTIAL/)
})

test('9.4: the page on PostgreSQL: two nodes write one log, and after kill -9 of one every call is in it once', async (t) => {
  const missing = postgresUnavailable()
  if (missing !== undefined) return t.skip(missing)
  const postgres = await sharedPostgres()
  t.after(() => postgres.stop())
  const output = await outputOf('postgresql.md', {
    ORCH_POSTGRES_URL: await postgres.createDatabase('two_nodes'),
    CHECKOUT: ROOT,
  })
  assert.match(output, /^1\none log\nthe second goes on\nsize 21\n/)
  const nodes = readFileSync(join(home, 'postgresql.md/first.txt'), 'utf8')
  assert.match(nodes, /key and ledger kept: 21 receipts/)
})

test('9.4: the page on access: without a token nothing, the agent asks, the operator decides, a revoked one is out', async () => {
  const output = await outputOf('access.md')
  assert.match(output, /billing-bot[\s\S]*ann[\s\S]*missing_authorization[^\n]* 401\nagent: exit code 4\napproved /)
  assert.match(output, /revoked billing-bot\n[^\n]*credential_revoked/)
})

test('9.4: the page on deployment names files that are there, and systemd accepts the unit', async (t) => {
  const page = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8')
  const named = [...page.matchAll(/\]\(\.\.\/(deploy\/[\w./]+)\)/g)].map(([, file]) => file!)
  assert.ok(named.length >= 4)
  for (const file of named) assert.ok(readFileSync(join(ROOT, file)).length > 0, file)
  assert.match(await outputOf('deploy.md'), /ORCH_BASE_URL/)
  const unit = join(ROOT, 'deploy/orch.service')
  const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
  if (error !== undefined) return t.skip('SKIPPED: systemd-analyze is not installed')
  assert.deepEqual([status, stderr], [0, ''])
})
