/** What a caller hands in, as the ledger's thread takes it. */
import { bodyTemplate, mayGoUnsigned, type ReceiptDraft } from '@orch/core'
import { ServiceError } from '../errors.ts'
import type { AppendOptions } from '../ports.ts'
import type { KeyKind } from './contract.ts'
import { MAX_BODY_BYTES, PLACE_BYTES } from './place.ts'
import { toSideWrites } from './side-writes.ts'
import type { Entry } from './types.ts'

/** Throws for a receipt that is too large and for what no caller of ours may ask. */
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
