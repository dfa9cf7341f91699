// Writes manifest.json: every other file of this folder with its length and digest, and the digest of the logits that a
// forward pass must repeat.
//   node packages/server/models/m1/seal.ts
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { reloadModel } from '../../src/features/m1/io/job.ts'
import { manifestText } from '../../src/features/m1/manifest.ts'
import { PROVIDER_ID } from '../../src/features/m1/schemas.ts'

const folder = import.meta.dirname
const prompt = 'A receipt is'
const files = readdirSync(folder)
  .filter((name) => name !== 'manifest.json' && name !== '__pycache__')
  .sort()
  .map((path) => {
    const bytes = readFileSync(`${folder}/${path}`)
    return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
const digestOf = (name: string) => files.find(({ path }) => path === name)!.sha256
const digests = {
  weights: digestOf('weights.safetensors'),
  tokenizer: digestOf('tokenizer.json'),
  config: digestOf('config.json'),
}
const reload = { prompt, logits_sha256: reloadModel({ place: { folder, digests }, prompt }) }
writeFileSync(`${folder}/manifest.json`, manifestText({ candidate_id: 'm1', provider_id: PROVIDER_ID, reload, files }))
