/** What a Rekor v1 log answers, as far as it has the right shape. The log’s operator controls every field: each one is
 *  bounded and typed here, so that what verifies it later meets nothing else. */
import { base64Decode } from '@orch/core'

/** One entry under its uuid. */
export interface LogEntry {
  uuid: string
  body: Uint8Array
  integratedTime: number
  logID: string
  logIndex: number
  signedEntryTimestamp: Uint8Array | null
  proof: InclusionProof
}

export interface InclusionProof {
  leaf_index: number
  tree_size: number
  root_hash: string
  hashes: string[]
  checkpoint: string
}

const HEX64 = /^[0-9a-f]{64}$/
/** The last 64 digits are the leaf hash; a sharded log puts the number of its tree before them. */
const UUID = /^(?:[0-9a-f]{16})?[0-9a-f]{64}$/
const MAX_PATH = 64

type Fields = Record<string, unknown>
const isRecord = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Exactly one entry under its uuid; null for any other shape. */
export function readEntry(reply: unknown): LogEntry | null {
  const entries = isRecord(reply) ? Object.entries(reply) : []
  const [uuid, entry] = entries[0] ?? []
  if (entries.length !== 1 || uuid === undefined || !UUID.test(uuid) || !isRecord(entry)) return null
  const { integratedTime, logID, logIndex, verification } = entry
  const body = typeof entry.body === 'string' ? base64Decode(entry.body) : null
  if (body === null || !isPosition(integratedTime) || !isPosition(logIndex)) return null
  if (typeof logID !== 'string' || !HEX64.test(logID) || !isRecord(verification)) return null
  const proof = readProof(verification.inclusionProof)
  const promise = readPromise(verification.signedEntryTimestamp)
  if (proof === null || promise === undefined) return null
  return { uuid, body, integratedTime, logID, logIndex, signedEntryTimestamp: promise, proof }
}

function readProof(value: unknown): InclusionProof | null {
  if (!isRecord(value)) return null
  const { logIndex, treeSize, rootHash, hashes, checkpoint } = value
  if (!isPosition(logIndex) || !isPosition(treeSize) || typeof checkpoint !== 'string') return null
  if (typeof rootHash !== 'string' || !HEX64.test(rootHash)) return null
  if (!Array.isArray(hashes) || hashes.length > MAX_PATH) return null
  if (!hashes.every((hash) => typeof hash === 'string' && HEX64.test(hash))) return null
  return { leaf_index: logIndex, tree_size: treeSize, root_hash: rootHash, hashes, checkpoint }
}

/** Null where there is none, undefined for something that is no signature. */
function readPromise(value: unknown): Uint8Array | null | undefined {
  if (value === undefined || value === null) return null
  return (typeof value === 'string' ? base64Decode(value) : null) ?? undefined
}
