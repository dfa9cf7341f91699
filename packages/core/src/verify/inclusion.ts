// Inclusion in the transparency log. The path and the root both come with the file: alone they prove only that
// somebody built a tree. The root counts when a checkpoint signed by a pinned log key states it.
import { type CheckpointReport, verifyCheckpoint } from '../checkpoint.ts'
import { hexDecode, hexEncode } from '../encoding.ts'
import { leafHash, verifyInclusion } from '../merkle.ts'
import { type Check, check } from './report.ts'
import { fieldFault, isHex64, isPosition, isRecord } from './shape.ts'
import type { Trust } from './trust.ts'

export type InclusionRecord = { leaf_index: number; tree_size: number; root: string; hashes: string[] }

/** A tree of 2^53 leaves has paths of 53 hashes. */
const MAX_PATH = 53

export function readInclusion(value: unknown): InclusionRecord | null {
  if (!isRecord(value) || fieldFault(value, ['leaf_index', 'tree_size', 'root', 'hashes'])) return null
  const { leaf_index, tree_size, root, hashes } = value
  if (!isPosition(leaf_index) || !isPosition(tree_size) || !isHex64(root)) return null
  if (!Array.isArray(hashes) || hashes.length > MAX_PATH || !hashes.every(isHex64)) return null
  return { leaf_index, tree_size, root, hashes }
}

export const recomputesRoot = (body: Uint8Array, { leaf_index, tree_size, root, hashes }: InclusionRecord): boolean =>
  verifyInclusion({
    leafHash: leafHash(body),
    leafIndex: leaf_index,
    treeSize: tree_size,
    root: hexDecode(root) as Uint8Array,
    hashes: hashes.map((hash) => hexDecode(hash) as Uint8Array),
  })

/** `inclusion` and `checkpoint` are as they came in the file; null or absent means that it has none. */
export async function checkInclusion(
  body: Uint8Array | null,
  inclusion: unknown,
  checkpoint: unknown,
  trust: Trust,
): Promise<Check> {
  if (inclusion === undefined || inclusion === null)
    return check('inclusion', 'UNAVAILABLE', 'no inclusion proof came with it')
  if (body === null) return check('inclusion', 'UNAVAILABLE', 'there are no readable bytes to prove')
  const proof = readInclusion(inclusion)
  if (!proof) return check('inclusion', 'MISMATCH', 'the inclusion proof is malformed')
  const details = { leaf_index: proof.leaf_index, tree_size: proof.tree_size, root: proof.root }
  if (!recomputesRoot(body, proof))
    return check('inclusion', 'MISMATCH', 'the path does not lead from these bytes to the root it states', details)
  return judgeRoot(proof, await readCheckpoint(checkpoint, trust), details)
}

const SIGNED_ROOT = 'the path leads to the root of a checkpoint signed by a trusted log key'

function judgeRoot(proof: InclusionRecord, read: CheckpointReport | null, details: Record<string, unknown>): Check {
  const unsigned = (why: string): Check =>
    check('inclusion', 'UNAVAILABLE', `the path leads to the stated root, but ${why}`, details)
  if (!read) return unsigned('no checkpoint came with it')
  if (read.reason === 'no_known_signature') return unsigned('the root is not signed by a known log key')
  if (read.reason === 'malformed_key' || read.reason === 'ambiguous_key')
    return unsigned('the given log keys are unusable')
  if (!read.checkpoint)
    return check('inclusion', 'MISMATCH', `the checkpoint is refused: ${read.reason.replaceAll('_', ' ')}`, details)
  const { size, root, origin } = read.checkpoint
  if (size !== proof.tree_size) return unsigned(`the signed checkpoint is of another size (${size})`)
  const signed = { ...details, origin, signed_by: read.signedBy }
  if (hexEncode(root) !== proof.root)
    return check('inclusion', 'MISMATCH', 'the signed checkpoint states another root for this size', signed)
  return check('inclusion', 'VERIFIED', SIGNED_ROOT, signed)
}

/** Null when the file has no checkpoint. Anything that is not a note is a malformed one. */
export async function readCheckpoint(checkpoint: unknown, trust: Trust): Promise<CheckpointReport | null> {
  if (checkpoint === undefined || checkpoint === null) return null
  const text = typeof checkpoint === 'string' ? checkpoint : ''
  const report = await verifyCheckpoint(text, trust.logKeys ?? [], trust.logOrigin)
  // One private key may sign for several generations of a log: the line a signature stands on is not part of what it
  // covers, so a checkpoint counts only under the key that bears the name of its origin.
  if (!report.checkpoint || report.signedBy.includes(report.checkpoint.origin)) return report
  return { ok: false, reason: 'origin_mismatch', signedBy: [] }
}
