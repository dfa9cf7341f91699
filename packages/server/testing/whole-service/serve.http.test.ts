import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { tokenDigest } from '../../src/adapters/credentials.ts'
import { editLedger, fillLedger, testFolder } from '../ledger/at-rest.ts'
import { settingsFor } from '../ledger/crashes.ts'
import { freshFolder } from '../private-folder.ts'
import { dial, everything, post, send, statuses } from '../raw-http.ts'
import { type Service, startService } from '../service.ts'

const LAYER = fileURLToPath(new URL('../layer-service.ts', import.meta.url))
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const folder = freshFolder('serve')
after(() => rmSync(folder, { recursive: true, force: true }))

async function started(
  t: { after(clean: () => Promise<void>): void },
  env: Record<string, string> = {},
): Promise<Service> {
  const service = await startService({ main: LAYER, env })
  t.after(service.close)
  return service
}
const exitOf = async ({ child }: Service): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}
const portOf = (service: Service): number => Number(new URL(service.url).port)

/** Once so many slow requests are being answered: a fixed pause would be too short on a busy machine. */
async function untilBegun({ url }: Service, count: number): Promise<void> {
  while ((await send(`${url}/api/orch/v1/layer/slow-count`)).json.begun < count) await pause(10)
}

/** Once the signal has been heard: a service that drains takes no more connections. */
async function untilDraining(service: Service): Promise<void> {
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(portOf(service), '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  while (await isOpen()) await pause(10)
}

const get = (ms: number) => `GET /api/orch/v1/layer/slow?ms=${ms} HTTP/1.1\r\nhost: localhost\r\n\r\n`

test('1e SIGTERM with 50 requests in flight: every one is answered, half-sent ones are refused, exit 0', async (t) => {
  const service = await started(t)
  const sockets = await Promise.all(Array.from({ length: 50 }, () => dial(portOf(service))))
  const answers = sockets.map((socket) => everything(socket))
  for (const socket of sockets) socket.write(get(2000))
  // Not idle, so not closed: the rest of these headers comes when the service is already draining.
  const [late, prober] = [await dial(portOf(service)), await dial(portOf(service))]
  const [refused, probed] = [everything(late), everything(prober)]
  late.write('GET /api/orch/v1/layer/search HTTP/1.1\r\n')
  prober.write('GET /api/readyz HTTP/1.1\r\n')
  await untilBegun(service, sockets.length)
  service.child.kill('SIGTERM')
  await untilDraining(service)
  late.write('host: localhost\r\n\r\n')
  prober.write('host: localhost\r\n\r\n')
  for (const raw of await Promise.all(answers)) {
    assert.deepEqual(statuses(raw), [200])
    assert.match(raw, /\r\nconnection: close\r\n/i)
  }
  const refusal = await refused
  assert.deepEqual(statuses(refusal), [503])
  assert.match(refusal, /"code":"draining"/)
  assert.match(refusal, /\r\nretry-after: 5\r\n/)
  const readiness = await probed
  assert.deepEqual(statuses(readiness), [503])
  assert.match(readiness, /"status":"NOT_READY".*"draining":true/)
  await assert.rejects(send(`${service.url}/api/livez`), /ECONNREFUSED|ECONNRESET/)
  assert.equal(await exitOf(service), 0)
  assert.doesNotMatch(service.output(), /fatal|Error/)
})

test('a request that outlasts the time for shutting down loses its connection, exit 0 all the same', async (t) => {
  const service = await started(t, { ORCH_SHUTDOWN_S: '1' })
  const socket = await dial(portOf(service))
  const answered = everything(socket)
  socket.write(get(30_000))
  await untilBegun(service, 1)
  service.child.kill('SIGTERM')
  assert.deepEqual(statuses(await answered), [])
  assert.equal(await exitOf(service), 0)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`a second ${signal} ends it at once with 130`, async (t) => {
    const service = await started(t)
    const socket = await dial(portOf(service))
    socket.write(get(30_000))
    await untilBegun(service, 1)
    service.child.kill(signal)
    await untilDraining(service)
    // Within half a second of the first it would be the same wish, sent twice.
    await pause(700)
    service.child.kill(signal)
    assert.equal(await exitOf(service), 130)
    socket.destroy()
  })

test('a start that can record or decide nothing says so with its reason, in the banner and once in the log', async (t) => {
  const data = testFolder(t, 'serve-broken')
  await fillLedger(settingsFor(data), 0, 3)
  editLedger(data, "UPDATE checkpoints SET note = 'edited'")
  const absent = join(data, 'absent.json')
  const service = await startService({ data, env: { ORCH_TOOLS: absent } })
  t.after(service.close)
  const output = service.output().split('\n')
  const [line, ...others] = output
    .filter((text) => /^\{.*the ledger is read-only: /.test(text))
    .map((text) => JSON.parse(text))
  assert.deepEqual([line?.level, others], ['error', []], service.output())
  assert.match(line.reason, /checkpoint/)
  const warning = `WARNING  the ledger is read-only: ${line.reason}; nothing is recorded until a restart`
  assert.ok(output.includes(warning), service.output())
  const fault = 'tools.json (the file that ORCH_TOOLS or --tools names) cannot be read (ENOENT)'
  const unusable = output.filter((text) => text.includes(fault))
  assert.equal(unusable.length, 2, service.output())
  for (const text of unusable) assert.ok(text.includes(`tools in ${absent}`), text)
  assert.deepEqual(
    unusable.map((text) => /^WARNING {2}policies: |"level":"error"/.test(text)),
    [true, true],
  )
  const { reason } = (await send(`${service.url}/api/readyz`)).json.components.policy.detail
  assert.equal(reason, fault, 'readiness is shown to everybody')
})

/** Starts the real program and returns what it said before it ended. */
async function refusedStart(env: Record<string, string>): Promise<{ code: number | null; out: string; err: string }> {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(ORCH_|NODE_TEST_CONTEXT$|PORT$)/.test(name)),
  )
  const child = spawn(process.execPath, [MAIN], {
    env: { ...clean, ORCH_PORT: '0', ORCH_DATA: join(folder, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  await once(child, 'close')
  return { code: child.exitCode, out, err }
}

function assertSentences({ code, out, err }: Awaited<ReturnType<typeof refusedStart>>, expected: RegExp[]): void {
  assert.equal(code, 1)
  assert.equal(out, '')
  const lines = err.trimEnd().split('\n')
  assert.equal(lines.length, expected.length, err)
  for (const [at, pattern] of expected.entries()) assert.match(lines[at]!, pattern)
  for (const line of lines) assert.match(line, /^orch cannot start: /)
  assert.doesNotMatch(err, /\n\s+at |node:internal|\.ts:\d/)
}

test('1d a port that is taken ends the start with the command that would work', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const refused = await refusedStart({ ORCH_PORT: String(port) })
  assertSentences(refused, [new RegExp(`port ${port} is taken; .*ORCH_PORT=${port + 1} npm start`)])
})

test('1d a data folder that cannot be made ends the start with one sentence', async () => {
  writeFileSync(join(folder, 'a-file'), '')
  assertSentences(await refusedStart({ ORCH_DATA: join(folder, 'a-file', 'data') }), [/ORCH_DATA/])
})

test('an address this machine does not have ends the start with one sentence', async () => {
  assertSentences(await refusedStart({ ORCH_HOST: '203.0.113.1', ORCH_AUTH: 'open' }), [/ORCH_HOST/])
})

test('every fault of the settings is one sentence, and no secret is repeated', async () => {
  const refused = await refusedStart({
    ORCH_PORT: '99999',
    ORCH_LOG_LEVEL: 'loud',
    ORCH_POSTGRES_URL: 'planted-secret-url',
    ORCH_TYPO: 'planted-secret-typo',
  })
  assertSentences(refused, [
    /ORCH_TYPO is not a setting/,
    /ORCH_PORT must be/,
    /ORCH_POSTGRES_URL must be/,
    /ORCH_LOG_LEVEL must be/,
  ])
  assert.doesNotMatch(refused.err, /planted/)
})

test('a token, a prompt, a query and the words of a failure reach no output but the stack in the log', async (t) => {
  const secret = 'planted-bearer-token'
  const registry = join(folder, 'registry', 'keys.json')
  mkdirSync(join(folder, 'registry'))
  const token_sha256 = Buffer.from(tokenDigest(secret)).toString('hex')
  const credentials = [{ key_id: 'k1', namespace: 'team', owner_id: 'o1', token_sha256, role: 'user' }]
  writeFileSync(registry, JSON.stringify({ credentials }), { mode: 0o600 })
  const service = await started(t, { ORCH_CREDENTIALS: registry, ORCH_LOG: 'json', ORCH_LOG_LEVEL: 'trace' })
  const url = `${service.url}/api/orch/v1/layer`
  const authorization = `Bearer ${secret}`
  const replies = [
    await post(`${url}/guarded`, '{"prompt":"planted-prompt"}', { authorization }),
    await post(`${url}/guarded`, '{"prompt":"planted-prompt"}', { authorization: `Bearer ${secret}-wrong` }),
    await post(`${url}/guarded`, 'planted-prompt', { authorization, cookie: 'planted-cookie' }),
    await send(`${url}/search?word=planted-query`, { headers: { authorization } }),
    await send(`${service.url}/planted/path?planted=1`, { headers: { authorization: `Basic ${secret}` } }),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 401, 422, 422, 404],
  )
  const failed = await send(`${url}/throwing`, { headers: { 'x-request-id': 'find-me' } })
  assert.equal(failed.status, 500)
  assert.equal(await service.stop(), 0)
  for (const { text } of [...replies, failed]) assert.doesNotMatch(text, /planted|token-/)
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  const logged = lines.map((line) => JSON.parse(line))
  const stack = logged.find(({ msg }) => msg === 'unexpected failure')
  assert.equal(stack.request_id, 'find-me')
  // The file it was thrown in, or the bundle of it.
  assert.match(stack.err.stack, /layer-(?:operations\.ts|service\.mjs)/)
  assert.equal(stack.level, 'error')
  const others = lines.filter((line) => !line.includes('unexpected failure')).join('\n')
  assert.doesNotMatch(others, /planted/)
  assert.ok(!service.output().includes(token_sha256))
  const refused = logged.find(({ status }) => status === 401)
  assert.deepEqual(
    [refused.level, refused.code, refused.method, refused.route],
    ['info', 'invalid_bearer_token', 'POST', '/api/orch/v1/layer/guarded'],
  )
  assert.match(refused.ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(logged.find(({ status, method }) => status === 200 && method === 'POST').actor_key_id, 'k1')
})

test('a generated token is printed once on stdout and never again', async (t) => {
  const service = await started(t, { ORCH_HOST: '0.0.0.0', ORCH_LOG: 'json', ORCH_LOG_LEVEL: 'trace' }).catch(
    (error: Error) => error,
  )
  if (service instanceof Error) throw service
  const printed = service.output()
  const token = /^token {4}(\S+) /m.exec(printed)?.[1]
  assert.ok(token)
  const answer = await post(`${service.url}/api/orch/v1/layer/guarded`, '{}', { authorization: `Bearer ${token}` })
  assert.equal(answer.status, 200)
  await service.stop()
  assert.equal(service.output().split(token).length, 2)
})
