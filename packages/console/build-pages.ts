// What the pages load that the server makes for each request: the one style and the scripts, each a file of its own.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCE = join(import.meta.dirname, 'src')

/** By the name of the file that is written. */
const ENTRIES = { 'pages.css': 'pages/pages.css', 'theme.js': 'pages/theme.ts', 'operator.js': 'operator/app.ts' }

export interface BuiltFile {
  name: string
  text: string
  sha256: string
}

export async function buildPageFiles(): Promise<{ files: BuiltFile[]; inputs: string[] }> {
  const built = await Promise.all(Object.entries(ENTRIES).map(([name, entry]) => bundle(name, entry)))
  const inputs = new Set([...built.flatMap((one) => one.inputs), 'packages/console/build-pages.ts'])
  return { files: built.map(({ file }) => file), inputs: [...inputs].sort() }
}

async function bundle(name: string, entry: string): Promise<{ file: BuiltFile; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(SOURCE, entry)],
    bundle: true,
    // Readers look at what they run: nothing is renamed or folded.
    minify: false,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const text = outputFiles[0]!.text
  return { file: { name, text, sha256: sha256Hex(text) }, inputs: Object.keys(metafile.inputs) }
}

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')
