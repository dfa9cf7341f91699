// Exists for speed alone. The service is some two thousand modules, which every process and every thread that a test starts
// would find, read and compile one by one. `npm test` bundles the programs of those once, and the processes of a run start the
// bundle wherever they would start its source: a service is up after 1.8 s of processor time instead of 3.7, and a thread of
// the ledger after 0.1 instead of 0.2 (`time node packages/server/src/main.ts`, ended when it is up, beside the bundle).
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { OWN_FILES, REQUIRE, requiredHttp } from '../../packages/server/build.ts'

const THREADS = [
  'packages/server/src/governance/workers/gate-worker.ts',
  'packages/server/src/ledger/threads/reader.ts',
  'packages/server/src/ledger/threads/worker.ts',
  'packages/server/testing/gate-workers/exiting-worker.ts',
  'packages/server/testing/gate-workers/faulty-worker.ts',
  'packages/server/testing/gate-workers/quick-worker.ts',
]
const PROCESSES = [
  'packages/cli/orch.mjs',
  'packages/server/src/adapters/credentials-tool.ts',
  'packages/server/src/governance/policy/tool.ts',
  'packages/server/src/ledger/tools/tool.ts',
  'packages/server/src/ledger/tools/witness.ts',
  'packages/server/src/main.ts',
  'packages/server/src/replay-organ.ts',
  'packages/server/testing/layer-service.ts',
  'packages/server/testing/ledger/writer.ts',
  'packages/server/testing/patient-service.ts',
]

/** A module in a bundle looks for its files where its source lies. */
const sourcePlaces: Plugin = {
  name: 'source places',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: OWN_FILES }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /\/packages\/\w+\/(?:src|testing)\/.*\.ts$|\/orch\.mjs$/ }, async ({ path }) => {
      const places = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path }
      const text = await readFile(path, 'utf8')
      const contents = text.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_all, name: keyof typeof places) =>
        JSON.stringify(places[name]),
      )
      return { contents, loader: extname(path) === '.ts' ? 'ts' : 'js' }
    })
  },
}

/** Bundles the programs of the checkout at `root` into `folder`. */
export async function bundlePrograms(root: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const bundle = (entryPoints: string[]) =>
    build({
      ...{ absWorkingDir: root, entryPoints, outdir: folder, outbase: root, outExtension: { '.js': '.mjs' } },
      ...{ bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'esnext' },
      inject: ['scripts/test-run/replace-programs.ts'],
      define: { 'process.env.TEST_PROGRAMS': JSON.stringify(folder) },
      banner: { js: REQUIRE },
      plugins: [requiredHttp, sourcePlaces],
      logLevel: 'warning',
    })
  // In one file a program would load at its start what it imports only when it is asked for: for a thread of the ledger
  // that is the client of PostgreSQL and that of HTTP, a third of its start. Threads, of which there are most, share no
  // parts and so are few files each.
  await Promise.all([...THREADS.map((thread) => bundle([thread])), bundle(PROCESSES)])
}
