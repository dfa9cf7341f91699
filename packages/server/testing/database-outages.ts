// Two real processes of the service on one PostgreSQL whose postmaster is killed again and again under load: whatever was
// acknowledged is there, no process dies, the store being away is said as such, and both nodes come back by themselves.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresReader } from '../src/ledger/store/postgres/reader.ts'
import { acknowledge, type Journal, newJournal, seeded, settleAccounts } from './ledger/crashes.ts'
import { startPostgres } from './postgres.ts'
import { freshFolder } from './private-folder.ts'
import { type Answer, post, send } from './raw-http.ts'
import { type Service, startService } from './service.ts'

const WRITERS = 6
const BACK_MS = 90_000

/** What a caller may hear while the store is away, besides success. */
const AWAY = ['store_unavailable', 'ledger_unavailable', 'ledger_busy', 'session_busy', 'write_surface_unavailable']

/** Of every kind of read: a document, a row, a list, a tile, a walk. */
const READS = [
  '/api/orch/khipu/ledger?limit=5',
  '/api/orch/khipu/dag?request=latest',
  '/api/orch/v1/khipu/organs',
  '/api/orch/v1/keys',
  '/api/orch/v1/reviews',
  '/api/orch/v1/gdw/integrity/global',
  '/api/orch/v1/receipt/export',
  '/api/lake/v1/health',
  '/log/checkpoint',
]

export interface OutageReport {
  iterations: number
  acknowledged: number
  stored: number
  refused: number
  /** Answers that are neither a success nor a store that is away, and processes that ended or failed unforeseen. */
  findings: string[]
}

class Load {
  readonly journal: Journal = newJournal()
  readonly findings: string[] = []
  readonly latest = new Map<string, number>()
  private ended = false
  private readonly workers: Promise<void>[]

  constructor(urls: readonly string[]) {
    this.workers = urls.flatMap((url) => [
      ...Array.from({ length: WRITERS }, (_, writer) => this.repeat(() => this.mint(url, writer))),
      this.repeat(() => this.read(url)),
      this.repeat(() => this.step(url)),
    ])
  }

  async end(): Promise<void> {
    this.ended = true
    await Promise.all(this.workers)
  }

  private async repeat(work: () => Promise<void>): Promise<void> {
    while (!this.ended) {
      await work().catch((error: Error) => this.findings.push(`no answer: ${error.message}`))
      await pause(5)
    }
  }

  private async mint(url: string, writer: number): Promise<void> {
    const answer = await post(`${url}/api/orch/khipu/sign`, JSON.stringify({ writer, at: performance.now() }))
    if (!this.judge('mint', answer)) return
    acknowledge(this.journal, answer.json.node_index, answer.json.digest)
    this.latest.set(url, answer.json.node_index)
  }

  private async read(url: string): Promise<void> {
    for (const path of READS) this.judge(path, await send(url + path))
  }

  private async step(url: string): Promise<void> {
    const body = JSON.stringify({
      session_id: `s-${Math.floor(performance.now() / 50)}`,
      request: 'read the audit log',
    })
    this.judge('step', await post(`${url}/api/orch/v1/gdw/step`, body))
  }

  private judge(what: string, { status, json, text }: Answer): boolean {
    if (status === 200) return true
    this.journal.refused += 1
    const code = json?.error?.code
    const isAway = status === 503 && AWAY.includes(code)
    if (!isAway && !(status === 404 && code === 'log_empty'))
      this.findings.push(`${what}: ${status} ${code ?? text.slice(0, 200)}`)
    return false
  }
}

export async function databaseOutages(iterations: number, seed: number): Promise<OutageReport> {
  const server = await startPostgres()
  const folders = [freshFolder('outage-a'), freshFolder('outage-b')] as const
  const services: Service[] = []
  try {
    const postgresUrl = await server.createDatabase('outages')
    const env = { ORCH_STORE: 'postgres', ORCH_POSTGRES_URL: postgresUrl, ORCH_LOG_ORIGIN: 'outages.test' }
    services.push(await startService({ data: folders[0], env }))
    copyFileSync(join(folders[0], 'log-key.pem'), join(folders[1], 'log-key.pem'))
    services.push(await startService({ data: folders[1], env }))
    const urls = services.map(({ url }) => url)
    const load = new Load(urls)
    const random = seeded(seed)
    await untilBoth(urls, load)
    for (let iteration = 0; iteration < iterations; iteration += 1) {
      await pause(200 + Math.floor(random() * 600))
      process.kill(server.pid, 'SIGKILL')
      await pause(Math.floor(random() * 400))
      await server.restart()
      await untilBoth(urls, load)
    }
    await load.end()
    const reader = postgresReader({ url: postgresUrl })
    const { size: stored } = await settleAccounts(reader, load.journal)
    await reader.close()
    const findings = [...new Set(load.findings), ...services.flatMap(faultsOf)]
    return { iterations, acknowledged: load.journal.acknowledged.size, stored, refused: load.journal.refused, findings }
  } finally {
    for (const service of services) await service.close()
    await server.stop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

/** Both nodes acknowledge again, and what they acknowledge is new. */
async function untilBoth(urls: readonly string[], { latest }: Load): Promise<void> {
  latest.clear()
  const deadline = performance.now() + BACK_MS
  while (urls.some((url) => !latest.has(url))) {
    if (performance.now() > deadline) throw new Error('a node did not come back by itself')
    await pause(50)
  }
}

function faultsOf({ child, output }: Service): string[] {
  const unforeseen = output()
    .split('\n')
    .filter((line) => /unhandledRejection|uncaughtException|unexpected failure/.test(line))
  const ended = child.exitCode === null && child.signalCode === null ? [] : [`a node ended: ${output().slice(-2000)}`]
  return [...unforeseen, ...ended]
}
