import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { writeGoldenFiles } from './testing/golden-files.ts'
import { ORCH, runOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-offline')
const args = [
  'verify',
  '--json',
  '--key',
  'cosign.pub',
  '--log-key',
  'log.vkey',
  'receipt.json',
  'ledger.jsonl',
  'pack.json',
]
// Times of two runs differ; everything else must not.
const stable = (stdout: string) => stdout.replaceAll(/"checked_at":"[^"]*"/g, '')

const NO_SOCKETS = `
import { syncBuiltinESMExports } from 'node:module'
import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'
const refuse = (name) => () => { process.stderr.write('NETWORK ' + name + '\\n'); process.exit(99) }
for (const [module, names] of [[net, ['connect', 'createConnection']], [dns, ['lookup', 'resolve']], [dgram, ['createSocket']]])
  for (const name of names) module[name] = refuse(name)
net.Socket.prototype.connect = refuse('Socket.connect')
globalThis.fetch = refuse('fetch')
globalThis.WebSocket = refuse('WebSocket')
syncBuiltinESMExports()
`

before(() => {
  writeGoldenFiles(home)
  writeFileSync(join(home, 'no-sockets.mjs'), NO_SOCKETS)
})
after(() => rmSync(home, { recursive: true, force: true }))

const preload = () => ['--import', pathToFileURL(join(home, 'no-sockets.mjs')).href]

test('4b verify says the same and ends in 0 when every socket throws', async () => {
  const plain = await runOrch(args, { home })
  const cut = await runOrch(args, { home, nodeArgs: preload() })
  assert.deepEqual([plain.code, cut.code, cut.stderr], [0, 0, ''])
  assert.equal(stable(cut.stdout), stable(plain.stdout))
})

test('the sockets really throw: a command that needs the service ends in the trap', async () => {
  const { code, stderr } = await runOrch(['ledger', 'ls', '--url', 'http://127.0.0.1:1'], { home, nodeArgs: preload() })
  assert.equal(code, 99)
  assert.match(stderr, /^NETWORK/)
})

test('4b verify says the same inside an empty network namespace', async (t) => {
  const allowed = spawnSync('unshare', ['-rn', 'true'])
  if (allowed.status !== 0) return t.skip('SKIPPED: this machine allows no network namespaces')
  const env = { PATH: '/usr/bin:/bin', HOME: home, XDG_CONFIG_HOME: join(home, 'config') }
  const cut = spawnSync('unshare', ['-rn', process.execPath, ORCH, ...args], { cwd: home, env, encoding: 'utf8' })
  const plain = await runOrch(args, { home })
  assert.equal(cut.status, 0)
  assert.equal(stable(cut.stdout), stable(plain.stdout))
})
