/** What an append comes back as: recorded now, recorded before under the same key, or refused. */

import { hexEncode } from '@orch/core'
import type { Appended, BatchTiming, InclusionPath, KeyKind, StoredAnswer } from './contract.ts'
import { type Refusal, refusal } from './refusals.ts'
import type { LedgerStore } from './store/store.ts'
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
function replayOf(entry: Entry, stored: StoredAnswer): Outcome {
  const same = Buffer.from(stored.request).equals(entry.idempotency!.request)
  if (!same)
    return refusal(
      'idempotency_conflict',
      'the header Idempotency-Key was used with another request; send a new one, for example a random UUID',
    )
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

interface Sorted {
  fresh: Waiting[]
  /** Their key is under way with another entry. */
  duplicates: Waiting[]
  answered: [Waiting, Outcome][]
}

const keyOf = ({ idempotency }: Entry): string | null => (idempotency === null ? null : hexEncode(idempotency.key))

/** Which entries were answered before. One answer per key: of two with one key the first has it, and the other waits
 *  until that one is durable and is then a replay. */
export function replayIndex(store: Pick<LedgerStore, 'answers'>) {
  /** Keys placed but not durable yet. */
  const underWay = new Set<string>()
  const answersTo = async (waiting: readonly Waiting[]): Promise<Map<Waiting, StoredAnswer | null>> => {
    const keyed = waiting.filter(({ entry }) => entry.idempotency !== null)
    if (keyed.length === 0) return new Map()
    const stored = await store.answers(keyed.map(({ entry }) => entry.idempotency!.key))
    return new Map(keyed.map((item, at) => [item, stored[at] ?? null]))
  }
  return {
    /** The keys of what is fresh are under way from here on, until they are settled. */
    async sort(waiting: Waiting[]): Promise<Sorted> {
      const sorted: Sorted = { fresh: [], duplicates: [], answered: [] }
      const answers = await answersTo(waiting)
      for (const item of waiting) {
        const key = keyOf(item.entry)
        const answer = answers.get(item)
        if (answer) sorted.answered.push([item, replayOf(item.entry, answer)])
        else if (key !== null && underWay.has(key)) sorted.duplicates.push(item)
        else {
          if (key !== null) underWay.add(key)
          sorted.fresh.push(item)
        }
      }
      return sorted
    },
    /** Durable or refused: the key is free for whoever waits for it. */
    settled(entry: Entry): void {
      const key = keyOf(entry)
      if (key !== null) underWay.delete(key)
    },
  }
}
