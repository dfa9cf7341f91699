/** Every number of the claim contract, once: the checks, the published schemas and the description read them here.
 *  Lengths are code points of the string as it was sent, before any trimming. */
export const LIMITS = Object.freeze({
  body_bytes: 65_536,
  text: 32_768,
  candidates: 32,
  claims: 32,
  external_signals: 32,
  contradictions: 32,
  claim_id: 128,
  statement: 4096,
  evidence_refs: 8,
  reference_id: 128,
  verification_ref: 512,
  source_id: 512,
  receipt_ref: 512,
  source_ref: 512,
  resolution_ref: 512,
  owner_id: 128,
  accountability_scope: 1024,
  method: 256,
  content_sha256: 64,
  claim_ids: 32,
  refutes_claim_ids: 32,
  value_minimum: 0,
  value_maximum: 1,
  problems: 32,
  /** Newest receipts whose payload digests are known; receipt digests are known for the whole ledger. */
  payload_digest_window: 1024,
  repeated_input: 64,
})

export const SEMANTIC_THRESHOLD = 0.66 as const
