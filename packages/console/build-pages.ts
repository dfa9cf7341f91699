// What is built: the offline verifier as one HTML file, and what the pages load that the server makes for each request.
// The same sources give the same bytes, so a reader can compare the digest of a file.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD_VERSION, DOCTRINE } from '@orch/core'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')
const CONSOLE = 'packages/console'
const TEMPLATE = `${CONSOLE}/src/verify/index.html`

interface Bundle {
  text: string
  /** Every file that decides the bytes, by its path from the root of the checkout. */
  inputs: string[]
}

async function bundle(entry: string, minify: boolean): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(import.meta.dirname, 'src', entry)],
    bundle: true,
    minify,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  return { text: outputFiles[0]!.text, inputs: Object.keys(metafile.inputs) }
}

const hashOf = (text: string, encoding: 'hex' | 'base64'): string => createHash('sha256').update(text).digest(encoding)

/** By the name of the file that is written. */
const ENTRIES = {
  'pages.css': 'pages/pages.css',
  'theme.js': 'pages/theme.ts',
  'operator.js': 'operator/app.ts',
  'm1.js': 'm1/app.ts',
  'organs.js': 'organs/app.ts',
}

interface BuiltFile {
  name: string
  text: string
  sha256: string
}

/** The one style and the scripts, each a file of its own. Readers look at what they run: nothing is renamed or folded. */
export async function buildPageFiles(): Promise<{ files: BuiltFile[]; inputs: string[] }> {
  const built = await Promise.all(
    Object.entries(ENTRIES).map(async ([name, entry]) => ({ name, ...(await bundle(entry, false)) })),
  )
  const inputs = new Set([...built.flatMap((one) => one.inputs), `${CONSOLE}/build-pages.ts`])
  const files = built.map(({ name, text }) => ({ name, text, sha256: hashOf(text, 'hex') }))
  return { files, inputs: [...inputs].sort() }
}

/** Script and style inside, and a policy that names exactly their hashes and allows nothing else. */
export async function buildVerifyPage(): Promise<{ html: string; sha256: string; inputs: string[] }> {
  const [script, style] = await Promise.all([bundle('verify/main.ts', true), bundle('verify/styles.css', true)])
  const html = assemble(script.text.trimEnd(), style.text.trimEnd())
  const own = [TEMPLATE, `${CONSOLE}/build-pages.ts`, `${CONSOLE}/build.ts`, 'node_modules/esbuild/package.json']
  return { html, sha256: hashOf(html, 'hex'), inputs: [...script.inputs, ...style.inputs, ...own].sort() }
}

const policyFor = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(script, 'base64')}'`,
    `style-src 'sha256-${hashOf(style, 'base64')}'`,
    'img-src data:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ')

function assemble(script: string, style: string): string {
  // Either would end its element early, and the rest would be read as markup.
  if (/<\/script|<!--/i.test(script)) throw new Error('the script holds text that ends or hides a script element')
  if (/<\//.test(style)) throw new Error('the style holds text that ends a style element')
  const words: Record<string, string> = { POLICY: policyFor(script, style), VERSION: BUILD_VERSION, DOCTRINE }
  return [
    ['<style></style>', `<style>${style}</style>`],
    ['<script></script>', `<script>${script}</script>`],
    ...Object.entries(words).map(([name, word]) => [`%${name}%`, word]),
  ].reduce(
    (html, [mark, part]) => putIn(html, mark as string, part as string),
    readFileSync(join(ROOT, TEMPLATE), 'utf8'),
  )
}

function putIn(html: string, mark: string, part: string): string {
  const pieces = html.split(mark)
  if (pieces.length !== 2) throw new Error(`index.html must hold ${mark} exactly once`)
  return pieces.join(part)
}
