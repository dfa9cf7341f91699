// `npm run build`: the pages, then the record of what was built from what. The record is compared with the sources at
// every start, so a build whose files were changed afterwards says so.
import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildWhereNeeded } from '../packages/console/build.ts'
import { gatherBuildFacts } from '../packages/server/src/adapters/build-facts.ts'
import { systemClock } from '../packages/server/src/adapters/clock.ts'

const RECORD = fileURLToPath(new URL('../build-record.json', import.meta.url))

await buildWhereNeeded((line) => process.stderr.write(`${line}\n`))
// The record of the last build must not speak for this one.
rmSync(RECORD, { force: true })
const facts = gatherBuildFacts({ gitSha: null, buildTime: null }, systemClock)
const record = {
  schema: 'orch.build-record/v1',
  git_sha: facts.gitSha.value,
  working_tree: facts.workingTree.value ?? 'UNKNOWN',
  version: facts.version.value,
  build_time: new Date(systemClock.now()).toISOString(),
  build_digest: facts.buildDigest.value,
  node: process.version,
}
writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
process.stdout.write(`${JSON.stringify(record)}\n`)
