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
    ...verifierOf(file('verify.html').text),
    sheet: file('pages.css'),
    theme: file('theme.js'),
    operator: file('operator.js'),
    model: file('m1.js'),
    organs: file('organs.js'),
  }
}

const FILES = ['verify.html', 'pages.css', 'theme.js', 'operator.js', 'm1.js', 'organs.js']

interface Stamp {
  outputs: Record<string, string>
  inputs: { path: string; size: number; mtime_ms: number }[]
}

/** Sizes and times of every source are those of the last build and the files are those it wrote. In doubt the build
 *  looks at the contents. */
function isUntouched(root: string, built: string): boolean {
  try {
    const { outputs = {}, inputs }: Partial<Stamp> = JSON.parse(readFileSync(join(built, 'stamp.json'), 'utf8'))
    if (inputs === undefined || !FILES.every((name) => outputs[name] === sha256Hex(readFileSync(join(built, name)))))
      return false
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

/** Policy and style are read from the page itself, so that header and page cannot say different things. */
function verifierOf(html: string): Pick<Pages, 'verify' | 'style' | 'styleSource'> {
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(html)?.[1]
  const style = /<style>([^<]*)<\/style>/.exec(html)?.[1]
  const styleSource = policy && /style-src ('sha256-[^']+')/.exec(policy)?.[1]
  if (!policy || !style || !styleSource) throw new Error('the built page has no policy or no style; build it again')
  return { verify: { html, sha256: sha256Hex(html), policy }, style, styleSource }
}

const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
