// What a person who has only the README does: clone, start, ask, verify. In a clone of its own, under the oldest Node here.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { guardProcess } from '@orch/server/testing/guard.ts'
import { nodesAtHand } from '@orch/server/testing/nodes-at-hand.ts'

const ROOT = join(import.meta.dirname, '../../..')
const noClone =
  existsSync(join(ROOT, '.git')) && spawnSync('git', ['--version']).status === 0
    ? false
    : 'SKIPPED: this is no checkout of git'
/** What the contract gives from clone to the first verified receipt, on a machine that does nothing else. */
const TWO_MINUTES_S = 120

const home = mkdtempSync(join(tmpdir(), 'orch-clone-'))
const clone = join(home, 'orch')
const [node] = nodesAtHand()
const wasIdle = loadavg()[0]! < 1
let env: Record<string, string>
let url = ''
let first: Started
let startedAt = 0
let fingerprint = ''

type Started = { child: ChildProcess; out: string; err: string }

before(async () => {
  if (noClone) return
  mkdirSync(join(home, 'bin'))
  // A checkout may belong to another user than the one who tests.
  writeFileSync(join(home, '.gitconfig'), '[safe]\n\tdirectory = *\n')
  symlinkSync(node!.path, join(home, 'bin/node'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  env = { PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`, HOME: home, ORCH_PORT: port, ORCH_OUTBOUND: 'off' }
  startedAt = performance.now()
  run('git', ['clone', '--quiet', ROOT, clone], home)
  // The packages that `npm ci` would take from its cache, with links that lead into the clone. What the developer's own
  // runs left in them is not part of an install.
  const own = readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name, 'node_modules'))
  for (const folder of ['node_modules', ...own].filter((name) => existsSync(join(ROOT, name)))) copyPackages(folder)
  for (const made of ['.cache', '.orch-install.json'])
    rmSync(join(clone, 'node_modules', made), { recursive: true, force: true })
})
after(async () => {
  await stop(first)
  rmSync(home, { recursive: true, force: true })
})

/** Linked where the file system and the owner allow it. */
function copyPackages(folder: string): void {
  const places = [join(ROOT, folder), join(clone, folder)] as const
  if (spawnSync('cp', ['-a', '--link', ...places], { env }).status === 0) return
  rmSync(places[1], { recursive: true, force: true })
  run('cp', ['-a', ...places], home)
}

function freePort(): Promise<string> {
  return new Promise<string>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(String(port)))
    })
  })
}

function run(program: string, args: readonly string[], cwd = clone): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 280_000 })
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`)
  return stdout
}

async function npmStart(): Promise<Started> {
  const child = spawn('npm', ['start'], { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const started: Started = { child, out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (started.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (started.err += text))
  guardProcess(-child.pid!, 'KILL', home)
  const ended = once(child, 'close')
  // Line by line as it comes, until the last one: the one to paste.
  while (!/^try /m.test(started.out)) {
    const what = await Promise.race([once(child.stdout, 'data'), ended.then(() => null)])
    assert.ok(what, `it ended: ${started.out}${started.err}`)
  }
  return started
}

async function stop(started: Started | undefined): Promise<number | null> {
  if (!started || started.child.exitCode !== null) return null
  const ended = once(started.child, 'close')
  started.child.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  return code
}

/** The shell blocks of a document for this service, those that npm itself runs aside. */
const scriptOf = (name: string): string =>
  [...readFileSync(join(clone, name), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block]) => block!.replaceAll('http://127.0.0.1:8080', url))
    .filter((block) => !/^npm (?:start|test)$/m.test(block))
    .join('\n')

const seconds = (): number => (performance.now() - startedAt) / 1000

/** Printed always; a figure of a machine that others use at the same time says nothing about the software. */
function tellTime(t: TestContext, what: string): void {
  t.diagnostic(`${what}: ${seconds().toFixed(1)} s after the clone began, load ${loadavg()[0]!.toFixed(1)}`)
  if (wasIdle && loadavg()[0]! < 4) assert.ok(seconds() < TWO_MINUTES_S, `${seconds()} s`)
}

test('1a a fresh clone starts under an older Node with npm start alone, says where everything is, and can sign', {
  skip: noClone,
}, async (t) => {
  t.diagnostic(`under Node ${node!.version}`)
  first = await npmStart()
  const lines = first.out
    .trimEnd()
    .split('\n')
    .filter((line) => /^\S+ +\S/.test(line) && !line.startsWith('>'))
  assert.ok(lines.length <= 12, first.out)
  for (const name of ['console', 'verify', 'docs'])
    assert.match(first.out, new RegExp(`^${name} +${url}/${name}$`, 'm'))
  assert.match(first.out, /^signer +demo key [0-9a-f]{16} .*a demo key never counts as production$/m)
  const health = (await (await fetch(`${url}/healthz`)).json()) as { signer: { signing_available: boolean } }
  assert.equal(health.signer.signing_available, true)
  assert.doesNotMatch(first.err, /installing/, 'the packages were complete')
  tellTime(t, 'ready')
})

test('1b the line that the start printed, run by sh, gives a decision that orch verify accepts', {
  skip: noClone,
}, (t) => {
  const line = /^try +(.*)$/m.exec(first.out)![1]!
  const alias = /^cli +(alias .*)$/m.exec(first.out)![1]!
  const keys = `curl -s ${url}/cosign.pub > cosign.pub\ncurl -s ${url}/log/key > log.vkey`
  const said = run('sh', [
    '-ec',
    `${alias}\n${line} > first.json\n${keys}\norch verify first.json --key cosign.pub --log-key log.vkey`,
  ])
  assert.match(said, /first\.json: PARTIAL[^\n]*\n {2}everything holds; the key is a demo key\n/)
  tellTime(t, 'first verified receipt')
})

test('the commands of the README run in order in the clone, and its first reply verifies as it was saved', {
  skip: noClone,
}, () => {
  const said = run('sh', ['-ec', scriptOf('README.md')])
  assert.match(said, /"decision":"deny"/)
  assert.match(said, /decision\.json: PARTIAL[^\n]*\n {2}everything holds; the key is a demo key\n/)
})

test('1b the quick start runs in the clone from its first line to its last', { skip: noClone }, (t) => {
  const before = performance.now()
  const script = scriptOf('docs/quickstart.md')
  const said = run('sh', ['-ec', `export ORCH_BASE_URL=${url}\n${script}`])
  for (const words of [
    /receipt\.json: PARTIAL/,
    /decision\.json: PARTIAL/,
    /ledger\.jsonl: PARTIAL/,
    /altered\.json: FAIL/,
    /exit code 3/,
    /pack\.json: PARTIAL/,
  ])
    assert.match(said, words)
  t.diagnostic(`the quick start took ${((performance.now() - before) / 1000).toFixed(1)} s`)
  tellTime(t, 'quick start done')
  fingerprint = readFileSync(join(clone, 'cosign.pub'), 'utf8')
})

test('1c a second start keeps key and ledger, and installs and builds nothing', { skip: noClone }, async () => {
  const head = async () =>
    ((await (await fetch(`${url}/api/orch/khipu/ledger?limit=1`)).json()) as { receipts: { digest: string }[] })
      .receipts[0]!.digest
  const digest = await head()
  assert.equal(await stop(first), 0)
  first = await npmStart()
  assert.match(first.out, /^ledger +.*key and ledger kept: \d+ receipts$/m)
  assert.doesNotMatch(first.err, /install|build/i)
  assert.equal(await (await fetch(`${url}/cosign.pub`)).text(), fingerprint)
  assert.equal(await head(), digest)
  assert.equal(run('git', ['status', '--porcelain', '--untracked-files=no']), '', 'using it changes no tracked file')
})

test('9.3 npm run build in the clone makes the packages with their types and prints the SHA-256 of the single file', {
  skip: noClone,
}, () => {
  const said = run('npm', ['run', '--silent', 'build'])
  const sha256 = createHash('sha256')
    .update(readFileSync(join(clone, 'dist/orch.mjs')))
    .digest('hex')
  assert.ok(said.startsWith(`${sha256}  dist/orch.mjs\n`), said.slice(0, 200))
  for (const name of [
    'core/index.js',
    'core/types/core/src/index.d.ts',
    'client/index.js',
    'cli/orch.mjs',
    'SHA256SUMS',
  ])
    assert.ok(existsSync(join(clone, 'dist', name)), name)
})

/** The lines that a reader sees before scrolling. */
const FIRST_SCREEN = 40

test('the first screen of the README says what it is, starts, asks, verifies, shows, lists the packages and what it is not', () => {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n')
  const screen = lines.slice(0, FIRST_SCREEN).join('\n')
  for (const words of [
    '\nnpm start\n',
    'curl -s',
    'orch verify decision.json',
    '**What it is not.**',
    './docs/pictures/receipt.png',
  ])
    assert.ok(screen.includes(words), words)
  for (const name of ['core', 'client', 'server', 'cli', 'console'])
    assert.match(screen, new RegExp(`^\\| \`packages/${name}\` \\| .+ \\|$`, 'm'))
  const [about] = screen.split('\n').slice(2).join('\n').split('\n\n')
  assert.equal(about!.match(/\.(?:\s|$)/g)?.length, 2, 'two sentences say what it is')
  const picture = join(ROOT, 'docs/pictures')
  if (existsSync(picture)) assert.ok(statSync(join(picture, 'receipt.png')).size > 10_000, 'the picture is one')
})
