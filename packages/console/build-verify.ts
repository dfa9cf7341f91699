// The offline verifier as one HTML file: script and style inside, a policy that names exactly their hashes and allows
// nothing else. The same sources give the same bytes, so a reader can compare the file's digest.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BUILD_VERSION, DOCTRINE } from '@orch/core'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCE = join(import.meta.dirname, 'src', 'verify')

export interface VerifyPage {
  html: string
  sha256: string
  /** Every file that decides the bytes, by its path from the root of the checkout. */
  inputs: string[]
}

export async function buildVerifyPage(): Promise<VerifyPage> {
  const [script, style] = await Promise.all([bundle('main.ts'), bundle('styles.css')])
  const html = assemble(script.text, style.text)
  return { html, sha256: sha256Hex(html), inputs: inputsOf([...script.files, ...style.files]) }
}

async function bundle(entry: string): Promise<{ text: string; files: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(SOURCE, entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  return { text: outputFiles[0]!.text.trimEnd(), files: Object.keys(metafile.inputs) }
}

export const policyFor = (script: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src '${hashSource(script)}'`,
    `style-src '${hashSource(style)}'`,
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
  ].reduce((html, [mark, part]) => putIn(html, mark as string, part as string), template())
}

function putIn(html: string, mark: string, part: string): string {
  const pieces = html.split(mark)
  if (pieces.length !== 2) throw new Error(`index.html must hold ${mark} exactly once`)
  return pieces.join(part)
}

const inputsOf = (bundled: readonly string[]): string[] =>
  [
    ...bundled,
    relative(ROOT, join(SOURCE, 'index.html')),
    ...['build-verify.ts', 'build.ts'].map((name) => relative(ROOT, join(import.meta.dirname, name))),
    'node_modules/esbuild/package.json',
  ]
    .map((path) => path.replaceAll('\\', '/'))
    .sort()

const template = (): string => readFileSync(join(SOURCE, 'index.html'), 'utf8')
const hashSource = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`
const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')
