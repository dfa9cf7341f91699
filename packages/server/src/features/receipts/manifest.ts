/** What the verification operations take and answer, for whoever finds them without a manual. */
import { CHECK_NAMES, CHECK_STATUSES, DOES_NOT_PROVE, RECEIPT_PAYLOAD_TYPE, REPORT_SCHEMA, VERDICTS } from '@orch/core'

export const verifyManifest = (logVkey: string, activeKeyid: string | null) => ({
  what: 'verifies a receipt against this ledger’s keys, chains and log; appends nothing',
  report_schema: REPORT_SCHEMA,
  payload_type: RECEIPT_PAYLOAD_TYPE,
  signature_scheme: 'ECDSA-P256-SHA256 over the DSSE pre-authentication encoding, strict DER, strict base64',
  accepts: {
    envelope: 'a DSSE envelope as an object, as JSON text, or as JSON in base64url',
    receipt_id: 'a digest this ledger holds; beside another input, the digest it must have',
    receipt: 'a receipt record or a bare receipt body',
    export: 'a receipt export',
    public_key_pem: 'a P-256 key to verify with besides the ring of this ledger; reported as caller-supplied',
    organ: 'the chain the receipt must be of',
  },
  checks: CHECK_NAMES,
  statuses: CHECK_STATUSES,
  verdicts: VERDICTS,
  key_trust: ['production', 'demo', 'caller-supplied', 'unknown'],
  verdict_rule: 'FAIL on any MISMATCH; PASS when all are VERIFIED; PARTIAL when structure, signature and digest hold',
  header: 'X-Orch-Verify-Verdict',
  does_not_prove: DOES_NOT_PROVE,
  active_keyid: activeKeyid,
  log_vkey: logVkey,
})
