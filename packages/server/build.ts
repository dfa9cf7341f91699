// Exists for memory and for speed: bundles the service, so that it and its threads load a few files instead of two thousand.
// After 100,000 decisions over 32 connections the service holds about 100 MiB less than one that runs its sources
// (`npm run bench -- --spread --only decision --connections 32`). A bundle names the digest of the sources it was made of;
// a start with other ones is refused.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { digestOfFiles, shippedFiles } from './src/features/identity/io/build-record.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCES = join(import.meta.dirname, 'src')
const BUILT = join(import.meta.dirname, 'dist')
const MADE_OF = 'made-of.txt'

/** Packages that look for files of their own when they run. */
export const OWN_FILES = /^(?:@cedar-policy|quickjs|@jitl|pino|esbuild|pg|canvas)/

/** Modules of the older kind ask for the modules of Node with this. */
export const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)"

/** How a module names the program of a thread or the module of a job. */
const PROGRAM = /new URL\('(\.\.?\/[^']+\.ts)', import\.meta\.url\)/g

/** Says whether it built anything. */
export async function bundleWhereNeeded(say: (line: string) => void): Promise<boolean> {
  const digest = digestOfSources()
  if (madeOf() === digest) return false
  say('bundling the service')
  const draft = `${BUILT}.${process.pid}`
  try {
    await bundleService(join(SOURCES, 'main.ts'), draft)
    writeFileSync(join(draft, MADE_OF), `${digest}\n`)
    rmSync(BUILT, { recursive: true, force: true })
    renameSync(draft, BUILT)
  } catch (error) {
    // Another start has put the same bundle there in the meantime.
    if (madeOf() !== digest) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return true
}

const digestOfSources = (): string => digestOfFiles(shippedFiles(ROOT))

function madeOf(): string | null {
  try {
    return readFileSync(join(BUILT, MADE_OF), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Bundles a program, all threads of the service and all jobs into a folder, where the program keeps its name. */
export async function bundleService(main: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const programs = await programsIn(SOURCES)
  await build({
    ...{ absWorkingDir: ROOT, outdir: folder, outExtension: { '.js': '.mjs' } },
    entryPoints: {
      [basename(main, '.ts')]: main,
      ...Object.fromEntries([...programs].map((path) => [nameOf(path), path])),
    },
    ...{ bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'esnext', legalComments: 'none' },
    define: { BUNDLE_MADE_OF: JSON.stringify(digestOfSources()) },
    banner: { js: REQUIRE },
    plugins: [bundledPlaces(programs, folder)],
    logLevel: 'warning',
  })
}

const nameOf = (program: string): string => relative(SOURCES, program).replace(/\.ts$/, '').replaceAll('/', '-')

async function programsIn(folder: string): Promise<Set<string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('testing/'),
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
 *  moved together with the checkout. One letter beyond Latin-1 would make V8 hold two bytes for each of a file. */
function bundledPlaces(programs: ReadonlySet<string>, folder: string): Plugin {
  return {
    name: 'bundled places',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: OWN_FILES }, ({ path }) => ({ path, external: true }))
      onLoad({ filter: /\/packages\/\w+\/src\/.*\.ts$/ }, async ({ path }) => {
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
