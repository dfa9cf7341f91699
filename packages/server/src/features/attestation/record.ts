/** The attestation record around a statement that was just built. */
import {
  base64Encode,
  CHAIN_OF_TITLE_SCHEMA,
  canonicalBytesPortable,
  POLICY_RULES,
  STATEMENT_PAYLOAD_TYPE,
  sha256Hex,
} from '@orch/core'
import type { AnchorReading, ArtifactAbsent, ArtifactDigest } from '../../ports.ts'
import type { AnchorReply, Rekor, TitleRecord, Verification } from './schemas.ts'
import { CITES, type TitleStatement } from './statement.ts'
import { type Anchor, anchorLabel, POLICY_PACKAGE, VERDICT_SCOPE } from './verification.ts'

/** The bytes that are hashed are the bytes that are sent. */
export function readOnlyEnvelope(statement: TitleStatement): TitleRecord['envelope'] {
  const bytes = canonicalBytesPortable(statement)
  return {
    payloadType: STATEMENT_PAYLOAD_TYPE,
    payload: base64Encode(bytes),
    signatures: [],
    signed: false,
    read_only: true,
    _statement_digest_sha256: sha256Hex(bytes),
    honesty: 'read-only: nothing is signed and nothing is submitted',
  }
}

interface RecordParts {
  statement: TitleStatement
  envelope: TitleRecord['envelope']
  anchor: Anchor
  verification: Verification
  policy: ArtifactDigest | ArtifactAbsent
  builtAt: string
}

export function titleRecord({ statement, envelope, anchor, verification, policy, builtAt }: RecordParts): TitleRecord {
  return {
    ok: verification.ok,
    schema: CHAIN_OF_TITLE_SCHEMA,
    label: anchorLabel(anchor),
    statement,
    statement_digest_sha256: envelope._statement_digest_sha256,
    envelope,
    rekor: describeAnchor(anchor),
    verdict: verification.verdict,
    verdict_scope: VERDICT_SCOPE,
    verification,
    policy_source: {
      path: policy.path,
      package: POLICY_PACKAGE,
      rules: [...POLICY_RULES],
      sha256: policy.present ? policy.sha256 : null,
      evaluator: 'typescript',
      note: policy.present ? 'the digest was taken when the statement was built' : policy.reason,
    },
    cites: [...CITES],
    honest_note:
      'A read-only statement: it is not signed, not a build-provenance attestation and not an accreditation. Coverage 1 means that every field is disclosed, not that every field is known.',
    built_at: builtAt,
    lake: READ_ONLY,
  }
}

export const READ_ONLY: TitleRecord['lake'] = Object.freeze({ appended: false, status: 'READ_ONLY' })

const describeAnchor = (anchor: Anchor): Rekor => ({
  status: anchor.status,
  attempted: anchor.attempted,
  reachable: anchor.reachable,
  log_index: anchor.log_index,
  entry_uuid: anchor.entry_uuid,
  inclusion_proof: anchor.inclusion_proof,
  label: anchorLabel(anchor),
  anchored_checkpoint: anchor.checkpoint,
  note: anchor.note,
})

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
