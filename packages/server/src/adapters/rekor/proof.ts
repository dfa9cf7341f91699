/** Whether the pinned log holds an entry. Signatures, path and record are the library's business; what it leaves open is
 *  checked first: which log, which leaf, and that the stated root and size are the signed ones. */
import {
  type Envelope,
  hexEncode,
  leafHash,
  type PublicKey,
  parseCheckpoint,
  parseEnvelope,
  parseNote,
} from '@orch/core'
import { type Bundle, toDSSEBundle } from '@sigstore/bundle'
import { crypto } from '@sigstore/core'
import { type TrustMaterial, toSignedEntity, VerificationError, Verifier } from '@sigstore/verify'
import { ENTRY_KIND, ENTRY_VERSION, type InclusionProof, type LogEntry } from './reply.ts'

/** Why the reply does not show that the pinned log holds what is in the bundle, or null. */
export function proofFault(entry: LogEntry, bundle: Bundle, ourKey: PublicKey, logKey: PublicKey): string | null {
  if (!entry.uuid.endsWith(hexEncode(leafHash(entry.body)))) return 'the uuid is not that of the entry'
  if (entry.logID !== logKey.keyid) return 'the entry is of another log than the pinned one'
  const head = readTreeHead(entry.proof, logKey)
  if (typeof head === 'string') return head
  return bundleFault(bundle, trustIn(ourKey, logKey, head.signer))
}

/** The library takes root and size from the signed tree head and never looks at those stated beside it. Of several
 *  signatures under the pinned key it is content with one good one; a note with a bad one is refused here. */
function readTreeHead(proof: InclusionProof, logKey: PublicKey): { signer: string } | string {
  const note = parseNote(proof.checkpoint)
  const head = note && parseCheckpoint(note.text)
  if (!note || !head) return 'the signed tree head cannot be read'
  const hint = Number.parseInt(logKey.keyid.slice(0, 8), 16)
  const ours = note.signatures.filter(({ keyHash }) => keyHash === hint)
  if (ours.length !== 1) return 'the tree head is not signed once by the pinned key'
  const same = head.size === proof.tree_size && hexEncode(head.root) === proof.root_hash
  return same ? { signer: ours[0]!.name } : 'the signed tree head states another root or size'
}

const ALWAYS = { start: new Date(0), end: new Date(8.64e15) }

/** One log and one signer, both by key. The library also wants the name beside the tree head's signature to be part of
 *  the log's address; a log of one's own is often reached under another name, and what was pinned is its key. */
const trustIn = (ourKey: PublicKey, logKey: PublicKey, signer: string): TrustMaterial => ({
  certificateAuthorities: [],
  timestampAuthorities: [],
  ctlogs: [],
  tlogs: [{ baseURL: signer, logID: Buffer.from(logKey.keyid, 'hex'), publicKey: keyObject(logKey), validFor: ALWAYS }],
  publicKey: () => ({ publicKey: keyObject(ourKey), validFor: () => true }),
})

const keyObject = ({ spki }: PublicKey) => crypto.createPublicKey(Buffer.from(spki))

const FAULTS: Readonly<Partial<Record<VerificationError['code'], string>>> = {
  TIMESTAMP_ERROR: 'the log did not sign when and where it took the entry',
  TLOG_INCLUSION_PROMISE_ERROR: 'the signed timestamp is wrong',
  TLOG_INCLUSION_PROOF_ERROR: 'the path does not lead from the entry to a root that the pinned key signed',
  TLOG_BODY_ERROR: 'the entry records another payload or signature',
  SIGNATURE_ERROR: 'the recorded signature does not verify',
}

/** The library throws for whatever does not hold. An error of another kind means that a reply got past the checks of its
 *  shape: that is no proof either, and a log must not be able to fail a request. */
function bundleFault(bundle: Bundle, trust: TrustMaterial): string | null {
  try {
    new Verifier(trust).verify(toSignedEntity(bundle))
    return null
  } catch (error) {
    return (error instanceof VerificationError && FAULTS[error.code]) || 'the entry cannot be verified'
  }
}

/** Null for an envelope that cannot be read or has not exactly the one signature a log entry is about. */
export function bundleOf(envelope: Envelope, key: PublicKey, entry: LogEntry): Bundle | null {
  const parsed = parseEnvelope(envelope)
  if (!parsed.ok || parsed.signatures.length !== 1) return null
  const bundle = toDSSEBundle({
    artifact: Buffer.from(parsed.payload),
    artifactType: parsed.envelope.payloadType,
    signature: Buffer.from(parsed.signatures[0]!.sig),
    keyHint: key.keyid,
  })
  return { ...bundle, verificationMaterial: { ...bundle.verificationMaterial, tlogEntries: [tlogEntryOf(entry)] } }
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

function tlogEntryOf({ body, integratedTime, logID, logIndex, signedEntryTimestamp, proof }: LogEntry) {
  return {
    logIndex: String(logIndex),
    logId: { keyId: hex(logID) },
    kindVersion: { kind: ENTRY_KIND, version: ENTRY_VERSION },
    integratedTime: String(integratedTime),
    inclusionPromise:
      signedEntryTimestamp === null ? undefined : { signedEntryTimestamp: Buffer.from(signedEntryTimestamp) },
    inclusionProof: {
      logIndex: String(proof.leaf_index),
      rootHash: hex(proof.root_hash),
      treeSize: String(proof.tree_size),
      hashes: proof.hashes.map(hex),
      checkpoint: { envelope: proof.checkpoint },
    },
    canonicalizedBody: Buffer.from(body),
  }
}
