// A test file in a process of its own, or several in one. A file that crashes, hangs or holds no test is a failure of its
// own.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestRecord } from './reporter.ts'

const BATCH = fileURLToPath(new URL('./batch.ts', import.meta.url))
const REPORTER = fileURLToPath(new URL('./reporter.ts', import.meta.url))

export interface FileRun {
  file: string
  seconds: number
  tests: TestRecord[]
  /** What the tests printed, shown when one failed. */
  output: string
}

interface FileOptions {
  cwd: string
  timeoutMs: number
  grep?: string | undefined
}

export async function runTestFile(file: string, options: FileOptions): Promise<FileRun> {
  const { seconds, tests, ended } = await runProcess([file], options)
  // Node names the file that called `test`, which may be a helper, and by an absolute path; a report is read elsewhere too.
  const own = tests.map((record) => ({ ...record, file }))
  const problem = problemOf(own, ended, options)
  if (problem) own.push({ name: file, file, line: 1, seconds, outcome: 'failed', detail: problem })
  return { file, seconds, tests: own, output: ended.output }
}

/** Several files in one process, one after the other. A file of which nothing was heard, and every file of a process that
 *  did not end well, is run again alone: what it does there is what counts. A test that failed has failed. */
export async function runTestBatch(files: readonly string[], options: FileOptions): Promise<FileRun[]> {
  // A pattern would have to fit the name of the file as well.
  const { tests, ended } = options.grep ? NOT_RUN : await runProcess(files, options)
  const ofFile = (file: string) => tests.filter((record) => record.file === join(options.cwd, file))
  const recorded = files.map((file) => [file, ofFile(file).map((record) => ({ ...record, file }))] as const)
  const failed = tests.some(({ outcome }) => outcome === 'failed')
  const endedWell = !ended.timedOut && (ended.code === 0 || failed)
  const runs: FileRun[] = []
  for (const [file, own] of recorded) {
    if (!endedWell || own.length === 0) runs.push(await runTestFile(file, options))
    else
      runs.push({ file, seconds: own.reduce((sum, { seconds }) => sum + seconds, 0), tests: own, output: ended.output })
  }
  return runs
}

const NOT_RUN: Pick<ProcessRun, 'tests' | 'ended'> = {
  tests: [],
  ended: { code: null, signal: null, timedOut: false, output: '' },
}

interface ProcessRun {
  seconds: number
  tests: TestRecord[]
  ended: Ended
}

async function runProcess(files: readonly string[], options: FileOptions): Promise<ProcessRun> {
  const folder = mkdtempSync(join(tmpdir(), 'orch-report-'))
  const started = performance.now()
  try {
    const report = join(folder, 'tests.jsonl')
    const ended = await execute(files, report, options)
    return { seconds: (performance.now() - started) / 1000, tests: readRecords(report), ended }
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

function execute(files: readonly string[], report: string, { cwd, timeoutMs, grep }: FileOptions): Promise<Ended> {
  const flags = [
    '--disable-warning=ExperimentalWarning',
    // A test is over before WebAssembly that was compiled a second time, and better, has paid for it.
    '--liftoff-only',
    // A heap that may grow at once is collected less often: the same files take a twentieth less processor time.
    '--initial-old-space-size=400',
    '--min-semi-space-size=16',
    `--test-reporter=${REPORTER}`,
    `--test-reporter-destination=${report}`,
    // A little before the file is killed, so that the test which hangs is known by name.
    `--test-timeout=${Math.round(timeoutMs * 0.8)}`,
    ...(grep ? [`--test-name-pattern=${grep}`] : []),
    BATCH,
  ]
  return new Promise((resolve, reject) => {
    // Inside another test this variable is set, and node would report to that one's runner.
    const { NODE_TEST_CONTEXT: _outer, ...env } = process.env
    // A group of its own, so that a file out of time goes with everything it started.
    const child = spawn(process.execPath, [...flags, ...files.map((file) => join(cwd, file))], {
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
