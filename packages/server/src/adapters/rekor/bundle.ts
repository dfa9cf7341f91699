/** An anchored envelope and its place in the log as a Sigstore bundle, version 0.3: the form in which the library, and
 *  anybody else who has the two public keys, checks it. */
import { type Envelope, type PublicKey, parseEnvelope } from '@orch/core'
import { type Bundle, toDSSEBundle } from '@sigstore/bundle'
import { ENTRY_KIND, ENTRY_VERSION } from './entry.ts'
import type { LogEntry } from './reply.ts'

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
