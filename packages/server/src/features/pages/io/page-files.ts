/** The built pages. Looked at once, at start: a page older than its sources is built again or the start is refused. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PageFile, Pages } from '../../../ports.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..', '..', '..')

export async function loadPages(root: string = ROOT): Promise<Pages> {
  const built = join(root, 'packages', 'console', 'dist')
  if (!isUntouched(root, built)) await buildPages(root)
  const file = (name: string): PageFile => {
    const text = readFileSync(join(built, name), 'utf8')
    return { text, sha256: sha256Hex(text) }
  }
  return {
    verify: verifierOf(file('verify.html').text),
    sheet: file('pages.css'),
    theme: file('theme.js'),
    operator: file('operator.js'),
    model: file('m1.js'),
    console: readConsole(built, file),
  }
}

/** What the last build wrote, and no file that an earlier one left. */
function readConsole(built: string, file: (name: string) => PageFile): Pages['console'] {
  const names = Object.keys(readStamp(built).outputs ?? {}).filter((name) => /^console\/[\w-]+\.(?:js|css)$/.test(name))
  return {
    html: file('console/index.html').text,
    pages: JSON.parse(file('console/pages.json').text) as string[],
    assets: new Map(names.map((name) => [name.slice('console/'.length), file(name)])),
  }
}

const readStamp = (built: string): Partial<Stamp> => JSON.parse(readFileSync(join(built, 'stamp.json'), 'utf8'))

const FILES = [
  'verify.html',
  'pages.css',
  'theme.js',
  'operator.js',
  'm1.js',
  'console/index.html',
  'console/pages.json',
]

interface Stamp {
  outputs: Record<string, string>
  inputs: { path: string; size: number; mtime_ms: number }[]
}

/** Sizes and times of every source are those of the last build and the files are those it wrote. In doubt the build
 *  looks at the contents. */
function isUntouched(root: string, built: string): boolean {
  try {
    const { outputs = {}, inputs } = readStamp(built)
    const isWritten = ([name, sha256]: [string, string]) => sha256 === sha256Hex(readFileSync(join(built, name)))
    if (inputs === undefined || !FILES.every((name) => name in outputs)) return false
    if (!Object.entries(outputs).every(isWritten)) return false
    return inputs.every(({ path, size, mtime_ms }) => {
      const found = statSync(join(root, path))
      return found.size === size && found.mtimeMs === mtime_ms
    })
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** In a process of its own: the bundler has no business in this one. */
async function buildPages(root: string): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [join(root, 'packages', 'console', 'build.ts')], { timeout: 60_000 })
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    const said = stderr?.trim().split('\n').at(-1)
    throw new Error(said ? said : `the pages could not be built: ${message}`)
  }
}

/** The policy is read from the page itself, so that header and page cannot say different things. */
function verifierOf(html: string): Pages['verify'] {
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html)?.[1]
  if (!policy) throw new Error('the built page has no policy; build it again')
  return { html, sha256: sha256Hex(html), policy }
}

const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
