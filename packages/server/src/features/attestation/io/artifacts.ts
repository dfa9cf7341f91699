/** Files of this build that the evidence speaks about, read anew for every request. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArtifactName, Artifacts } from '../../../ports.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..', '..', '..')

/** Names are a closed list and never become a path. */
const FILES: Readonly<Record<ArtifactName, string>> = {
  'formula-registry': 'packages/core/src/formulas/formula-registry.json',
  'chain-of-title-policy': 'policies/chain_of_title.rego',
  lockfile: 'package-lock.json',
  advisories: 'packages/server/data/advisories.sample.json',
  'frontier-projects': 'packages/server/data/frontier.json',
  'specified-routes': 'packages/server/data/specified-routes.json',
  'materials-formation': 'packages/server/data/materials/formation.json',
  'materials-elements': 'packages/server/data/materials/elements.json',
  'pinn-bench': 'packages/server/data/pinn/bench.json',
  'pinn-bench-digest': 'packages/server/data/pinn/bench.json.sha256',
  'm1-corpus': 'packages/server/models/m1/corpus-manifest.json',
  'm1-training': 'packages/server/models/m1/training-receipt.json',
  'm1-weights': 'packages/server/models/m1/weights.safetensors',
  'bench-results': 'bench/results.json',
  'evidence-golden-vectors': 'vectors/golden.json',
  'evidence-decision-vectors': 'vectors/decisions.json',
  'evidence-claim-vectors': 'vectors/claims.json',
  'evidence-chain-test': 'packages/core/src/chain.test.ts',
  'evidence-merkle-test': 'packages/core/src/merkle.test.ts',
  'evidence-build-test': 'packages/server/src/features/identity/io/build-facts.test.ts',
  'evidence-meter-test': 'packages/server/src/adapters/meters/meters.http.test.ts',
  'evidence-transport-test': 'packages/server/src/adapters/outbound/addresses.test.ts',
}

const MAX_TEXT_BYTES = 1_048_576

export const artifacts = (root: string = ROOT): Artifacts => ({
  async text(name) {
    const path = FILES[name]
    const bytes = await readFile(join(root, path)).catch(reasonOf)
    if (typeof bytes === 'string') return { path, present: false, reason: bytes }
    if (bytes.length > MAX_TEXT_BYTES) return { path, present: false, reason: 'the file is too long for its kind' }
    return { path, present: true, bytes: bytes.length, sha256: sha256(bytes), text: bytes.toString('utf8') }
  },
  async digest(name) {
    const path = FILES[name]
    const found = await digestOf(join(root, path)).catch(reasonOf)
    return typeof found === 'string' ? { path, present: false, reason: found } : { path, present: true, ...found }
  },
})

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function digestOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(part)
    bytes += part.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Why a file gives nothing: a finding that is stated, never passed over. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT' ? 'the file is not part of this build' : `the file cannot be read (${error.code})`
}
