/** What a Rekor v1 log answers, as far as it has the right shape. The log's operator controls every field: each one is
 *  bounded and typed here, so that what verifies it later meets nothing else. */
import { base64Decode } from '@orch/core'
import Type from 'typebox'
import { read } from '../../platform/shape.ts'

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

const MAX_PATH = 64
/** The last 64 digits are the leaf hash; a sharded log puts the number of its tree before them. */
const UUID = /^(?:[0-9a-f]{16})?[0-9a-f]{64}$/
const Hex64 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Entry = Type.Object({
  body: Type.String(),
  integratedTime: Position,
  logID: Hex64,
  logIndex: Position,
  verification: Type.Object({
    inclusionProof: Type.Object({
      logIndex: Position,
      treeSize: Position,
      rootHash: Hex64,
      hashes: Type.Array(Hex64, { maxItems: MAX_PATH }),
      checkpoint: Type.String(),
    }),
    signedEntryTimestamp: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
})
const Reply = Type.Record(Type.String(), Entry, { minProperties: 1, maxProperties: 1 })

/** Exactly one entry under its uuid; null for any other shape. */
export function readEntry(value: unknown): LogEntry | null {
  const reply = read(Reply, value)
  const [uuid, entry] = (reply.ok && Object.entries(reply.value)[0]) || []
  if (uuid === undefined || entry === undefined || !UUID.test(uuid)) return null
  const { integratedTime, logID, logIndex, verification } = entry
  const { inclusionProof: proof, signedEntryTimestamp: promise = null } = verification
  const body = base64Decode(entry.body)
  const signedEntryTimestamp = promise === null ? null : base64Decode(promise)
  if (body === null || (promise !== null && signedEntryTimestamp === null)) return null
  const { logIndex: leaf_index, treeSize: tree_size, rootHash: root_hash, hashes, checkpoint } = proof
  const inclusion = { leaf_index, tree_size, root_hash, hashes, checkpoint }
  return { uuid, body, integratedTime, logID, logIndex, signedEntryTimestamp, proof: inclusion }
}
