// `npm run soak`: the long form of the tests whose strength is their number. Each job prints what it saw; any failure
// ends the run with exit 1. Arguments: --only crash-sqlite,crash-postgres,stopped-node,database-outages,mixed-faults,
// page-tampering,fuzz-memory,fuzz-sqlite,stepping-worlds,stepping-sessions  --seed n  --worlds n
// --sessions n  --minutes n  --out file. What the service held in memory goes into bench/results.json, or that file.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openWatchedPage } from '@orch/server/testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '@orch/server/testing/chromium.ts'
import { databaseOutages } from '@orch/server/testing/database-outages.ts'
import { LINE_ATTACKS } from '@orch/server/testing/export-tampering.ts'
import { describeReport } from '@orch/server/testing/fuzz/campaign.ts'
import { fuzzService } from '@orch/server/testing/fuzz/fuzz-service.ts'
import {
  crashIterations,
  newJournal,
  settingsFor,
  settleAccounts,
  startWriter,
} from '@orch/server/testing/ledger/crashes.ts'
import { mixedFaults } from '@orch/server/testing/mixed-faults.ts'
import { savePage } from '@orch/server/testing/page-driver.ts'
import { attackThroughForm, everyPosition } from '@orch/server/testing/page-tampering.ts'
import { startPostgres } from '@orch/server/testing/postgres.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { steppingEndurance } from '@orch/server/testing/stepping-endurance.ts'
import { simulatedGates } from '@orch/server/testing/stepping-simulation/gates.ts'
import { OPERATIONS, simulate } from '@orch/server/testing/stepping-simulation/run.ts'
import { RESULTS_FILE, recordEntry } from '../bench/results-file.ts'
import { openLedger } from '../packages/server/src/ledger/ledger.ts'
import { postgresReader } from '../packages/server/src/ledger/store/postgres/reader.ts'
import { openSqliteReader } from '../packages/server/src/ledger/store/sqlite/reader.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '2000' },
    sessions: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '10' },
    out: { type: 'string', default: RESULTS_FILE },
  },
})
const seed = Number(values.seed)

async function inFolder<T>(work: (data: string) => Promise<T>): Promise<T> {
  const data = freshFolder('soak')
  try {
    return await work(data)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

const onPostgres = (work: (url: string, data: string) => Promise<string>): Promise<string> =>
  inFolder(async (data) => {
    const server = await startPostgres()
    try {
      return await work(await server.createDatabase('soak'), data)
    } finally {
      await server.stop()
    }
  })

/** How many receipts are stored, each acknowledgement found true. */
async function settled(reader: ReturnType<typeof openSqliteReader>, journal: ReturnType<typeof newJournal>) {
  const { size } = await settleAccounts(reader, journal)
  await reader.close()
  return size
}

async function fuzz(store: string): Promise<string> {
  const report = await fuzzService({ seed, requests: 20_000, store })
  if (report.findings.length > 0) throw new Error(describeReport(report))
  return `${describeReport(report)}; no server error, no answer over 2 s, no leak`
}

/** Keeps what the service held, in MiB, beside the load that it held it under. */
async function withMemory(
  job: string,
  load: string,
  run: () => Promise<{ text: string; residentMiB: number[] }>,
): Promise<string> {
  let output = ''
  await recordEntry('soak', job, values.out, async () => {
    const { text, residentMiB } = await run()
    output = text
    return { load, rss_mib: residentMiB.map(Math.round) }
  })
  return output
}

/** Beyond the seeds of the ordinary tests. */
async function steppingWorlds(worlds: number): Promise<string> {
  const first = 200 + (seed - 1) * worlds + 1
  const governing = await simulatedGates()
  for (let world = first; world < first + worlds; world += 1) await simulate(world, governing)
  return `${worlds} simulated worlds of ${OPERATIONS} operations, seeds ${first} to ${first + worlds - 1}, the model held after each`
}

const jobs: Record<string, () => Promise<string>> = {
  'crash-sqlite': () =>
    inFolder(async (data) => {
      const journal = await crashIterations(settingsFor(data), 100, seed)
      const size = await settled(openSqliteReader(data), journal)
      return `100 rounds of kill -9 under 32 writers: ${journal.acknowledged.size} acknowledged, ${size} stored, none missing or changed`
    }),

  'crash-postgres': () =>
    onPostgres(async (postgresUrl, data) => {
      const journal = await crashIterations(settingsFor(data, { store: 'postgres', postgresUrl }), 50, seed)
      const size = await settled(postgresReader({ url: postgresUrl }), journal)
      return `50 rounds of kill -9 under 32 writers: ${journal.acknowledged.size} acknowledged, ${size} stored, none missing or changed`
    }),

  'stopped-node': () =>
    onPostgres((postgresUrl, first) =>
      inFolder(async (second) => {
        const a = settingsFor(first, { store: 'postgres', postgresUrl })
        await (await openLedger(a)).close()
        copyFileSync(join(first, 'log-key.pem'), join(second, 'log-key.pem'))
        const journal = newJournal()
        const one = startWriter(a, journal, 16, '5000', 'a')
        await one.ready
        await pause(500)
        one.child.kill('SIGSTOP')
        const two = startWriter(settingsFor(second, { store: 'postgres', postgresUrl }), journal, 16, '5000', 'b')
        await Promise.all([pause(60_000), two.done])
        one.child.kill('SIGCONT')
        await one.done
        const size = await settled(postgresReader({ url: postgresUrl }), journal)
        return `one of two nodes stopped for 60 s: ${journal.acknowledged.size} acknowledged, ${journal.refused} refused, ${size} stored, every acknowledgement true`
      }),
    ),

  'database-outages': async () => {
    const { iterations, acknowledged, refused, stored, findings } = await databaseOutages(20, seed)
    if (findings.length > 0) throw new Error(findings.join('\n'))
    return `the postmaster killed ${iterations} times under two nodes: ${acknowledged} acknowledged, ${refused} refused, ${stored} stored, no node died, none missing or changed`
  },

  'mixed-faults': () =>
    withMemory('mixed-faults', `${values.minutes} minutes`, async () => {
      const report = await mixedFaults({ minutes: Number(values.minutes), seed })
      if (report.findings.length > 0) throw new Error(`${report.text}\n${report.findings.join('\n')}`)
      return report
    }),

  'page-tampering': () =>
    inFolder(async (data) => {
      const noBrowser = chromiumUnavailable()
      if (noBrowser) return noBrowser
      const browser = await launchChromium()
      try {
        const address = await savePage(data)
        const { page, problems } = await openWatchedPage(browser, address)
        await page.goto(address)
        let files = 0
        for (const attack of Object.keys(LINE_ATTACKS))
          files += await attackThroughForm(page, attack, everyPosition(attack))
        if (problems.length > 0) throw new Error(`the page misbehaved: ${problems.join('; ')}`)
        return `${files} edited ledgers of 1,000 receipts through the form of the page, each named at its exact line and index`
      } finally {
        await browser.close()
      }
    }),

  'fuzz-memory': () => fuzz('memory'),
  'fuzz-sqlite': () => fuzz('sqlite'),
  'stepping-worlds': () => steppingWorlds(Number(values.worlds)),
  'stepping-sessions': () =>
    withMemory('stepping-sessions', `${Number(values.sessions).toLocaleString('en')} sessions of ten steps`, () =>
      steppingEndurance(Number(values.sessions)),
    ),
}

const chosen = values.only?.split(',') ?? Object.keys(jobs)
process.stdout.write(`seed ${seed}\n`)
for (const name of chosen) {
  const job = jobs[name]
  if (!job) throw new Error(`unknown job ${name}; known: ${Object.keys(jobs).join(', ')}`)
  const started = performance.now()
  process.stdout.write(`${name}: ${await job()} (${Math.round((performance.now() - started) / 1000)} s)\n`)
}
