// `npm run build`: the pages, the bundle of the service and the packages, then the record of what was built from what. The record is compared with the sources at
// every start, so a build whose files were changed afterwards says so.
import { rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildWhereNeeded } from '../packages/console/build.ts'
import { bundleWhereNeeded } from '../packages/server/build.ts'
import { gitEnvironment } from '../packages/server/src/config/config.ts'
import { gatherBuildFacts, ROOT } from '../packages/server/src/features/identity/io/build-facts.ts'
import {
  BUILD_RECORD,
  BUILD_RECORD_SCHEMA,
  shippedFiles,
} from '../packages/server/src/features/identity/io/build-record.ts'
import { systemClock } from '../packages/server/src/platform/clock.ts'
import { mergesOf } from './build-merges.ts'
import { buildPackages } from './packages/build-packages.ts'

const FILE = join(ROOT, BUILD_RECORD)

const say = (line: string) => process.stderr.write(`${line}\n`)
await buildWhereNeeded(say)
await bundleWhereNeeded(say)
const { program } = await buildPackages(join(ROOT, 'dist'))
process.stdout.write(`${program.sha256}  ${relative(ROOT, program.file)}\n`)
// The record of the last build must not speak for this one.
rmSync(FILE, { force: true })
const facts = gatherBuildFacts({ gitSha: null, buildTime: null, gitEnvironment: gitEnvironment() }, systemClock)
const files = shippedFiles(ROOT)
const record = {
  schema: BUILD_RECORD_SCHEMA,
  git_sha: facts.gitSha.value,
  working_tree: facts.workingTree.value ?? 'UNKNOWN',
  version: facts.version.value,
  build_time: new Date(systemClock.now()).toISOString(),
  build_digest: facts.buildDigest.value,
  node: process.version,
  merges: facts.gitSha.source === 'git' ? mergesOf(ROOT) : [],
  files: Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1))),
}
writeFileSync(FILE, `${JSON.stringify(record, null, 2)}\n`)
process.stdout.write(`${JSON.stringify({ ...record, files: files.size })}\n`)
