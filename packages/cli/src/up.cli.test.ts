import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { collect, runOrch, startOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-up')
after(() => rmSync(home, { recursive: true, force: true }))

test('4a up 0: the service runs in the foreground until Ctrl-C and stops cleanly', async () => {
  const child = startOrch(['up', '--port', '0', '--data', 'data'], { home })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const result = collect(child)
  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(result().stdout)?.[0]
  for (let tried = 0; address() === undefined && tried < 600 && child.exitCode === null; tried += 1) await pause(50)
  assert.ok(address(), result().stderr)
  assert.equal((await fetch(`${address()}/healthz`)).status, 200)
  child.kill('SIGINT')
  assert.equal(await ended, 0)
})

test('4a up 1: a port that is taken is said in one sentence', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const { code, stderr } = await runOrch(['up', '--port', String(port), '--data', 'data'], { home })
  taken.close()
  assert.equal(code, 1)
  assert.match(stderr, /port \d+ is taken/)
})

test('4a up 2: a flag nobody knows', async () => {
  assert.equal((await runOrch(['up', '--prot', '1'], { home })).code, 2)
})
