// One service on SQLite under writers, 300 event streams and hostile requests, while it is killed, its files are taken
// away, its disk fills and its data folder is put back to an older copy; beside it two nodes on a PostgreSQL that is killed
// as well. Whatever was acknowledged is there at the end, and a service that runs answers its liveness probe.
import { cpSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSqliteReader } from '../src/ledger/store/sqlite/reader.ts'
import { databaseOutages } from './database-outages.ts'
import { runCampaign } from './fuzz/campaign.ts'
import { FUZZED_ENVIRONMENT, machinePaths, REAL_CAUSES } from './fuzz/fuzz-service.ts'
import { acknowledge, type Journal, newJournal, seeded, settleAccounts } from './ledger/crashes.ts'
import { type Probe, startLivenessProbe } from './liveness-probe.ts'
import { freshFolder } from './private-folder.ts'
import { post, send } from './raw-http.ts'
import { type Service, startService } from './service.ts'

const STREAMS = 300
const WRITERS = 6
const DATABASE = 'ledger.sqlite'

export interface MixedReport {
  text: string
  /** Of the service on SQLite, before each fault. */
  residentMiB: number[]
  findings: string[]
}

class LoadGenerator {
  readonly journal: Journal = newJournal()
  readonly findings: string[] = []
  readonly residentMiB: number[] = []
  slowestLivezMs = 0
  probes = 0
  streams = 0
  private service: Service | null = null
  private ended = false
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 2 * STREAMS })
  private readonly workers: Promise<void>[] = []
  private readonly liveness = startLivenessProbe((probe) => this.judge(probe))

  /** The load follows the service from one start to the next. */
  serve(service: Service): void {
    this.service = service
    this.liveness.follow(service.url)
    if (this.workers.length > 0) return
    for (let writer = 0; writer < WRITERS; writer += 1)
      this.workers.push(this.repeat(5, (url) => this.mint(url, writer)))
    for (let stream = 0; stream < STREAMS; stream += 1)
      this.workers.push(this.repeat(50, (url) => this.listen(url, stream)))
  }

  /** Before a fault: what is slow or broken from here on is the fault's doing. */
  expectFault(): void {
    if (this.service !== null) this.residentMiB.push(residentOf(this.service))
    this.service = null
    this.liveness.follow(null)
  }

  async end(): Promise<void> {
    this.ended = true
    this.agent.destroy()
    await this.liveness.stop()
    await Promise.all(this.workers)
  }

  private async repeat(ms: number, work: (url: string) => Promise<void>): Promise<void> {
    while (!this.ended) {
      const { service } = this
      // A connection that breaks off is what a kill looks like from outside.
      if (service !== null) await work(service.url).catch(() => undefined)
      await pause(ms)
    }
  }

  private async mint(url: string, writer: number): Promise<void> {
    const { status, json } = await post(`${url}/api/orch/khipu/sign`, JSON.stringify({ writer, at: performance.now() }))
    if (status === 200) acknowledge(this.journal, json.node_index, json.digest)
    else if (status !== 503) this.findings.push(`a mint was answered ${status} ${json?.error?.code}`)
    else this.journal.refused += 1
  }

  /** Half of them replay the ledger from its beginning, half filter for what never comes. */
  private listen(url: string, stream: number): Promise<void> {
    const query = stream % 2 === 0 ? 'after=-1' : 'after=-1&tool=nobody'
    return new Promise((resolve) => {
      const request = get(`${url}/api/orch/v1/events?${query}`, { agent: this.agent }, (response) => {
        this.streams += 1
        response.resume().on('close', resolve)
        setTimeout(() => response.destroy(), 5_000 + (stream % 50) * 100)
      })
      request.on('error', () => resolve())
    })
  }

  private judge({ url, status, ms }: Probe): void {
    // A fault that began meanwhile is the reason, not the service.
    if (url !== this.service?.url) return
    this.probes += 1
    this.slowestLivezMs = Math.max(this.slowestLivezMs, ms)
    if (status !== 200) this.findings.push(`liveness was ${status}`)
  }
}

const residentOf = ({ child }: Service): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

const failuresOf = (service: Service): string[] =>
  service
    .output()
    .split('\n')
    .filter((line) => /unhandledRejection|uncaughtException/.test(line))

export async function mixedFaults({ minutes, seed }: { minutes: number; seed: number }): Promise<MixedReport> {
  const folder = freshFolder('mixed-faults')
  const data = join(folder, 'data')
  const older = join(folder, 'older')
  const env = { ...FUZZED_ENVIRONMENT, ORCH_LOG_LEVEL: 'error', ORCH_GUARD: join(folder, 'guard.txt') }
  const load = new LoadGenerator()
  const random = seeded(seed)
  const counts: Record<string, number> = {}
  let service = await startService({ data, env })
  let hostile = 0

  const start = async (options: { fileBlocks?: number } = {}): Promise<void> => {
    service = await startService({ data, env, ...options })
    load.serve(service)
  }
  const underLoad = async (): Promise<void> => {
    const port = Number(new URL(service.url).port)
    const rules = { slowMs: 10_000, real: REAL_CAUSES, secrets: machinePaths(data) }
    const report = await runCampaign({ ...rules, port, seed: Math.floor(random() * 1e6), requests: 400 })
    hostile += report.sent
    load.findings.push(...report.findings.map(({ operation, detail }) => `${operation}: ${detail}`))
  }
  const faults: Record<string, () => Promise<void>> = {
    async kill() {
      load.expectFault()
      await service.kill9()
      await start()
    },
    async 'files taken away'() {
      load.expectFault()
      renameSync(join(data, DATABASE), join(folder, 'taken'))
      if (await takesReceipts(service)) load.findings.push('a receipt was acknowledged without its file')
      await service.kill9()
      renameSync(join(folder, 'taken'), join(data, DATABASE))
      await start()
    },
    async 'full disk'() {
      load.expectFault()
      await service.kill9()
      const blocks = Math.ceil(statSync(join(data, DATABASE)).size / 512) + 256
      await start({ fileBlocks: blocks })
      await untilReadOnly(service)
      load.expectFault()
      await service.kill9()
      await start()
    },
    async 'older copy'() {
      load.expectFault()
      await service.stop()
      cpSync(data, older, { recursive: true })
      await start()
      await pause(5_000)
      load.expectFault()
      await service.stop()
      renameSync(data, join(folder, 'newer'))
      cpSync(older, data, { recursive: true })
      const refused = await startService({ data, env }).then(
        async (forked) => forked.close().then(() => false),
        () => true,
      )
      if (!refused) load.findings.push('an older copy of the data folder was started')
      rmSync(data, { recursive: true })
      rmSync(older, { recursive: true })
      renameSync(join(folder, 'newer'), data)
      await start()
    },
  }

  const outages = databaseOutages(Math.max(1, Math.round(minutes * 2)), seed)
  outages.catch(() => undefined)
  try {
    load.serve(service)
    const end = performance.now() + minutes * 60_000
    for (let iteration = 0; performance.now() < end; iteration += 1) {
      await underLoad()
      await pause(random() * 3_000)
      load.findings.push(...failuresOf(service))
      const [name, fault] = Object.entries(faults)[iteration % 4]!
      await fault()
      counts[name] = (counts[name] ?? 0) + 1
    }
    load.expectFault()
    await load.end()
    await service.stop()
    const reader = openSqliteReader(data)
    const { size } = await settleAccounts(reader, load.journal)
    await reader.close()
    const nodes = await outages
    const { journal, slowestLivezMs, probes, streams, residentMiB } = load
    const text = [
      `${journal.acknowledged.size} acknowledged, ${journal.refused} refused, ${size} stored, none missing or changed`,
      Object.entries(counts)
        .map(([name, count]) => `${count} x ${name}`)
        .join(', '),
      `${streams} streams opened, ${hostile} hostile requests`,
      `liveness at most ${Math.round(slowestLivezMs)} ms in ${probes} probes`,
      `resident before each fault ${residentMiB.map(Math.round).join(', ')} MiB`,
      `two nodes on PostgreSQL, killed ${nodes.iterations} times: ${nodes.acknowledged} acknowledged, ${nodes.stored} stored`,
    ].join('; ')
    return { text, residentMiB, findings: [...new Set([...load.findings, ...nodes.findings])] }
  } finally {
    await load.end()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function takesReceipts({ url }: Service): Promise<boolean> {
  for (let n = 0; n < 20; n += 1)
    if ((await post(`${url}/api/orch/khipu/sign`, JSON.stringify({ n }))).status === 200) return true
  return (await send(`${url}/api/readyz`)).status === 200
}

async function untilReadOnly({ url }: Service): Promise<void> {
  const padding = 'x'.repeat(12_000)
  for (let n = 0; n < 2_000; n += 1)
    if ((await post(`${url}/api/orch/khipu/sign`, JSON.stringify({ n, padding }))).status === 503) return
  throw new Error('the disk never filled')
}
