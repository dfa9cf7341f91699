// A real `npm start` is a chain: npm, the bootstrap, the server. Whichever of them is signalled or killed, the server
// finishes what is in flight and nothing of the chain stays behind.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { guardProcess } from '@orch/server/testing/guard.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { isAlive } from '@orch/server/testing/process-alive.ts'
import { dial, everything, send, statuses } from '@orch/server/testing/raw-http.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const
const MEMBERS = ['npm', 'bootstrap', 'server'] as const
type Member = (typeof MEMBERS)[number]
const noProc = process.platform === 'linux' ? false : 'the chain is read from /proc'

interface Started {
  port: number
  child: ChildProcess
}

/** Runs until it serves; whatever it started is gone with the test. */
async function started(t: TestContext, command: string, args: string[]): Promise<Started> {
  const folder = freshFolder('start-chain')
  const clean = Object.entries(process.env).filter(([name]) => !/^(ORCH_|npm_|NODE_TEST_CONTEXT$|PORT$)/i.test(name))
  const quiet = { ORCH_OUTBOUND: 'off', ORCH_RESEARCH_WARM: 'off' }
  const env = { ...Object.fromEntries(clean), ORCH_PORT: '0', ORCH_DATA: join(folder, 'data'), ...quiet }
  // A group of its own: no signal to it reaches the test, and the test can end all of it.
  const child = spawn(command, args, { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const release = guardProcess(-child.pid!, 'KILL', folder)
  t.after(async () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // Nothing of the group is left, as it should be.
    }
    release()
    await rm(folder, { recursive: true, force: true })
  })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk))
  const url = () => /on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]
  await until(
    () => url() !== undefined,
    () => `it does not serve:\n${output}`,
  )
  return { child, port: Number(url()) }
}

async function until(holds: () => boolean | Promise<boolean>, otherwise: () => string): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (await holds()) return
    await pause(50)
  }
  assert.fail(otherwise())
}

const textOf = (pid: string | number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
const parentOf = (pid: string): number => Number(/.*\) \S (\d+) /s.exec(textOf(pid, 'stat'))?.[1])

/** From npm down to the server, by who is whose child. */
function chainOf(npm: number): Record<Member, number> {
  const childOf = (parent: number): number => {
    const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === parent)
    assert.equal(children.length, 1, `children of ${textOf(parent, 'cmdline')}`)
    return Number(children[0])
  }
  const bootstrap = childOf(npm)
  const server = childOf(bootstrap)
  assert.match(textOf(server, 'cmdline'), /server\/dist\/main\.mjs/)
  return { npm, bootstrap, server }
}

const BODY = '{"receipt":{"hello":"world"}}'

/** A request that is admitted and whose last byte is still to come. */
async function requestInFlight(port: number): Promise<Socket> {
  const socket = await dial(port)
  const head = `POST /api/orch/khipu/sign HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${BODY.length}\r\n\r\n`
  const admitted = new Promise((resolve) => socket.once('data', resolve))
  socket.write(head)
  assert.match(String(await admitted), /^HTTP\/1\.1 100 /)
  socket.write(BODY.slice(0, -1))
  return socket
}

const refusesConnections = (port: number): Promise<boolean> =>
  dial(port).then(
    (socket) => {
      socket.destroy()
      return false
    },
    () => true,
  )

for (const member of MEMBERS)
  for (const signal of SIGNALS) {
    const drains = member !== 'server' || signal !== 'SIGKILL'
    const outcome = drains ? 'answers what is in flight and ends all of it' : 'ends all of it'
    test(`${signal} to the ${member} of npm start ${outcome}`, async (t) => {
      if (noProc) return t.skip(noProc)
      const { child, port } = await started(t, 'npm', ['start'])
      const chain = chainOf(child.pid!)
      const socket = await requestInFlight(port)
      const answer = everything(socket)
      process.kill(chain[member], signal)
      await until(
        () => refusesConnections(port),
        () => 'it accepts connections all the same',
      )
      if (drains) socket.write(BODY.slice(-1))
      assert.deepEqual(statuses(await answer), drains ? [200] : [])
      const left = () => MEMBERS.filter((one) => isAlive(chain[one]))
      await until(
        () => left().length === 0,
        () => `left behind: ${left()}`,
      )
    })
  }

test('a service that was not started by npm outlives the shell that started it', async (t) => {
  if (noProc) return t.skip(noProc)
  const script = 'node scripts/bootstrap.mjs start & echo background'
  const { child, port } = await started(t, 'sh', ['-c', script])
  await until(
    () => !isAlive(child.pid!),
    () => 'the shell did not end',
  )
  // Several times as long as the bootstrap takes to look after its parents.
  await pause(1500)
  assert.equal((await send(`http://127.0.0.1:${port}/api/livez`)).status, 200)
})
