/** Appends on their way to the ledger's thread and back. */

import { bodyTemplate, mayGoUnsigned, type ReceiptDraft } from '@orch/core'
import { ServiceError } from '../errors.ts'
import { Slots } from '../platform/slots.ts'
import type { AppendOptions } from '../ports.ts'
import type { KeyKind } from './contract.ts'
import type { Outcome } from './outcome.ts'
import { MAX_BODY_BYTES, PLACE_BYTES } from './place.ts'
import { STOPPED } from './refusals.ts'
import { toSideWrites } from './side-writes.ts'
import type { Entry } from './types.ts'

interface NumberedEntry {
  id: number
  entry: Entry
}

/** As many as the ledger commits at a time. They do not wait for the end of the turn: with thousands of connections that all
 *  have something to read a turn lasts seconds, and the ledger would have nothing to do meanwhile. */
const MAX_OUTGOING = 256

export function appendQueue(post: (entries: NumberedEntry[]) => void) {
  const waiting = new Slots<(outcome: Outcome) => void>()
  const outgoing: NumberedEntry[] = []
  const flush = () => {
    if (outgoing.length > 0) post(outgoing.splice(0))
  }
  return {
    /** How many wait for their outcome. */
    size: () => waiting.size,
    send: (entry: Entry): Promise<Outcome> =>
      new Promise((resolve) => {
        const id = waiting.add(resolve)
        // What arrives in one turn of the loop travels together.
        const count = outgoing.push({ id, entry })
        if (count === 1) setImmediate(flush)
        if (count === MAX_OUTGOING) flush()
      }),
    settle(outcomes: readonly (readonly [id: number, outcome: Outcome])[]): void {
      for (const [id, outcome] of outcomes) waiting.take(id)?.(outcome)
    },
    /** The thread has ended: nothing more is acknowledged. */
    stop(): void {
      for (const settle of waiting.takeAll()) settle(STOPPED)
    },
  }
}

/** What a caller hands in, as the ledger's thread takes it. Throws for a receipt that is too large and for what no caller of ours may ask. */
export function toEntry(
  draft: ReceiptDraft,
  { idempotency = null, documents = [], counters = [], prove = false, unsigned = false }: AppendOptions,
  keyKind: KeyKind | null,
): Entry {
  if (unsigned && !mayGoUnsigned(draft)) throw new Error('only a sample is recorded unsigned by choice')
  const template = bodyTemplate(draft, unsigned ? null : keyKind)
  const bytes =
    Buffer.byteLength(template.beforePrev) +
    Buffer.byteLength(template.beforeSeq) +
    template.afterSeq.length +
    PLACE_BYTES
  if (bytes > MAX_BODY_BYTES)
    throw new ServiceError('receipt_too_large', `a receipt holds at most ${MAX_BODY_BYTES} bytes`)
  const { ns, chain, ts_utc: ts } = draft
  return {
    ...{ ns, chain, ts, template, idempotency },
    ...toSideWrites(documents, counters),
    ...(prove ? { prove: true as const } : {}),
    ...(unsigned ? { unsigned: true as const } : {}),
  }
}
