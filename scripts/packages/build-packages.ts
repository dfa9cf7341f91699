// The packages that are used outside this checkout. Each holds everything it needs and names no other package: the name
// `@orch` may be somebody else's in a public registry, and an install must not bring theirs.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { buildVerifyPage } from '../../packages/console/build-pages.ts'
import { BUILD_VERSION } from '../../packages/core/src/doctrine.ts'
import { copyDeclarations, emitDeclarations } from './declarations.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The first Node 20 with everything that is used: the compiler of the packages cannot know. */
const ENGINES = { node: '>=20.3.0' }
const LICENCES = 'THIRD-PARTY-LICENSES.txt'
const PYTHON = ['check_pack.py', 'dsse.py']
/** What an auditor needs besides the evidence; the list of their digests is written next to them. */
const HANDED_OVER = ['orch.mjs', ...PYTHON, 'verify.html']

type PackageRow = {
  name: string
  description: string
  /** By the name in `exports`: the source file under `packages/` and the file it becomes. */
  entries: Record<string, { source: string; file: string }>
  platform: 'neutral' | 'node'
  bin?: Record<string, string>
  use: string
}

const PACKAGES: readonly PackageRow[] = [
  {
    name: 'core',
    description:
      'Verifies the receipts, ledgers and packs of orch without asking anybody: no I/O, no clock, no dependency',
    entries: { '.': { source: 'core/src/index.ts', file: 'index.js' } },
    platform: 'neutral',
    use: "import { importPublicKey, verifyAny } from '@orch/core'",
  },
  {
    name: 'client',
    description: 'Typed client of orch and govern(), which asks before a function runs',
    entries: { '.': { source: 'client/src/index.ts', file: 'index.js' } },
    platform: 'neutral',
    use: "import { createClient, govern } from '@orch/client'",
  },
  {
    name: 'cli',
    description: 'orch on the command line: verify, govern, ledger, review, pack',
    entries: { './verify': { source: 'cli/src/verify.ts', file: 'verify.js' } },
    platform: 'node',
    bin: { orch: './orch.mjs' },
    use: 'orch verify --help',
  },
]

type BuiltPackages = {
  /** The single file and the SHA-256 of its bytes, which are the same wherever this commit is built. */
  program: { file: string; sha256: string }
  packages: string[]
}

type Bundle = { text: string; licences: string }

/** Writes the packages and `orch.mjs` into `folder`, in place of those that lie there. */
export async function buildPackages(folder: string): Promise<BuiltPackages> {
  mkdirSync(folder, { recursive: true })
  const types = join(folder, '.types')
  const page = await buildVerifyPage()
  const [program] = await Promise.all([buildProgram(page.sha256), emitDeclarations(types)])
  try {
    const packages: string[] = []
    for (const row of PACKAGES) packages.push(await writePackage(row, folder, types))
    writeFileSync(join(folder, 'cli', LICENCES), program.licences)
    const file = join(folder, 'orch.mjs')
    for (const path of [file, join(folder, 'cli/orch.mjs')]) writeFileSync(path, program.text, { mode: 0o755 })
    writeFileSync(join(folder, 'verify.html'), page.html)
    for (const name of PYTHON) copyFileSync(join(ROOT, 'examples', name), join(folder, name))
    const sums = HANDED_OVER.map((name) => [name, sha256Of(readFileSync(join(folder, name)))] as const)
    writeFileSync(join(folder, 'SHA256SUMS'), sums.map(([name, sum]) => `${sum}  ${name}\n`).join(''))
    return { program: { file, sha256: sha256Of(program.text) }, packages }
  } finally {
    rmSync(types, { recursive: true, force: true })
  }
}

const sha256Of = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function buildProgram(pageSha256: string): Promise<Bundle> {
  const define = { VERIFY_PAGE_SHA256: JSON.stringify(pageSha256) }
  const { text, licences } = await bundle('cli/src/standalone.ts', { platform: 'node', define })
  const about = `// orch ${BUILD_VERSION}: everything it needs is in this file. Apache-2.0; https://www.apache.org/licenses/LICENSE-2.0\n`
  return { text: `#!/usr/bin/env node\n${about}${text}/*\n${licences.replaceAll('*/', '* /')}*/\n`, licences }
}

async function writePackage(row: PackageRow, folder: string, types: string): Promise<string> {
  const { name, description, entries, bin } = row
  const home = join(folder, name)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home)
  let licences = ''
  for (const { source, file } of Object.values(entries)) {
    const built = await bundle(source, { platform: row.platform })
    writeFileSync(join(home, file), built.text)
    licences ||= built.licences
    copyDeclarations(types, source, join(home, 'types'))
  }
  writeFileSync(join(home, LICENCES), licences)
  copyFileSync(join(ROOT, 'LICENSE'), join(home, 'LICENSE'))
  writeFileSync(join(home, 'README.md'), `# @orch/${name}\n\n${description}.\n\n    ${row.use}\n`)
  const files = [...Object.values(entries).map(({ file }) => file), ...(bin ? ['orch.mjs'] : [])]
  const manifest = {
    name: `@orch/${name}`,
    version: BUILD_VERSION,
    // Nobody publishes it by mistake under a name that is not theirs.
    private: true,
    description,
    license: 'Apache-2.0',
    type: 'module',
    engines: ENGINES,
    sideEffects: false,
    ...(bin && { bin }),
    exports: Object.fromEntries(
      Object.entries(entries).map(([path, { source, file }]) => [
        path,
        { types: `./types/${source.replace(/\.ts$/, '.d.ts')}`, default: `./${file}` },
      ]),
    ),
    files: [...files, 'types', LICENCES],
  }
  writeFileSync(join(home, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return home
}

/** One module with everything inside. Nothing is renamed or folded: readers look at what they run. */
async function bundle(source: string, options: BuildOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'packages', source)],
    bundle: true,
    format: 'esm',
    target: ['es2022', 'node20'],
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  return { text: outputFiles?.[0]?.text ?? '', licences: licencesOf(Object.keys(metafile?.inputs ?? {})) }
}

/** The licence of every library inside, in full, as each of them asks for. */
function licencesOf(inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
      const file = readdirSync(join(ROOT, folder)).find((entry) => /^licen[cs]e/i.test(entry))
      if (!file) throw new Error(`${folder} has no licence file`)
      return `${name} ${version} (${license})\n\n${readFileSync(join(ROOT, folder, file), 'utf8').trim()}\n\n`
    })
    .join('')
}
