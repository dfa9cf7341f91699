import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { formatCheckpoint, sha256, signNote, utf8Encode } from '@orch/core'
import { ONLINE } from '@orch/server/testing/online-commands.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { log, ORIGIN } from '../../../vectors/source/keys.ts'
import { collect, ORCH, runOrch, startOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-service')
let service: Service
let env: Record<string, string>
const orch = (...args: string[]) => runOrch(args, { home, env })
const digests: string[] = []

async function mint(note: string): Promise<string> {
  const { stdout, code, stderr } = await orch('call', 'khipu.sign', '--body', JSON.stringify({ note }), '--json')
  assert.equal(code, 0, stderr)
  return (JSON.parse(stdout) as { digest: string }).digest
}

before(async () => {
  service = await startService({ startMs: 150_000 })
  env = { ORCH_BASE_URL: service.url }
  for (const note of ['one', 'two', 'three']) digests.push(await mint(note))
  for (const [path, name] of [
    ['/cosign.pub', 'cosign.pub'],
    ['/log/key', 'log.vkey'],
  ])
    writeFileSync(join(home, name!), await (await fetch(`${service.url}${path}`)).text())
})
after(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

test('a receipt that is shown verifies offline under the key of the service', async () => {
  const { code, stdout } = await orch('ledger', 'show', digests[1]!, '--json')
  assert.equal(code, 0)
  writeFileSync(join(home, 'shown.json'), stdout)
  assert.equal((await orch('verify', '--key', 'cosign.pub', '--log-key', 'log.vkey', 'shown.json')).code, 0)
})

test('ledger export of a running service verifies to the end, and its file appears only when complete', async () => {
  const { code, stdout } = await orch('ledger', 'export', '--out', 'ledger.jsonl', '--json')
  assert.deepEqual([code, JSON.parse(stdout)], [0, { file: 'ledger.jsonl', receipts: 3 }])
  assert.equal(existsSync(join(home, 'ledger.jsonl.partial')), false)
  const checked = await orch('verify', '--chain', '--key', 'cosign.pub', '--log-key', 'log.vkey', 'ledger.jsonl')
  assert.equal(checked.code, 0, checked.stdout)
  const piped = await orch('ledger', 'export')
  assert.equal(piped.stdout.split('\n').length, 6)
})

test('ledger tail shows the newest in order and follows what comes', async () => {
  const last = await orch('ledger', 'tail', '-n', '2', '--json')
  const { receipts } = JSON.parse(last.stdout) as { receipts: { digest: string }[] }
  assert.deepEqual(
    receipts.map(({ digest }) => digest),
    digests.slice(1),
  )
  assert.equal((await orch('ledger', 'tail', '--limit', '2', '--json')).stdout, last.stdout)
  assert.equal((await orch('ledger', 'tail', '--limit', '2', '--lines', '2')).code, 2)
  const child = startOrch(['ledger', 'tail', '-f', '-n', '1', '--jsonl'], { home, env })
  const result = collect(child)
  const lines = () => result().stdout.split('\n').filter(Boolean)
  for (let tried = 0; lines().length < 1 && tried < 200; tried += 1) await pause(50)
  const fresh = await mint('while somebody looks')
  digests.push(fresh)
  for (let tried = 0; lines().length < 2 && tried < 200; tried += 1) await pause(50)
  child.kill('SIGINT')
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 130)
  assert.equal(JSON.parse(lines()[1]!).digest, fresh)
})

test('pack create takes exactly the receipts that are named by index', async () => {
  const { code, stdout, stderr } = await orch('pack', 'create', '--indexes', '0,2')
  assert.equal(code, 0, stderr)
  const { receipts } = JSON.parse(stdout).pack as { receipts: { digest: string }[] }
  assert.deepEqual(
    receipts.map(({ digest }) => digest),
    [digests[2], digests[0]],
  )
  const both = await orch('pack', 'create', '--indexes', '0', '--receipts', '5')
  assert.equal(both.code, 2)
  assert.match(both.stderr, /--indexes.*--receipts/)
})

test('ledger ls narrows, pages and passes on what the service refuses', async () => {
  const page = JSON.parse((await orch('ledger', 'ls', '--limit', '1', '--json')).stdout)
  assert.equal(page.receipts.length, 1)
  const next = JSON.parse((await orch('ledger', 'ls', '--cursor', page.next_cursor, '--limit', '1', '--json')).stdout)
  assert.equal(next.receipts[0].node_index, page.receipts[0].node_index - 1)
  const none = await orch('ledger', 'ls', '--kind', 'decision', '--jsonl')
  assert.deepEqual([none.code, none.stdout], [0, ''])
  const refused = await orch('ledger', 'ls', '--kind', 'no-such-kind')
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  assert.match(refused.stderr, /--kind: "no-such-kind" is not one of decision, /)
})

test('ledger prove: 0 with the log key pinned, 5 without it, 2 for a receipt nobody has', async () => {
  assert.equal((await orch('ledger', 'prove', digests[0]!)).code, 5)
  const own = join(home, 'prover')
  mkdirSync(own)
  for (const file of ['../cosign.pub', '../log.vkey']) await runOrch(['keys', 'pin', file], { home: own, env })
  assert.equal((await runOrch(['ledger', 'prove', digests[0]!], { home: own, env })).code, 0)
  assert.equal((await orch('ledger', 'prove', 'f'.repeat(64))).code, 2)
  assert.equal((await orch('ledger', 'prove', 'not-a-digest')).code, 2)
})

test('ledger prove --since: 0 for a log that only grew, 2 for a missing file, 5 without a pinned log key', async () => {
  const since = async (file: string, own: string) =>
    (await runOrch(['ledger', 'prove', '--since', file], { home: own, env })).code
  const prover = join(home, 'prover')
  writeFileSync(join(prover, 'before.note'), await (await fetch(`${service.url}/log/checkpoint`)).text())
  digests.push(await mint('growth'))
  assert.equal(await since('before.note', prover), 0)
  assert.equal(await since('no-such.note', prover), 2)
  const otherFolder = join(home, 'stranger')
  mkdirSync(otherFolder)
  assert.equal(await since('../prover/before.note', otherFolder), 5)
})

test('ledger prove --since 3: a log whose own key signed two histories, or fewer receipts than before', async () => {
  const own = join(home, 'witness')
  mkdirSync(own)
  writeFileSync(join(own, 'log.vkey'), log.vkey)
  await runOrch(['keys', 'pin', 'log.vkey'], { home: own })
  const note = (size: number, word: string) =>
    signNote(formatCheckpoint({ origin: ORIGIN, size, root: sha256(utf8Encode(word)) }), log.signer)
  writeFileSync(join(own, 'before.note'), await note(4, 'one history'))
  for (const [size, word] of [
    [6, 'another history'],
    [3, 'a shorter one'],
  ] as const) {
    const now = await note(size, word)
    const server = createServer((request, response) => {
      const isNote = request.url === '/log/checkpoint'
      const body = isNote ? now : JSON.stringify({ hashes: ['a'.repeat(64), 'b'.repeat(64)] })
      response.writeHead(200, { 'content-type': isNote ? 'text/plain' : 'application/json' }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const { code, stderr } = await runOrch(['ledger', 'prove', '--since', 'before.note', '--url', url], { home: own })
    server.close()
    assert.equal(code, 3, `${word}: ${stderr}`)
  }
})

test('doctor says where each value came from, masks secrets, and hints at what a new user has not done', async () => {
  writeFileSync(join(home, 'token.txt'), 'tok-very-secret\n')
  const before = await runOrch(['doctor', '--json', '--token-file', 'token.txt'], { home, env })
  assert.equal(before.code, 0)
  assert.doesNotMatch(before.stdout, /very-secret/)
  const { settings, checks } = JSON.parse(before.stdout)
  assert.deepEqual(settings[0], { name: 'url', value: service.url, origin: 'ORCH_BASE_URL' })
  assert.equal(settings[1].origin, '--token-file')
  const hinted = (list: { name: string; ok: boolean; hint: string | null }[]) =>
    list.filter(({ ok, hint }) => !ok || hint !== null).map(({ name }) => name)
  assert.deepEqual(hinted(checks), ['service', 'key pinned'], 'an unchecked token, and one hint to pin')
  assert.match(checks[1].detail, /access open: tokens are not checked$/)
  await orch('keys', 'pin', 'cosign.pub')
  const pinned = await orch('doctor', '--json')
  assert.deepEqual([pinned.code, hinted(JSON.parse(pinned.stdout).checks)], [0, []])
  const lost = await orch('doctor', '--url', 'http://127.0.0.1:5')
  assert.equal(lost.code, 1, 'an address that somebody named must answer')
})

test('keys rotate: receipts of both keys verify under a ring that has both', async () => {
  const turned = await orch('keys', 'rotate', '--json')
  assert.equal(turned.code, 0, turned.stderr)
  const { new_keyid, new_public_key_pem } = JSON.parse(turned.stdout)
  writeFileSync(join(home, 'next.pub'), new_public_key_pem)
  digests.push(await mint('after the turn'))
  const shown = JSON.parse((await orch('keys', 'show', '--json')).stdout)
  assert.equal(shown.active_keyid, new_keyid)
  await orch('ledger', 'export', '--out', 'turned.jsonl')
  assert.equal((await orch('verify', '--key', 'cosign.pub', 'turned.jsonl')).code, 5, 'one key is missing')
  assert.equal((await orch('verify', '--key', 'cosign.pub', '--key', 'next.pub', 'turned.jsonl')).code, 0)
})

test('a closed pipe ends a long output quietly', async () => {
  const child = startOrch(['ledger', 'tail', '-f', '-n', '5'], { home, env })
  const result = collect(child)
  const ended = new Promise((resolve) => child.on('close', resolve))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  child.stdout?.destroy()
  await pause(500)
  await mint('nobody reads this')
  await mint('nor this')
  assert.deepEqual([await ended, result().stderr], [0, ''])
})

async function answering(status: number, body: object): Promise<{ server: Server; url: string }> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
}

const refusal = (code: string) => ({ error: { code, message: 'do something else', request_id: 'req-1' } })
const refusals: [number, object, number][] = [
  [500, refusal('internal_error'), 1],
  [401, refusal('missing_authorization'), 4],
  [403, refusal('missing_scopes'), 4],
  [409, refusal('idempotency_conflict'), 2],
  [422, { detail: [{ loc: ['body'], msg: 'is wrong', type: 'type' }] }, 2],
]
for (const [status, body, wanted] of refusals)
  test(`4a every command that meets a ${status} ends in ${wanted}, with nothing on stdout and no file left`, async () => {
    const { server, url } = await answering(status, body)
    for (const args of ONLINE) {
      const { code, stdout, stderr } = await runOrch([...args, '--url', url], { home })
      assert.deepEqual([code, stdout], [wanted, ''], `${args.join(' ')}: ${stderr}`)
      assert.match(stderr, /^orch: /)
    }
    assert.equal(existsSync(join(home, 'never.jsonl')) || existsSync(join(home, 'never.jsonl.partial')), false)
    server.close()
  })

test('4a every command that finds no service ends in 8', async () => {
  const { server, url } = await answering(200, {})
  server.close()
  for (const args of ONLINE) {
    const { code, stdout, stderr } = await runOrch([...args, '--url', url], { home })
    assert.deepEqual([code, stdout], [8, ''], `${args.join(' ')}: ${stderr}`)
  }
})

test('4a call 2: an operation nobody knows, a missing parameter, a body that is no JSON', async () => {
  const meant = await orch('call', 'runtime.heatlh')
  assert.equal(meant.code, 2)
  assert.match(meant.stderr, /did you mean runtime\.health\?/)
  for (const args of [
    ['receipts.get'],
    ['khipu.sign', '--body', '{"a":1,"a":2}'],
    ['khipu.sign', '--in', 'no-such-file'],
  ])
    assert.equal((await orch('call', ...args)).code, 2, args.join(' '))
})

test('call loses no body: stdin needs --in -, the example is named as one, and a decision is the exit code', async () => {
  writeFileSync(
    join(home, 'body.json'),
    JSON.stringify({ text: 'Run: rm -rf / --no-preserve-root', tool: 'nobody.knows' }),
  )
  const shell = (line: string) =>
    spawnSync('sh', ['-c', `"$NODE" "$ORCH" ${line}`], {
      cwd: home,
      encoding: 'utf8',
      env: { ...process.env, ...env, HOME: home, XDG_CONFIG_HOME: `${home}/config`, NODE: process.execPath, ORCH },
    })
  const redirected = shell('call governance.govern < body.json')
  assert.deepEqual([redirected.status, redirected.stdout], [2, ''])
  assert.match(redirected.stderr, /--in -/)
  const denied = shell('call governance.govern --in - --json < body.json')
  assert.equal(denied.status, 6, denied.stderr)
  assert.equal((JSON.parse(denied.stdout) as { decision: string }).decision, 'deny')
  assert.equal(shell('call runtime.health < body.json').status, 0, 'an operation without a body reads none')
  const example = shell('call governance.govern --json < /dev/null')
  assert.equal((JSON.parse(example.stdout) as { input_source: string }).input_source, 'DEFAULT_EXAMPLE')
  assert.match(example.stderr, /^this was the documented example/)
  const { server, url } = await answering(200, {
    decision: 'allow',
    input_source: 'DEFAULT_EXAMPLE',
    input_sha256: '0',
  })
  const lost = await orch('call', 'governance.govern', '--in', 'body.json', '--url', url)
  server.close()
  assert.deepEqual([lost.code, lost.stdout], [1, ''])
  assert.match(lost.stderr, /not about this body/)
  assert.match((await orch('call', '--help')).stdout.replace(/\s+/g, ' '), /6 for deny, 7 for review/)
})

test('a settings file of the folder cannot aim the credential of the user at another host', async () => {
  const trap = join(home, 'trap')
  mkdirSync(trap)
  writeFileSync(join(trap, 'orch.yaml'), 'base_url: "https://evil.example"\n')
  const { code, stderr } = await runOrch(['keys', 'show'], { home: trap, env: { ORCH_TOKEN: 'secret-token' } })
  assert.equal(code, 4)
  assert.match(stderr, /--url/)
  const plain = await runOrch(['keys', 'show', '--url', 'http://evil.example'], {
    home: trap,
    env: { ORCH_TOKEN: 's' },
  })
  assert.equal(plain.code, 4, 'nor does it travel without TLS')
})

test('the ledger at rest: export, import, prove, migrate, snapshot and restore keep every byte', async () => {
  await service.stop()
  const step = async (...args: string[]) => {
    const { code, stdout, stderr } = await orch(...args, '--json')
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout === '' ? {} : JSON.parse(stdout)
  }
  await step('ledger', 'export', '--data', service.data, '--out', 'rest.jsonl')
  const imported = await step('ledger', 'import', 'rest.jsonl', '--data', 'imported')
  const { root, size } = imported
  const proven = { ok: true, size, root, signed: size, unsigned: 0, checkpoint: null }
  assert.deepEqual(await step('ledger', 'prove', '--data', 'imported'), proven)
  assert.equal((await step('ledger', 'migrate', '--data', service.data, '--to', 'migrated')).size >= size, true)
  const { size: snapshotSize } = await step('ledger', 'snapshot', '--data', service.data, '--out', 'shards')
  assert.equal((await step('ledger', 'restore', 'shards', '--data', 'restored')).size, snapshotSize)
  const lines = (file: string) => readFileSync(join(home, file), 'utf8').split('\n').slice(1, -2)
  await step('ledger', 'export', '--data', service.data, '--out', 'again.jsonl')
  assert.deepEqual(lines('again.jsonl'), lines('rest.jsonl'))
})

test('4a the ledger at rest: misuse is 2, what is no ledger is 3 with its line, and leaves no folder', async () => {
  for (const args of [['import'], ['import', 'no-such-file'], ['restore'], ['restore', 'no-such-folder'], ['migrate']])
    assert.equal((await orch('ledger', ...args)).code, 2, args.join(' '))
  writeFileSync(join(home, 'no-export.jsonl'), '{}\n')
  const failed = await orch('ledger', 'import', 'no-export.jsonl', '--data', 'nothing-here')
  assert.deepEqual([failed.code, failed.stdout], [3, ''])
  assert.match(failed.stderr, /^orch: line 1: the file does not begin/)
  assert.equal(existsSync(join(home, 'nothing-here')), false)
  const rest = readFileSync(join(home, 'rest.jsonl'), 'utf8').split('\n')
  writeFileSync(join(home, 'gap.jsonl'), rest.toSpliced(2, 1).join('\n'))
  const broken = await orch('ledger', 'import', 'gap.jsonl', '--data', 'nothing-here')
  assert.deepEqual([broken.code, broken.stdout], [3, ''])
  assert.match(broken.stderr, /^orch: line 3: .* at index 1/)
  assert.equal(existsSync(join(home, 'nothing-here')), false)
  assert.equal(
    (await orch('ledger', 'import', 'rest.jsonl', '--data', 'imported')).code,
    1,
    'it holds receipts already',
  )
})
