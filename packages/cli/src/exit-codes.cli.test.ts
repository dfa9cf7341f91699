// 4a, the part that needs no service: every command that takes flags ends in 2 for one it does not have. What each command
// does with a service that refuses, fails or is not there is in service.cli.test.ts, and its example ends in 0 in
// examples.cli.test.ts.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ONLINE } from '@orch/server/testing/online-commands.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { COMMAND_NAMES, loadCommand } from './commands.ts'
import { writeGoldenFiles } from './testing/golden-files.ts'
import { collect, runOrch, startOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-exit-codes')
before(() => {
  writeGoldenFiles(home)
  writeFileSync(join(home, 'broken.jsonl'), '{}\n')
  const read = (name: string) => readFileSync(join(home, name), 'utf8')
  writeFileSync(join(home, 'changed.json'), read('receipt.json').replace('"node_digest":"', '"node_digest":"0'))
  writeFileSync(join(home, 'changed-pack.json'), read('pack.json').replace(/"pack_sha3_256":"./, '"pack_sha3_256":"x'))
})
after(() => rmSync(home, { recursive: true, force: true }))

for (const name of COMMAND_NAMES)
  test(`4a ${name} 2: a flag that it does not have`, async () => {
    const { code, stdout, stderr } = await runOrch([...name.split(' '), '--no-such-flag'], { home })
    assert.deepEqual([code, stdout], [2, ''], stderr)
    assert.match(stderr, /^orch: .*--no-such-flag/)
  })

/** What needs no service, besides 0 and 2. */
const OFFLINE: readonly [name: string, code: number, why: string, ...rest: string[]][] = [
  ['doctor', 1, 'an address that somebody named does not answer', '--url', 'http://127.0.0.1:9'],
  ['keys show', 4, 'a token would travel without TLS', '--url', 'http://example.invalid', '--token-file', 'log.vkey'],
  ['ledger import', 3, 'the file is no export', 'broken.jsonl', '--data', 'never'],
  ['verify', 3, 'the digest was changed', '--key', 'cosign.pub', 'changed.json'],
  ['verify', 5, 'no key is trusted', 'receipt.json'],
  ['pack verify', 3, 'the file was changed', '--key', 'cosign.pub', 'changed-pack.json'],
  ['pack verify', 5, 'no key is trusted', 'pack.json'],
  ['ledger ls', 8, 'nobody is at the address', '--url', 'http://127.0.0.1:9'],
]
for (const [name, wanted, why, ...rest] of OFFLINE)
  test(`4a ${name} ${wanted}: ${why}`, async () => {
    const { code, stdout, stderr } = await runOrch([...name.split(' '), ...rest], { home })
    assert.equal(code, wanted, `${stdout}${stderr}`)
  })

test('the list of commands that talk to a service is complete', async () => {
  const listed = new Set(ONLINE.map((words) => COMMAND_NAMES.find((name) => words.join(' ').startsWith(name))))
  // doctor tells what it finds, mcp answers in its own protocol.
  const talking = await Promise.all(
    COMMAND_NAMES.filter((name) => !['doctor', 'mcp'].includes(name)).map(async (name) =>
      Object.hasOwn((await loadCommand(name)).flags, 'url') ? [name] : [],
    ),
  )
  assert.deepEqual(
    talking.flat().filter((name) => !listed.has(name)),
    [],
  )
})

test('4a every command that is interrupted while a service keeps it waiting ends in 130 and leaves no file', async () => {
  const asked = new EventEmitter()
  const silent = createServer(() => asked.emit('request'))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  for (const words of ONLINE) {
    const request = once(asked, 'request')
    const child = startOrch([...words, '--url', url], { home })
    const result = collect(child)
    const ended = once(child, 'close')
    await Promise.race([request, ended])
    child.kill('SIGINT')
    assert.deepEqual([(await ended)[0], result().stdout], [130, ''], `${words.join(' ')}: ${result().stderr}`)
  }
  silent.closeAllConnections()
  silent.close()
  assert.deepEqual(
    readdirSync(home).filter((name) => name.startsWith('never')),
    [],
  )
})
