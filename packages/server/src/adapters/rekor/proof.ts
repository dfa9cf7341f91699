/** The proof that came with an entry, checked here: path, signed tree head and promise of inclusion. */
import {
  base64Decode,
  canonicalBytes,
  hexDecode,
  hexEncode,
  leafHash,
  type PublicKey,
  parseCheckpoint,
  parseNote,
  utf8Encode,
  verifyInclusion,
  verifyP256,
} from '@orch/core'

/** One entry of a reply, as far as it has the right shape. */
export interface LogEntry {
  uuid: string
  body: Uint8Array
  bodyText: string
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
const LONGEST_PATH = 64

type Fields = Record<string, unknown>
const isRecord = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Exactly one entry under its uuid; null for any other shape. */
export function readEntry(reply: unknown): LogEntry | null {
  const entries = isRecord(reply) ? Object.entries(reply) : []
  const [uuid, entry] = entries[0] ?? []
  if (entries.length !== 1 || uuid === undefined || !UUID.test(uuid) || !isRecord(entry)) return null
  const { body: bodyText, integratedTime, logID, logIndex, verification } = entry
  const body = typeof bodyText === 'string' ? base64Decode(bodyText) : null
  if (typeof bodyText !== 'string' || body === null || !isPosition(integratedTime) || !isPosition(logIndex)) return null
  if (typeof logID !== 'string' || !HEX64.test(logID) || !isRecord(verification)) return null
  const proof = readProof(verification.inclusionProof)
  const promise = readPromise(verification.signedEntryTimestamp)
  if (proof === null || promise === undefined) return null
  return { uuid, body, bodyText, integratedTime, logID, logIndex, signedEntryTimestamp: promise, proof }
}

function readProof(value: unknown): InclusionProof | null {
  if (!isRecord(value)) return null
  const { logIndex, treeSize, rootHash, hashes, checkpoint } = value
  if (!isPosition(logIndex) || !isPosition(treeSize) || typeof checkpoint !== 'string') return null
  if (typeof rootHash !== 'string' || !HEX64.test(rootHash)) return null
  if (!Array.isArray(hashes) || hashes.length > LONGEST_PATH) return null
  if (!hashes.every((hash) => typeof hash === 'string' && HEX64.test(hash))) return null
  return { leaf_index: logIndex, tree_size: treeSize, root_hash: rootHash, hashes, checkpoint }
}

/** Null where there is none, undefined for something that is no signature. */
function readPromise(value: unknown): Uint8Array | null | undefined {
  if (value === undefined || value === null) return null
  return (typeof value === 'string' ? base64Decode(value) : null) ?? undefined
}

/** Why the proof does not show that the pinned log holds this entry, or null. */
export async function proofFault(entry: LogEntry, logKey: PublicKey): Promise<string | null> {
  const { proof, body } = entry
  const leaf = leafHash(body)
  if (!entry.uuid.endsWith(hexEncode(leaf))) return 'the uuid is not that of the entry'
  if (entry.logID !== logKey.keyid) return 'the entry is of another log than the pinned one'
  const root = hexDecode(proof.root_hash)!
  const claim = {
    leafHash: leaf,
    leafIndex: proof.leaf_index,
    treeSize: proof.tree_size,
    root,
    hashes: proof.hashes.map((hash) => hexDecode(hash)!),
  }
  if (!verifyInclusion(claim)) return 'the path does not lead from the entry to the root it states'
  return (await treeHeadFault(proof, logKey)) ?? (await promiseFault(entry, logKey))
}

/** The root counts when the pinned key signed it for this size. */
async function treeHeadFault(proof: InclusionProof, logKey: PublicKey): Promise<string | null> {
  const note = parseNote(proof.checkpoint)
  const head = note && parseCheckpoint(note.text)
  if (!note || !head) return 'the signed tree head cannot be read'
  const hint = Number.parseInt(logKey.keyid.slice(0, 8), 16)
  const ours = note.signatures.filter(({ keyHash }) => keyHash === hint)
  if (ours.length === 0) return 'the tree head is not signed by the pinned key'
  for (const { signature } of ours)
    if (!(await verifyP256(logKey, utf8Encode(note.text), signature))) return 'the signature of the tree head is wrong'
  const same = head.size === proof.tree_size && hexEncode(head.root) === proof.root_hash
  return same ? null : 'the signed tree head states another root or size'
}

async function promiseFault(entry: LogEntry, logKey: PublicKey): Promise<string | null> {
  if (entry.signedEntryTimestamp === null) return null
  const { bodyText: body, integratedTime, logID, logIndex } = entry
  const message = canonicalBytes({ body, integratedTime, logID, logIndex })
  return (await verifyP256(logKey, message, entry.signedEntryTimestamp)) ? null : 'the signed timestamp is wrong'
}
