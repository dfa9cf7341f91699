// Which test file belongs to which suite: by suffix and place, so that a new file needs no registration.
import { readFileSync } from 'node:fs'
import { isTest, type Tree } from '../architecture-tree.ts'

const SUITES: readonly (readonly [suite: string, file: RegExp])[] = [
  ['http', /\.http\.test\.tsx?$/],
  ['stores', /\.store\.test\.tsx?$/],
  ['browser', /\.browser\.test\.tsx?$/],
  ['cli', /\.cli\.test\.tsx?$/],
  ['docs', /\.docs\.test\.tsx?$|^docs\//],
  ['tooling', /^scripts\//],
  ['unit', /./],
]

/** In the order a reader wants them: what is cheap and fundamental first. */
const ORDER = ['check', 'unit', 'tooling', 'http', 'stores', 'cli', 'docs', 'browser'] as const

export const suiteOf = (file: string): string => SUITES.find(([, pattern]) => pattern.test(file))?.[0] ?? 'unit'

export function groupBySuite(tree: Tree): Map<string, string[]> {
  const files = [...tree.keys()].filter(isTest).sort()
  return new Map(ORDER.map((suite) => [suite, files.filter((file) => suiteOf(file) === suite)]))
}

/** Seconds the slow files took on two quiet cores. What takes long begins first, so that no core waits for it at the end;
 *  a file that is missing here is only begun later. `reports/seconds.json` of a run holds the figures of all. */
export const SECONDS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('./slow-files.json', import.meta.url), 'utf8'),
)

/** What a test may not touch in a process that other files share: the process itself and its clock. */
const NEEDS_OWN_PROCESS = /(?<![.\w])process\.(?!cwd|execPath|hrtime|platform|ts\b|version)|mock\.timers|globalThis/

/** A process with several files loads and compiles the service once for all of them. One that took longer would be left
 *  over when all others have ended. */
const SECONDS_IN_A_BATCH = 90
const FILES_IN_A_BATCH = 60
/** Of a file that is not listed. */
const FEW_SECONDS = 2

const costOf = (unit: readonly string[]): number => unit.reduce((sum, file) => sum + (SECONDS[file] ?? FEW_SECONDS), 0)

/** Units of work in the order they are begun, the slow ones first: files of one suite by the batch, and by themselves those
 *  that cannot share a process. */
export function queueOf(tree: Tree, files: readonly string[]): string[][] {
  const units: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const suite = suiteOf(file)
    const canShare = !NEEDS_OWN_PROCESS.test(tree.get(file) ?? '')
    const batch = open.get(suite) ?? []
    const hasRoom = batch.length < FILES_IN_A_BATCH && costOf([...batch, file]) <= SECONDS_IN_A_BATCH
    if (canShare && hasRoom && batch.length > 0) batch.push(file)
    else {
      const unit = [file]
      units.push(unit)
      if (canShare) open.set(suite, unit)
    }
  }
  return units.sort((a, b) => costOf(b) - costOf(a))
}

export interface Selection {
  suites: readonly string[]
  grep?: string | undefined
  timeoutMs: number
}

/** Throws with one sentence on an argument it does not know: a mistyped suite must not run nothing and look green. */
export function parseArguments(args: readonly string[]): Selection {
  const values = new Map<string, string>()
  for (let at = 0; at < args.length; at += 1) {
    const [name, inline] = (args[at] as string).split(/=(.*)/s, 2) as [string, string | undefined]
    if (!['--only', '--grep', '--timeout'].includes(name))
      throw new RangeError(`unknown argument ${name}; known: --only suite,suite --grep text --timeout seconds`)
    const value = inline ?? args[++at]
    if (!value) throw new RangeError(`${name} needs a value`)
    values.set(name, value)
  }
  const suites = values.get('--only')?.split(',') ?? [...ORDER]
  const unknown = suites.filter((suite) => !(ORDER as readonly string[]).includes(suite))
  if (unknown.length > 0) throw new RangeError(`unknown suite ${unknown.join(', ')}; known: ${ORDER.join(', ')}`)
  const seconds = Number(values.get('--timeout') ?? 600)
  if (!(seconds > 0)) throw new RangeError('--timeout needs a number of seconds')
  return {
    suites: ORDER.filter((suite) => suites.includes(suite)),
    grep: values.get('--grep'),
    timeoutMs: seconds * 1000,
  }
}
