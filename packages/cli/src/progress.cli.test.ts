import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { makeTestKey, writeExportFile } from './testing/export-file.ts'
import { ORCH, runOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-progress')
const args = ['verify', '--key', 'bulk.pub', 'bulk.jsonl']

before(() => {
  const key = makeTestKey()
  writeFileSync(join(home, 'bulk.pub'), key.pem)
  writeExportFile(join(home, 'bulk.jsonl'), { receipts: 2_000, key })
  // Without signatures, which would take a minute of both cores: the bar is the same.
  writeExportFile(join(home, 'large.jsonl'), { receipts: 100_000, key, unsigned: true })
})
after(() => rmSync(home, { recursive: true, force: true }))

const noTerminal = existsSync('/usr/bin/script') ? false : 'SKIPPED: script(1) is not installed'

function inTerminal(words: readonly string[]) {
  const command = [process.execPath, ORCH, ...words].map((word) => `'${word}'`).join(' ')
  const env = { PATH: '/usr/bin:/bin', HOME: home, XDG_CONFIG_HOME: join(home, 'config'), TERM: 'xterm' }
  return spawnSync('script', ['-qec', command, '/dev/null'], { cwd: home, env, encoding: 'utf8' })
}

test('4d in a pseudo-terminal an export of 100,000 receipts shows a bar that reaches 100 %', {
  skip: noTerminal,
}, () => {
  const run = inTerminal(['verify', '--allow-unsigned', '--key', 'bulk.pub', 'large.jsonl'])
  assert.equal(run.status, 0, run.stdout)
  assert.match(run.stdout, /verify \[#+-*\] \d+ %/)
  assert.match(run.stdout, /\[#{24}\] 100 % 100,000\/100,000 [\d,]+\/s 0 s left/)
})

test('4d piped it shows none, unless it is asked for', async () => {
  const piped = await runOrch(args, { home })
  assert.equal(piped.code, 0)
  assert.doesNotMatch(piped.stderr, /\r|\[#/, 'at most a plain line every ten seconds')
  const always = await runOrch(args, { home, env: { ORCH_PROGRESS: 'always' } })
  assert.match(always.stderr, /100 % 2,000\/2,000/)
  assert.equal((await runOrch(args, { home, env: { ORCH_PROGRESS: 'sometimes' } })).code, 2)
})

test('4d bench in a pseudo-terminal shows a bar over its rounds, then its table', { skip: noTerminal }, () => {
  const own = ['--only', 'raw-inserts', '--rounds', '2', '--seconds', '1', '--out', 'measured.json']
  const run = inTerminal(['bench', ...own])
  assert.equal(run.status, 0, run.stdout)
  assert.match(run.stdout, /bench \[#+-+\] 33 % 1\/3[\s\S]*\[#{24}\] 100 % 3\/3/)
  assert.doesNotMatch(run.stdout, /^round/m, 'the bar stands for its lines')
  assert.match(run.stdout, /SCENARIO[\s\S]*raw-inserts +[\d.]+ +rows\/s/)
  const { results } = JSON.parse(readFileSync(join(home, 'measured.json'), 'utf8'))
  assert.deepEqual(Object.keys(results), ['raw-inserts'], 'the results of the checkout are left alone')
})
