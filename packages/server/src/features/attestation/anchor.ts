/** What an attempt to anchor leaves behind: a receipt that states it, whether or not the log took it. */
import { canonicalBytesPortable, sha256Hex } from '@orch/core'
import type { AnchorReading } from '../../ports.ts'
import { describeAnchor } from './record.ts'
import type { AnchorReply } from './schemas.ts'
import { type Anchor, anchorLabel } from './verification.ts'

export function anchorAnswer(anchor: AnchorReading, at: string): Omit<AnchorReply, 'receipt'> {
  return {
    schema: 'orch.log.anchor/v1',
    rekor: describeAnchor(anchor),
    bundle: anchor.bundle,
    label: anchorLabel(anchor),
    anchored_at: at,
  }
}

/** The proof itself is not recorded: it can be asked for again, and a stored one would prove nothing new. */
export function anchorPayload(anchor: Anchor) {
  const { status, log_index, entry_uuid, checkpoint } = anchor
  const statement = { what: 'checkpoint anchored in an external log', status, log_index, entry_uuid, checkpoint }
  const bytes = canonicalBytesPortable(statement)
  return { statement, statement_sha256: sha256Hex(bytes), statement_bytes: bytes.length }
}
