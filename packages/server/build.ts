// Exists for memory and for speed: bundles the service, so that it and its threads load a few files instead of two thousand.
// After 100,000 decisions over 32 connections the service holds about 100 MiB less than one that runs its sources
// (`npm run bench -- --memory`). Each bundle has a folder of its own, named by the digest of the sources it was made of, and
// `dist/main.mjs` starts the newest: a service that runs keeps its files when another bundle is made.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'
import { digestOfFiles, shippedFiles } from './src/features/identity/io/build-record.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCES = join(import.meta.dirname, 'src')
const BUILT = join(import.meta.dirname, 'dist')
const STARTER = 'main.mjs'
/** SHA-256 by name of every other file of a bundle. */
const CONTENTS = 'contents.json'
/** The newest and what may still run. */
const MAX_KEPT = 3

/** Packages that look for files of their own when they run. */
export const OWN_FILES = /^(?:@cedar-policy|quickjs|@jitl|pino|esbuild|pg|canvas)/

/** Modules of the older kind ask for the modules of Node with this. */
export const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)"

/** An `import` of Node's HTTP reads all it exports, and so loads a client that nobody uses: 50 ms of processor time for each
 *  process and each thread. What is required reads what is used. */
export const requiredHttp: Plugin = {
  name: 'required http',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === 'require-call' ? null : { path: 'node:http', namespace: 'required' },
    )
    onLoad({ filter: /./, namespace: 'required' }, () => ({ contents: "module.exports = require('node:http')" }))
  },
}

/** How a module names the program of a thread or the module of a job. */
const PROGRAM = /new URL\('(\.\.?\/[^']+\.ts)', import\.meta\.url\)/g

/** Says whether it built anything. */
export async function bundleWhereNeeded(say: (line: string) => void, built: string = BUILT): Promise<boolean> {
  const digest = digestOfFiles(shippedFiles(ROOT))
  const name = digest.replace('sha256:', '').slice(0, 16)
  const folder = join(built, name)
  const isBuilt = !isWhole(folder)
  if (isBuilt) {
    say('bundling the service')
    // Not among the sources, whose digest would count it.
    const draft = join(ROOT, 'node_modules', '.cache', `orch-bundle-${process.pid}`)
    try {
      await bundleService(join(SOURCES, 'main.ts'), { folder: draft, place: folder, digest })
      writeFileSync(join(draft, CONTENTS), JSON.stringify(contentsOf(draft)))
      mkdirSync(built, { recursive: true })
      putInPlace(draft, folder)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  startWith(built, name)
  if (isBuilt) removeOld(built)
  return isBuilt
}

/** A damaged bundle gives way; one that another start has put there in the meantime is the same. */
function putInPlace(draft: string, folder: string): void {
  if (!isWhole(folder)) rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!isWhole(folder)) throw error
  }
}

function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name !== CONTENTS)
  return Object.fromEntries(
    names.sort().map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  )
}

function isWhole(folder: string): boolean {
  try {
    return readFileSync(join(folder, CONTENTS), 'utf8') === JSON.stringify(contentsOf(folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function startWith(built: string, name: string): void {
  const [file, text] = [join(built, STARTER), `import './${name}/main.mjs'\n`]
  try {
    if (readFileSync(file, 'utf8') === text) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}

function removeOld(built: string): void {
  const bundles = readdirSync(built).filter((name) => name !== STARTER)
  const ages = bundles.map((name) => ({ name, made: statSync(join(built, name)).mtimeMs }))
  for (const { name } of ages.sort((one, other) => other.made - one.made).slice(MAX_KEPT))
    rmSync(join(built, name), { recursive: true, force: true })
}

interface Bundle {
  /** Where it is written. */
  folder: string
  /** Where it will lie. */
  place: string
  /** Of the sources; it does not start beside others. */
  digest: string
}

/** Bundles a program, all threads of the service and all jobs into a folder, where the program keeps its name. */
export async function bundleService(main: string, { folder, place, digest }: Bundle): Promise<void> {
  const { build } = await import('esbuild')
  mkdirSync(folder, { recursive: true })
  const programs = await programsIn(SOURCES)
  await build({
    ...{ absWorkingDir: ROOT, outdir: folder, outExtension: { '.js': '.mjs' } },
    entryPoints: {
      [basename(main, '.ts')]: main,
      ...Object.fromEntries([...programs].map((path) => [nameOf(path), path])),
    },
    ...{ bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'esnext', legalComments: 'none' },
    // The text of a module lies in memory for as long as its functions may be compiled again: 11 MB instead of 14.
    ...{ minifyWhitespace: true, minifySyntax: true, lineLimit: 120 },
    define: { BUNDLE_MADE_OF: JSON.stringify(digest) },
    banner: { js: REQUIRE },
    plugins: [requiredHttp, bundledPlaces(programs, place)],
    logLevel: 'warning',
  })
}

const nameOf = (program: string): string => relative(SOURCES, program).replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-')

async function programsIn(folder: string): Promise<Set<string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/testing[\\/]/.test(path),
  )
  const found = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(folder, path), 'utf8')
      return [...text.matchAll(PROGRAM)].map(([, to]) => resolve(folder, dirname(path), to!))
    }),
  )
  return new Set(found.flat())
}

/** A bundled module finds its programs among the bundles, and all other files where its source lies. The bundle can be
 *  moved together with the checkout. One letter of ours beyond Latin-1 would make V8 hold two bytes for each of its file. */
function bundledPlaces(programs: ReadonlySet<string>, folder: string): Plugin {
  return {
    name: 'bundled places',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: OWN_FILES }, ({ path }) => ({ path, external: true }))
      onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
        const place = relative(folder, path).replaceAll('\\', '/')
        const places: Record<string, string> = {
          bundle: 'import.meta.url',
          url: `new URL(${JSON.stringify(place)}, import.meta.url).href`,
          dirname: `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`,
        }
        const contents = (await readFile(path, 'utf8'))
          .replace(PROGRAM, (all, to: string) => {
            const program = resolve(dirname(path), to)
            return programs.has(program) ? `new URL('./${nameOf(program)}.mjs', import.meta.bundle)` : all
          })
          .replace(/\bimport\.meta\.(bundle|url|dirname)\b/g, (_all, name: string) => places[name]!)
          .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        return { contents, loader: 'ts' }
      })
    },
  }
}

if (import.meta.main) {
  try {
    await bundleWhereNeeded((line) => process.stderr.write(`orch: ${line}\n`))
  } catch (error) {
    process.stderr.write(`orch: the service could not be bundled: ${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
