// Writes the digest of sealed data files anew: `node scripts/seal-data.ts packages/server/data/frontier.json ...`. Run it
// after a reviewed change; the service refuses a file whose digest is not that of its payload.
import { readFileSync, writeFileSync } from 'node:fs'
import { sealOf } from '../packages/server/src/platform/sealed-file.ts'

for (const file of process.argv.slice(2)) {
  const { schema, payload } = JSON.parse(readFileSync(file, 'utf8'))
  const sha256 = sealOf(payload)
  writeFileSync(file, `${JSON.stringify({ schema, sha256, payload }, null, 2)}\n`)
  console.log(`${file} ${sha256}`)
}
