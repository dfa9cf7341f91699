import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { makeTestKey, writeExportFile } from './testing/export-file.ts'
import { ORCH, runOrch } from './testing/run-orch.ts'

const RECEIPTS = 20_000
const home = freshFolder('cli-progress')
const args = ['verify', '--key', 'bulk.pub', 'bulk.jsonl']

before(() => {
  const key = makeTestKey()
  writeFileSync(join(home, 'bulk.pub'), key.pem)
  writeExportFile(join(home, 'bulk.jsonl'), { receipts: RECEIPTS, key })
})
after(() => rmSync(home, { recursive: true, force: true }))

test('4d in a pseudo-terminal a large export shows a bar that reaches 100 %', (t) => {
  if (!existsSync('/usr/bin/script')) return t.skip('SKIPPED: script(1) is not installed')
  const command = [process.execPath, ORCH, ...args].map((word) => `'${word}'`).join(' ')
  const env = { PATH: '/usr/bin:/bin', HOME: home, XDG_CONFIG_HOME: join(home, 'config'), TERM: 'xterm' }
  const run = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: home, env, encoding: 'utf8' })
  assert.equal(run.status, 0, run.stdout)
  assert.match(run.stdout, /verify \[#+-*\] \d+ %/)
  assert.match(run.stdout, /\[#{24}\] 100 % 20,000\/20,000 [\d,]+\/s 0 s left/)
})

test('4d piped it shows none, unless it is asked for', async () => {
  const piped = await runOrch(args, { home })
  assert.equal(piped.code, 0)
  assert.doesNotMatch(piped.stderr, /\r|\[#/, 'at most a plain line every ten seconds')
  const always = await runOrch(args, { home, env: { ORCH_PROGRESS: 'always' } })
  assert.match(always.stderr, /100 % 20,000\/20,000/)
  assert.equal((await runOrch(args, { home, env: { ORCH_PROGRESS: 'sometimes' } })).code, 2)
})
