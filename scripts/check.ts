// `npm run check`: format, lint, types, architecture, unused exports and interface drift. `--write` mends what can be mended.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeViolation, findViolations } from './architecture.ts'
import { readTree } from './architecture-tree.ts'
import { exportFaults, readAllowed, shrinkAllowed, unusedExports } from './unused-exports.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

export interface StepResult {
  name: string
  ok: boolean
  seconds: number
  /** What the tool said; shown when the step failed. */
  output: string
}

type Verdict = { ok: boolean; output: string }
type Step = readonly [name: string, run: (write: boolean) => Promise<Verdict>]

const STEPS: readonly Step[] = [
  ['format and lint', (write) => tool('biome', [...(write ? ['check', '--write'] : ['ci']), '--colors=off', '.'])],
  ['types', () => tool('tsc', ['--noEmit', '-p', '.'])],
  ['types of core without Node', () => tool('tsc', ['--noEmit', '-p', 'packages/core'])],
  ['architecture', architecture],
  ['unused exports', unusedExportsStep],
  ['interface description', interfaceDrift],
]

/** All steps at once: the machine decides how much of it is parallel. */
export async function runChecks(write: boolean, report: (result: StepResult) => void): Promise<StepResult[]> {
  return Promise.all(
    STEPS.map(async ([name, run]) => {
      const started = performance.now()
      const verdict = await run(write)
      const result = { name, ...verdict, seconds: (performance.now() - started) / 1000 }
      report(result)
      return result
    }),
  )
}

export function printStep({ name, ok, seconds, output }: StepResult): void {
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)\n`)
  if (!ok) process.stdout.write(`${output.trimEnd()}\n`)
}

const tool = (name: string, args: string[]): Promise<Verdict> => run(join(ROOT, 'node_modules/.bin', name), args)

export function run(file: string, args: readonly string[], cwd = ROOT): Promise<Verdict & { stdout: string }> {
  return new Promise((resolve) => {
    const options = { cwd, maxBuffer: 256 * 1024 * 1024, shell: process.platform === 'win32' }
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ ok: error === null, stdout, output: `${stdout}${stderr}` || (error?.message ?? '') })
    })
  })
}

async function architecture(): Promise<Verdict> {
  const violations = findViolations(readTree(ROOT)).map(describeViolation)
  return { ok: violations.length === 0, output: violations.join('\n') }
}

async function unusedExportsStep(write: boolean): Promise<Verdict> {
  const found = unusedExports(readTree(ROOT, ['vectors']))
  if (write) shrinkAllowed(found)
  const faults = exportFaults(found, readAllowed())
  return { ok: faults.length === 0, output: faults.join('\n') }
}

// The committed description is what readers and generated clients see: it must be what the server would print now.
async function interfaceDrift(write: boolean): Promise<Verdict> {
  const committed = join(ROOT, 'openapi.json')
  const printer = join(ROOT, 'scripts/print-openapi.ts')
  if (!existsSync(printer)) return { ok: !existsSync(committed), output: `openapi.json has no printer ${printer}` }
  const printed = await run(process.execPath, ['--disable-warning=ExperimentalWarning', printer])
  if (!printed.ok) return printed
  if (write) writeFileSync(committed, printed.stdout)
  const found = existsSync(committed) ? readFileSync(committed, 'utf8') : undefined
  const fault = found === undefined ? 'is missing' : 'differs from the operations'
  return { ok: found === printed.stdout, output: `openapi.json ${fault}: run \`npm run check -- --write\`` }
}

if (import.meta.main) {
  const results = await runChecks(process.argv.includes('--write'), printStep)
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
}
