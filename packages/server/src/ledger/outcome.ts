/** What an append comes back as: recorded now, recorded before under the same key, or refused. */
import type { Appended, BatchTiming, InclusionPath, KeyKind, StoredAnswer } from './contract.ts'
import { type Refusal, refusal } from './refusals.ts'
import { type Entry, type Placed, signatureState } from './types.ts'

export type Outcome = { ok: true; appended: Appended } | Refusal

/** An entry and whoever wants to hear of it. */
export interface Waiting {
  entry: Entry
  settle(outcome: Outcome): void
}

interface Signed {
  signature: Uint8Array | null
  /** In charge of the batch. */
  key: { keyid: string; kind: KeyKind } | null
  inclusion: InclusionPath | null
  batch: BatchTiming
}

export function toAppended(row: Placed, treeSize: number, { signature, key, inclusion, batch }: Signed): Appended {
  const signer = signature === null ? null : key
  return {
    nodeIndex: row.nodeIndex,
    treeSize,
    seq: row.seq,
    prev: row.prev,
    digest: row.digest,
    body: row.body,
    signature,
    keyid: signer?.keyid ?? null,
    keyKind: signer?.kind ?? null,
    signatureState: signatureState(signature !== null, key !== null && row.unsigned !== true),
    inclusion,
    replayed: null,
    batch,
  }
}

/** The stored answer again for the same request; the key with another request is a conflict. */
export function replayOf(entry: Entry, stored: StoredAnswer): Outcome {
  const same = Buffer.from(stored.request).equals(entry.idempotency!.request)
  if (!same)
    return refusal('idempotency_conflict', 'this Idempotency-Key was used with another request; choose a new key')
  return {
    ok: true,
    appended: {
      nodeIndex: stored.nodeIndex,
      treeSize: stored.treeSize,
      seq: -1,
      prev: '',
      digest: '',
      body: new Uint8Array(0),
      signature: null,
      keyid: null,
      keyKind: null,
      signatureState: 'UNSIGNED',
      inclusion: null,
      replayed: stored.answer,
      batch: null,
    },
  }
}
