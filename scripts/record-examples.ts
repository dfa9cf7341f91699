// Records one reply of every operation from a service that runs for this, into the file that the interface description
// takes its examples from. Afterwards: `npm run check -- --write`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localRekor } from '../packages/server/testing/rekor/local-rekor.ts'
import { RECORDING_ENV, recordReplies } from '../packages/server/testing/reply-examples.ts'
import { startService } from '../packages/server/testing/service.ts'

const FILE = join(import.meta.dirname, '../packages/server/src/http/reply-examples.json')

const rekor = await localRekor()
const log = { ORCH_REKOR_URL: rekor.url, ORCH_REKOR_PUBLIC_KEY: rekor.publicKeyPem }
const service = await startService({ env: { ...RECORDING_ENV, ...log }, startMs: 120_000 })
try {
  const { examples, refused } = await recordReplies(service.url, service.data)
  writeFileSync(FILE, `${JSON.stringify(examples, null, 1)}\n`)
  for (const line of refused) process.stderr.write(`not recorded: ${line}\n`)
  process.stderr.write(`${Object.keys(examples).length} replies in ${FILE}\n`)
  if (refused.length > 0) process.exitCode = 1
} finally {
  await service.close()
  await rekor.close()
}
