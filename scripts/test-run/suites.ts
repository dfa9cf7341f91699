// Which test file belongs to which suite: by suffix and place, so that a new file needs no registration.
import { isTest, type Tree } from '../architecture-tree.ts'

export const SUITES: readonly (readonly [suite: string, file: RegExp])[] = [
  ['http', /\.http\.test\.tsx?$/],
  ['stores', /\.store\.test\.tsx?$/],
  ['browser', /\.browser\.test\.tsx?$/],
  ['cli', /\.cli\.test\.tsx?$/],
  ['docs', /\.docs\.test\.tsx?$|^docs\//],
  ['workshop', /^scripts\//],
  ['unit', /./],
]

/** In the order a reader wants them: what is cheap and fundamental first. */
export const ORDER = ['check', 'unit', 'workshop', 'http', 'stores', 'cli', 'docs', 'browser'] as const

export const suiteOf = (file: string): string => SUITES.find(([, pattern]) => pattern.test(file))?.[0] ?? 'unit'

export function groupBySuite(tree: Tree): Map<string, string[]> {
  const files = [...tree.keys()].filter(isTest).sort()
  return new Map(ORDER.map((suite) => [suite, files.filter((file) => suiteOf(file) === suite)]))
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
