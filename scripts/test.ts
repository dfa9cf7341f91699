// `npm test`: the checks, then every suite, one summary. Arguments: --only suite,suite  --grep text  --timeout seconds
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keepBuildFacts } from '@orch/server/testing/build-facts.ts'
import { postgresUnavailable, SHARED_POSTGRES, startPostgres } from '@orch/server/testing/postgres.ts'
import { readTree } from './architecture-tree.ts'
import { printStep, runChecks, type StepResult } from './check.ts'
import { type FileRun, runTestBatch, runTestFile } from './test-run/file-run.ts'
import { bundlePrograms } from './test-run/programs.ts'
import type { TestRecord } from './test-run/reporter.ts'
import { groupBySuite, parseArguments, queueOf, type Selection, suiteOf } from './test-run/suites.ts'
import { junitXml, type SuiteResult, summaryOf } from './test-run/summary.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const REPORTS = join(ROOT, 'reports')
const PROGRAMS = join(REPORTS, 'programs')

async function main(selection: Selection): Promise<boolean> {
  process.stdout.write(
    `node ${process.version}, ${availableParallelism()} cores; property tests run on the seed written in each of them\n`,
  )
  rmSync(REPORTS, { recursive: true, force: true })
  mkdirSync(REPORTS, { recursive: true })
  const results: SuiteResult[] = []
  const { suites } = selection
  if (suites.includes('check')) results.push(await checkSuite())
  results.push(...(await fileSuites(selection)))
  for (const { suite, seconds, tests } of results)
    writeFileSync(join(REPORTS, `junit-${suite}.xml`), junitXml(suite, seconds, tests))
  const { text, ok } = summaryOf(results)
  process.stdout.write(text)
  return ok
}

async function checkSuite(): Promise<SuiteResult> {
  process.stdout.write('\ncheck\n')
  const started = performance.now()
  const results = await runChecks(false, printStep)
  const tests = results.map(
    ({ name, ok, seconds, output }: StepResult): TestRecord => ({
      ...{ name, file: 'scripts/check.ts', line: 1, seconds },
      outcome: ok ? 'passed' : 'failed',
      detail: ok ? '' : output,
    }),
  )
  return { suite: 'check', seconds: (performance.now() - started) / 1000, tests }
}

/** All suites from one queue, so that no core is idle between two of them. More processes at once than there are cores,
 *  since many wait for sockets and processes: a test that measures nothing loses nothing by company. */
async function fileSuites({ suites, grep, timeoutMs }: Selection): Promise<SuiteResult[]> {
  const tree = readTree(ROOT)
  const bySuite = [...groupBySuite(tree)].filter(([suite]) => suite !== 'check' && suites.includes(suite))
  const files = bySuite.flatMap(([, own]) => own)
  const waiting = queueOf(tree, files)
  const runs = new Map<string, FileRun>()
  const options = { cwd: ROOT, grep, timeoutMs }
  const work = async () => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      const [only] = unit as [string]
      for (const run of unit.length === 1 ? [await runTestFile(only, options)] : await runTestBatch(unit, options)) {
        printRun(run)
        runs.set(run.file, run)
      }
    }
  }
  process.stdout.write('\ntests\n')
  await bundlePrograms(ROOT, PROGRAMS)
  keepBuildFacts(PROGRAMS)
  process.env.TEST_PROGRAMS = PROGRAMS
  await withSharedPostgres(
    files.some((file) => suiteOf(file) === 'stores'),
    () => Promise.all(Array.from({ length: 2 * availableParallelism() }, work)),
  )
  const seconds = Object.fromEntries([...runs.values()].map((run) => [run.file, Number(run.seconds.toFixed(1))]))
  writeFileSync(join(REPORTS, 'seconds.json'), `${JSON.stringify(seconds, null, 1)}\n`)
  return bySuite.map(([suite, own]) => {
    const done = own.flatMap((file) => runs.get(file) ?? [])
    return { suite, seconds: sum(done.map((run) => run.seconds)), tests: done.flatMap(({ tests }) => tests) }
  })
}

// One PostgreSQL for all test files of a run: each of them makes databases of its own in it.
/** Files start four at a time on two cores and a node has a few connections; what nobody uses costs nothing. */
const SETTINGS = { fsync: 'off', max_connections: '300' }

/** Where no server can be started, each file finds that out for itself and says so. */
async function withSharedPostgres(wanted: boolean, work: () => Promise<unknown>): Promise<void> {
  if (!wanted || postgresUnavailable() !== undefined) return void (await work())
  const server = await startPostgres({ settings: SETTINGS })
  process.env[SHARED_POSTGRES] = server.url
  try {
    await work()
  } finally {
    delete process.env[SHARED_POSTGRES]
    await server.stop()
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, next) => total + next, 0)

function printRun({ file, seconds, tests, output }: FileRun): void {
  const failed = tests.filter(({ outcome }) => outcome === 'failed')
  const skipped = tests.filter(({ outcome }) => outcome === 'skipped').length
  const counts = `${tests.length} tests${skipped > 0 ? `, ${skipped} skipped` : ''}`
  const lines = [`${failed.length > 0 ? 'FAIL' : 'ok  '} ${file} (${counts}, ${seconds.toFixed(1)} s)`]
  for (const { name, line, detail } of failed) lines.push(`  FAILED ${name} (${file}:${line})`, indent(detail))
  if (failed.length > 0 && output.trim() !== '') lines.push('  printed:', indent(output.trimEnd()))
  process.stdout.write(`${lines.join('\n')}\n`)
}

const indent = (text: string): string => text.replace(/^/gm, '    ')

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

try {
  process.exitCode = (await main(parseArguments(process.argv.slice(2)))) ? 0 : 1
} catch (error) {
  if (!(error instanceof RangeError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
