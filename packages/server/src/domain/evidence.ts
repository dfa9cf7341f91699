/** What the ledger can say about one of its receipts: its record, its place in the log, its chain as re-walked. */
import { base64Encode, type ChainContext, hexEncode, organOf, sha256Hex } from '@orch/core'
import type { Static } from 'typebox'
import { TreeDamaged } from '../errors.ts'
import type { Ledger } from '../ports.ts'
import type { WalkedReport } from './organs.ts'
import { chunksOf, receiptEnvelope, receiptPae, receiptSummary, type ShownReceipt, verifyUrl } from './receipt-view.ts'
import { bodyOf, type ReceiptReader, type StoredReceipt } from './stored-receipt.ts'
import type { Inclusion as InclusionProof } from './wire.ts'

export type Inclusion = Static<typeof InclusionProof>

/** The reads and reports of the ledger that a proof is made of. */
type LedgerEvidence = 'inclusion' | 'rootAt' | 'audit' | 'reportBreak' | 'checkpointNow' | 'vkey' | 'trusted'
export interface Evidence extends Pick<Ledger, LedgerEvidence> {
  reader: ReceiptReader & Pick<Ledger['reader'], 'keys' | 'checkpoint' | 'checkpointFrom'>
  walk(): Promise<WalkedReport>
}

export interface LogProof {
  inclusion: Inclusion
  /** The signed note over the very tree of the proof, or null where none covers the receipt. */
  checkpoint: string | null
}

/** The path a receipt brought along from its append, else one read from the log; both are the same bytes. */
export async function inclusionOf(evidence: Evidence, receipt: ShownReceipt, treeSize: number): Promise<Inclusion> {
  const { nodeIndex, inclusion } = receipt
  if (!inclusion) return inclusionAt(evidence, nodeIndex, treeSize)
  const { root, hashes } = inclusion
  return { leaf_index: nodeIndex, tree_size: treeSize, root, hashes: chunksOf(hashes, 64) }
}

export async function inclusionAt(evidence: Evidence, leafIndex: number, treeSize: number): Promise<Inclusion> {
  const [hashes, root] = await Promise.all([evidence.inclusion(leafIndex, treeSize), evidence.rootAt(treeSize)])
  return { leaf_index: leafIndex, tree_size: treeSize, root: hexEncode(root), hashes: hashes.map(hexEncode) }
}

/** A fresh receipt waits seconds for its checkpoint: whoever asks before gets one made. */
export async function logProof(evidence: Evidence, { nodeIndex }: { nodeIndex: number }): Promise<LogProof> {
  const { reader } = evidence
  let checkpoint = await reader.checkpoint()
  if (checkpoint === null || checkpoint.size <= nodeIndex) {
    await evidence.checkpointNow()
    checkpoint = await reader.checkpoint()
  }
  const head = await reader.head()
  // A note over more receipts than there are is somebody's edit: no tree leads to it.
  const covering =
    checkpoint !== null && checkpoint.size > nodeIndex && checkpoint.size <= head.size ? checkpoint : null
  const size = covering?.size ?? head.size
  return { inclusion: await inclusionAt(evidence, nodeIndex, size), checkpoint: covering?.note ?? null }
}

/** The proof that travels with a reply: against the first checkpoint that covers the receipt's batch, signed now where
 *  there is none yet. All replies of a batch share it, and a replay finds the same one. */
async function batchProof(
  evidence: Evidence,
  nodeIndex: number,
  treeSize: number,
): Promise<LogProof | typeof NO_PROOF> {
  let checkpoint = await evidence.reader.checkpointFrom(treeSize)
  if (checkpoint === null) {
    await evidence.checkpointNow()
    checkpoint = await evidence.reader.checkpointFrom(treeSize)
  }
  try {
    const inclusion = await inclusionAt(evidence, nodeIndex, checkpoint?.size ?? treeSize)
    return { inclusion, checkpoint: checkpoint?.note ?? null }
  } catch (error) {
    // The decision stands and is recorded: that the log is damaged is for the walk and the verifier to say.
    if (error instanceof TreeDamaged) return NO_PROOF
    throw error
  }
}

export const NO_PROOF = Object.freeze({ inclusion: null, checkpoint: null })

/** What makes a file of a reply: the envelope, its proof and a signed checkpoint over it. */
export const evidenceOf = async (evidence: Evidence, receipt: ShownReceipt, treeSize: number) => ({
  dsse: receiptEnvelope(receipt),
  ...(await batchProof(evidence, receipt.nodeIndex, treeSize)),
})

/** Composes a reply that verifies by itself, once it is saved. */
export const withEvidence =
  (evidence: Evidence) => async (receipt: ShownReceipt, answer: Record<string, unknown>, treeSize: number) => ({
    ...answer,
    receipt: { ...receiptSummary(receipt), ...(await evidenceOf(evidence, receipt, treeSize)) },
  })

/** As far as the log can prove anything: a hole in its tree is said and is not the end of the verification. */
export async function logProofOrFault(
  evidence: Evidence,
  row: { nodeIndex: number },
): Promise<{ proof: LogProof | null; fault: string | null }> {
  try {
    return { proof: await logProof(evidence, row), fault: null }
  } catch (error) {
    if (error instanceof TreeDamaged) return { proof: null, fault: error.message }
    throw error
  }
}

/** The receipt as a file that the verifier reads: every field is covered by the signature, by the proof, or by nothing
 *  and then says so there. */
export const receiptRecord = <P extends { inclusion: unknown; checkpoint: string | null }>(
  row: StoredReceipt,
  { inclusion, checkpoint }: P,
) => {
  const body = bodyOf(row)
  return {
    receipt_id: row.digest,
    digest: row.digest,
    node_index: row.nodeIndex,
    ns: row.ns,
    chain: row.chain,
    seq: row.seq,
    prev: row.prev,
    kind: body?.kind ?? null,
    ts_utc: body?.ts_utc ?? null,
    decision: body?.payload.decision ?? null,
    body,
    signed: row.signature !== null,
    keyid: row.keyid,
    key_kind: row.keyKind,
    label: 'STRUCTURAL-ONLY' as const,
    verify_url: verifyUrl(row.digest),
    dsse: receiptEnvelope(row),
    pae_b64: base64Encode(receiptPae(row)),
    inclusion: inclusion as P['inclusion'],
    checkpoint,
  }
}

/** The link to the receipt before and how far its chain was found to hold. A chain that holds is not condemned for the
 *  break of another one. */
export async function chainContext(evidence: Evidence, row: StoredReceipt): Promise<ChainContext> {
  const { nodeIndex, ns, chain, seq } = row
  const [before, audit] = await Promise.all([
    seq === 0 ? null : evidence.reader.bySeq(ns, chain, seq - 1),
    evidence.audit(),
  ])
  const audited = audit.chains.find(({ organ }) => organ === organOf(ns, chain))
  const brokenAt = audited?.broken_at ?? null
  return {
    previous: before?.body ?? null,
    node_index: nodeIndex,
    // Of the bytes it keeps there, not of the column they are found by.
    digest: sha256Hex(row.body),
    walk: {
      from: 0,
      to: audit.walked_to - 1,
      broken_at: brokenAt,
      broken_somewhere: brokenAt === null && audited?.links_intact !== true,
    },
  }
}
