// What is built: the offline verifier as one HTML file, the console as a page with hashed assets, and what the pages load
// that the server makes for each request.
// The same sources give the same bytes, so a reader can compare the digest of a file.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { BUILD_VERSION, DOCTRINE } from '@orch/core'
import { type BuildOptions, build } from 'esbuild'
import { PAGES } from './src/console/pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CONSOLE = 'packages/console'
const PAGE = `${CONSOLE}/src/console/index.html`
const TEMPLATE = `${CONSOLE}/src/verify/index.html`

interface Bundle {
  text: string
  /** Every file that decides the bytes, by its path from the root of the checkout. */
  inputs: string[]
}

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  target: 'es2022',
  charset: 'ascii',
  metafile: true,
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions

async function bundle(entry: string, minify: boolean): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...COMMON,
    entryPoints: [join(import.meta.dirname, 'src', entry)],
    minify,
    format: 'iife',
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

const ASSETS = 'console'
/** Written by the build itself: no file has this name. */
const STYLE_ENTRY = `${CONSOLE}/src/console/style.css`
const CONSOLE_SOURCES = join(import.meta.dirname, 'src', 'console')

/** The console: one page that loads hashed files, and the names of its pages for whoever serves it. What only one page
 *  needs is a file that comes with that page. */
export async function buildConsole(): Promise<{ files: BuiltFile[]; inputs: string[] }> {
  const outdir = join(import.meta.dirname, 'dist', ASSETS)
  const { outputFiles, metafile } = await build({
    ...COMMON,
    entryPoints: { main: `${CONSOLE}/src/console/main.tsx` },
    stdin: { contents: styleEntry(), loader: 'css', resolveDir: CONSOLE_SOURCES, sourcefile: basename(STYLE_ENTRY) },
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    minify: true,
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const assets = outputFiles.map(({ path, text }) => ({ name: `${ASSETS}/${basename(path)}`, text }))
  const named = (start: string): string =>
    basename(assets.find(({ name }) => name.startsWith(`${ASSETS}/${start}-`))!.name)
  const html = [
    ['%STYLE%', named('stdin')],
    ['%SCRIPT%', named('main')],
  ].reduce((page, [mark, name]) => putIn(page, mark as string, name as string), readFileSync(join(ROOT, PAGE), 'utf8'))
  const pages = JSON.stringify(PAGES.map(({ name }) => name))
  const all = [{ name: `${ASSETS}/index.html`, text: html }, { name: `${ASSETS}/pages.json`, text: pages }, ...assets]
  const own = [PAGE, `${CONSOLE}/build-pages.ts`]
  return {
    files: all.map(({ name, text }) => ({ name, text, sha256: hashOf(text, 'hex') })),
    inputs: [...new Set([...Object.keys(metafile.inputs).filter((path) => path !== STYLE_ENTRY), ...own])].sort(),
  }
}

/** The frame's style and that of every page which has one, so that a page is one folder and one line in the list. */
const styleEntry = (): string =>
  ['styles.css', ...PAGES.map(({ name }) => `pages/${name}/style.css`)]
    .filter((path) => existsSync(join(CONSOLE_SOURCES, path)))
    .map((path) => `@import "./${path}";`)
    .join('\n')

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
  if (pieces.length !== 2) throw new Error(`the page must hold ${mark} exactly once`)
  return pieces.join(part)
}
