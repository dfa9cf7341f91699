// `npm test`: the checks, then every suite, one summary. Arguments: --only suite,suite  --grep text  --timeout seconds
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readTree } from './architecture-tree.ts'
import { printStep, runChecks, type StepResult } from './check.ts'
import { type FileRun, runTestFile } from './test-run/file-run.ts'
import { junitXml } from './test-run/junit.ts'
import type { TestRecord } from './test-run/reporter.ts'
import { groupBySuite, parseArguments, type Selection } from './test-run/suites.ts'
import { type SuiteResult, summaryOf } from './test-run/summary.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const REPORTS = join(ROOT, 'reports')

async function main(selection: Selection): Promise<boolean> {
  process.stdout.write(
    `node ${process.version}, ${availableParallelism()} cores; property tests run on the seed written in each of them\n`,
  )
  rmSync(REPORTS, { recursive: true, force: true })
  mkdirSync(REPORTS, { recursive: true })
  const files = groupBySuite(readTree(ROOT))
  const results: SuiteResult[] = []
  for (const suite of selection.suites) {
    const result = await runSuite(suite, files.get(suite) ?? [], selection)
    writeFileSync(join(REPORTS, `junit-${suite}.xml`), junitXml(suite, result.seconds, result.tests))
    results.push(result)
  }
  const { text, ok } = summaryOf(results)
  process.stdout.write(text)
  return ok
}

async function runSuite(suite: string, files: readonly string[], selection: Selection): Promise<SuiteResult> {
  process.stdout.write(`\n${suite}\n`)
  const started = performance.now()
  const tests = suite === 'check' ? await checkSuite() : await fileSuite(files, selection)
  return { suite, seconds: (performance.now() - started) / 1000, tests }
}

async function checkSuite(): Promise<TestRecord[]> {
  const results = await runChecks(false, printStep)
  return results.map(({ name, ok, seconds, output }: StepResult) => ({
    name,
    file: 'scripts/check.ts',
    line: 1,
    seconds,
    outcome: ok ? 'passed' : 'failed',
    detail: ok ? '' : output,
  }))
}

/** More files at once than there are cores, since many wait for sockets and processes: a test that measures nothing
 *  loses nothing by company. */
async function fileSuite(files: readonly string[], { grep, timeoutMs }: Selection): Promise<TestRecord[]> {
  const waiting = [...files]
  const runs: FileRun[] = []
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const run = await runTestFile(file, { cwd: ROOT, grep, timeoutMs })
      printRun(run)
      runs.push(run)
    }
  }
  await Promise.all(Array.from({ length: Math.ceil(availableParallelism() * 1.5) }, work))
  return runs.sort((a, b) => a.file.localeCompare(b.file)).flatMap(({ tests }) => tests)
}

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
