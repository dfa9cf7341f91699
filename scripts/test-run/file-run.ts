// One test file in a process of its own. A file that crashes, hangs or holds no test is a failure of its own.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestRecord } from './reporter.ts'

const REPORTER = fileURLToPath(new URL('./reporter.ts', import.meta.url))

export interface FileRun {
  file: string
  seconds: number
  tests: TestRecord[]
  /** What the tests printed, shown when one failed. */
  output: string
}

export interface FileOptions {
  cwd: string
  timeoutMs: number
  grep?: string | undefined
}

export async function runTestFile(file: string, options: FileOptions): Promise<FileRun> {
  const folder = mkdtempSync(join(tmpdir(), 'orch-report-'))
  const started = performance.now()
  try {
    const report = join(folder, 'tests.jsonl')
    const ended = await execute(file, report, options)
    const seconds = (performance.now() - started) / 1000
    // Node gives absolute paths; a report is read on other machines too.
    const tests = readRecords(report).map((record) => ({ ...record, file }))
    const problem = problemOf(tests, ended, options)
    if (problem) tests.push({ name: file, file, line: 1, seconds, outcome: 'failed', detail: problem })
    return { file, seconds, tests, output: ended.output }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  timedOut: boolean
  output: string
}

function execute(file: string, report: string, { cwd, timeoutMs, grep }: FileOptions): Promise<Ended> {
  const flags = [
    '--disable-warning=ExperimentalWarning',
    // A test is over before WebAssembly that was compiled a second time, and better, has paid for it.
    '--liftoff-only',
    `--test-reporter=${REPORTER}`,
    `--test-reporter-destination=${report}`,
    // A little before the file is killed, so that the test which hangs is known by name.
    `--test-timeout=${Math.round(timeoutMs * 0.8)}`,
    ...(grep ? [`--test-name-pattern=${grep}`] : []),
  ]
  return new Promise((resolve, reject) => {
    // Inside another test this variable is set, and node would report to that one's runner.
    const { NODE_TEST_CONTEXT: _outer, ...env } = process.env
    // A group of its own, so that a file out of time goes with everything it started.
    const child = spawn(process.execPath, [...flags, join(cwd, file)], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-200_000)
      })
    }
    let timedOut = false
    const killGroup = () => endGroup(child.pid as number)
    const timer = setTimeout(() => {
      timedOut = true
      killGroup()
    }, timeoutMs)
    process.on('exit', killGroup)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      process.off('exit', killGroup)
      resolve({ code, signal, timedOut, output })
    })
  })
}

function endGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function readRecords(report: string): TestRecord[] {
  if (!existsSync(report)) return []
  // The last line may be cut off where the process died.
  const lines = readFileSync(report, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as TestRecord)
}

function problemOf(
  tests: TestRecord[],
  { code, signal, timedOut }: Ended,
  { timeoutMs, grep }: FileOptions,
): string | undefined {
  if (timedOut) return `the file did not end within ${timeoutMs / 1000} s and was killed`
  const failed = tests.some(({ outcome }) => outcome === 'failed')
  if (code !== 0 && !failed) return `the file ended with ${signal ?? `exit code ${code}`}`
  if (tests.length === 0 && !grep) return 'the file holds no test'
  return undefined
}
