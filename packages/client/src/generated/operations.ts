// Generated from openapi.json by packages/client/generate.ts. Do not edit.
/* biome-ignore-all lint: generated */
type None = Record<never, never>

export type AnchorReply = { "schema": "orch.log.anchor/v1"; "rekor": ExternalLogReading; "label": ("MEASURED" | "MODELED"); "anchored_at": string; "receipt": Record<string, unknown> }

export type AssuranceFit = { "surface": "assurance.fit"; "description": string; "fitting": (string)[]; "sets": ({ "id": ("evaluation" | "internal-audit" | "external-audit" | "accredited-operation"); "what": string; "requires": (string)[]; "fits": boolean; "missing": ({ "requirement": string; "detail": string })[] })[]; "honest_note": string; "evaluated_at": string }

export type AssuranceMatrix = { "ns": string; "surface": string; "description": string; "requirements": (AssuranceRequirement)[]; "honest_note": string; "lambda_kind": string; "locked_proven": 8; "kernel_commit": string }

export type AssuranceRequirement = { "req_id": string; "requirement": string; "req_detail": string; "source": string; "source_url": string; "orch_artifact": string; "artifact_url": (string | null); "status": ("LIVE" | "MEASURED" | "SAMPLE" | "MODELED" | "ROADMAP"); "status_detail": string; "honest_caveats": string; "evaluated_at": (string | null); "evidence": (Record<string, unknown> | null) }

export type ChainOfTitleRecord = { "ok": boolean; "schema": "orch.attest.chain-of-title/v1"; "label": ("MEASURED" | "MODELED"); "statement": ChainOfTitleStatement; "statement_digest_sha256": string; "envelope": { "payloadType": "application/vnd.in-toto+json"; "payload": string; "signatures": (unknown)[]; "signed": false; "read_only": true; "_statement_digest_sha256": string; "honesty": string }; "rekor": ExternalLogReading; "verdict": ("PASSED" | "FAILED" | "UNKNOWN"); "verdict_scope": string; "verification": TitleVerification; "policy_source": { "path": string; "package": string; "rules": (string)[]; "sha256": (string | null); "evaluator": "typescript"; "note": string }; "cites": (string)[]; "honest_note": string; "built_at": string; "lake": { "appended": false; "status": "READ_ONLY" } }

export type ChainOfTitleStatement = { "_type": string; "subject": ({ "name": string; "digest": { "gitCommit": string }; "annotations": { "locked_proven": (string)[]; "pin_source": string } })[]; "predicateType": string; "predicate": { "doctrine": string; "provenance": Record<string, unknown>; "energy_measured": (Record<string, unknown>)[]; "energy_disclosure": { "meters_configured": number; "meter_env": string; "label": ("MEASURED" | "UNAVAILABLE"); "note": string; "errors": (string)[] }; "honesty_invariants": { "no_fabricated_measured": boolean; "lambda_is_conjecture_not_theorem": boolean; "locked8_immutable": boolean; "provenance_coverage": number }; "honesty_invariants_meaning": Record<string, string>; "seal": { "formula": string; "tier": "PROPOSED"; "cites": (string)[]; "note": string }; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "attestation": Record<string, unknown> } }

export type ComponentCheck = { "state": ("OK" | "FAILED" | "UNKNOWN"); "checked_at": string; "latency_ms": number; "detail": Record<string, unknown>; "blocking": boolean }

export type DsseEnvelope = { "payloadType": string; "payload": string; "signatures": ({ "sig": string; "keyid": string })[]; "signed": boolean; "keyid": string; "honesty": string; "_dsse": string; "_pae_sha256": (string | null) }

export type EvidencePackEnvelope = { "schema": "orch.assurance.evidence-pack.envelope.v1"; "pack": { "schema": "orch.assurance.evidence-pack.v1"; "generated_at": string; "what": string; "assurance_matrix": { "source": string; "status": ("LIVE" | "ROADMAP"); "requirement_count": 8; "requirements": (AssuranceRequirement)[]; "honest_note": string }; "khipu_organs": Record<string, unknown>; "lake_health": Record<string, unknown>; "doctrine": { "version": string; "locked_proven": 8; "locked_theorems": (string)[]; "locked_count_ci_gate": string; "kernel_commit": string; "lambda": string; "khipu_bft": string; "liveness": string; "slsa": string; "accreditation": { "ato": false; "il5": false; "fedramp_high": false }; "honest_note": string }; "cosign_public_key": { "key_id": (string | null); "key_kind": (("demo" | "production") | null); "verify_key_url": string; "sha256_fingerprint": (string | null); "demo_signing_available": boolean; "note": string }; "honest_disclosure": string; "receipts"?: (Record<string, unknown>)[]; "public_keys"?: (Record<string, unknown>)[]; "checkpoint"?: (string | null) }; "pack_sha3_256": string; "digest_alg": "sha3_256"; "digest_canonicalization": string; "offline_verify": string; "signature": ({ "signed": false; "status": "DSSE_PLACEHOLDER"; "note": string } | { "signed": true; "status": "DSSE_SIGNED"; "note": string; "alg": "ECDSA-P256-SHA256"; "keyid": string; "key_kind": ("demo" | "production"); "dsse": Record<string, unknown> }); "generated_at": string }

export type ExternalLogReading = { "status": ("NOT_ATTEMPTED" | "UNREACHABLE" | "INCLUDED" | "INVALID"); "attempted": boolean; "reachable": (boolean | null); "log_index": (number | null); "entry_uuid": (string | null); "inclusion_proof": (Record<string, unknown> | null); "label": ("MEASURED" | "MODELED"); "anchored_checkpoint": ({ "size": number; "root": string } | null); "note": string }

export type FormulaAuthority = { "schema_version": "orch.formula-authority.v2"; "registry_digest": { "algorithm": "sha256"; "canonicalization": "RFC 8785"; "scope": "payload"; "value": string }; "signature": { "status": ("UNSIGNED" | "SIGNED"); "reason": string }; "payload": { "registry_version": "2.0.0"; "doctrine_version": string; "authority": "FORMAL_SOURCE_PINNED"; "exhaustive": false; "covered_formula_ids": (string)[]; "locked_proven_count": 8; "locked_proven_ids": (string)[]; "kernel_source": { "commit": string; "f_id_to_callable_mapping": "UNKNOWN_NOT_ASSERTED" }; "lambda": { "formula_id": "F23"; "status": string; "can_authorize": false; "can_be_sole_allow_basis": false }; "policy": Record<string, boolean>; "formulas": ({ "id": string; "name": string; "maturity": string; "locked_proven": boolean; "scope": string; "caveat": string; "applicability_required": true; "can_constrain_execution": boolean; "can_authorize_action": false })[]; "historical_non_authorities": ({ "name": string; "ids": (string)[]; "status": "SUPERSEDED"; "note": string })[] } }

export type FormulaCheck = { "formula_id": ("F1" | "F4" | "F7" | "F11" | "F12" | "F18" | "F19" | "F22"); "checked_cases": number; "counterexamples": (string)[]; "passed": boolean; "seed": number; "label": "MEASURED"; "label_detail": "property check, not a proof" }

export type FormulaTiers = { "model": "orch.formula-tiers/v1"; "label": "STRUCTURAL-ONLY"; "locked_count": 8; "locked_ids": (string)[]; "tiers": { "LOCKED-PROVEN": ({ "id": string; "name": string; "statement": string; "executable_invariant": string; "called_by": (string)[]; "maturity": string; "scope_note": string; "proof_checked_in_this_request": false })[]; "SEMANTIC-VERIFIED": ({ "id": string; "name": string; "statement": string; "assumption": string; "check": { "claim_id": string; "checked_cases": number; "counterexamples": (string)[]; "passed": boolean; "seed": number; "label": "MEASURED"; "label_detail": "property check, not a proof" } })[]; "evidence-backed": ({ "id": string; "name": string; "statement": string; "evidence": string; "scope_note": string })[]; "CONJECTURE": ({ "id": string; "name": string; "statement": string; "is_theorem": false; "counterexample_without_separability": ({ "formula_id": "F23"; "aggregator": string; "input": (number)[]; "value": number; "geometric_mean": number; "satisfies": Record<string, boolean>; "stands": boolean } | null) })[] }; "lambda": { "definition": string; "floor": number; "trust_ceiling": number; "status": string; "is_theorem": false }; "checks": (FormulaCheck)[]; "registry_digest": { "algorithm": "sha256"; "value": string; "recomputed": true }; "signature": { "status": ("UNSIGNED" | "SIGNED"); "reason": string }; "authority": FormulaAuthority; "honest": string }

export type HTTPValidationError = { "detail": ({ "loc": ((string | number))[]; "msg": string; "type": string })[] }

export type InclusionProof = { "leaf_index": number; "tree_size": number; "root": string; "hashes": (string)[] }

export type LakeRecord = { "schema": "orch.lake.receipt/v1"; "organ": string; "chain_index": number; "prev_hash": string; "receipt_digest": string; "ts_utc": string; "hash": string }

export type OrganChain = { "organ": string; "ns": string; "registry_key": string; "head_digest": string; "depth": number; "links_intact": boolean; "broken_at": (number | null); "broken_reason": (string | null); "verified_to": number; "genesis_prev": string }

export type ReceiptAttestation = { "surface": "orch.attest.receipt/v1"; "receipt_hash": string; "verdict": ("CHAIN-VERIFIED" | "TAMPERED" | "NOT_FOUND" | "INCONCLUSIVE"); "factors": ({ "factor": number; "title": string; "status": string; "detail": string; "independent_check": string })[]; "checked_at": string; "doctrine": string; "labels": (("MEASURED" | "MODELED" | "SIMULATED" | "SAMPLE" | "UNAVAILABLE" | "STRUCTURAL-ONLY" | "LIVE" | "ROADMAP" | "SIMULATION-ONLY"))[] }

export type ReceiptRow = { "node_index": number; "receipt_id": string; "digest": string; "ns": string; "chain": string; "seq": number; "prev": string; "kind": (string | null); "decision": (string | null); "ts_utc": (string | null); "request_id": (string | null); "agent": (string | null); "tool": (string | null); "session": (string | null); "gates_fired": (string)[]; "lambda": (number | null); "lambda_floor": (number | null); "rules_digest": (string | null); "policy_digest": (string | null); "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "verify_url": string }

export type ReceiptSummary = { "receipt_id": string; "digest": string; "chain": string; "seq": number; "prev": string; "node_index": number; "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "label": "STRUCTURAL-ONLY"; "verify_url": string }

export type ServiceError = { "error": { "code": ("malformed_request" | "missing_authorization" | "invalid_authorization" | "invalid_bearer_token" | "credential_revoked" | "missing_scopes" | "cross_origin_refused" | "not_found" | "method_not_allowed" | "request_timeout" | "request_body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "headers_too_large" | "internal_error" | "credential_registry_unavailable" | "idempotency_conflict" | "state_conflict" | "receipt_too_large" | "ledger_busy" | "ledger_read_only" | "signer_unavailable" | "store_unavailable" | "anchoring_not_configured" | "formula_registry_invalid" | "no_input" | "receipt_not_found" | "chain_not_found" | "tile_not_found" | "log_empty" | "no_signing_key" | "key_not_rotatable" | "draining"); "message": string; "request_id": string } }

export type TitleVerification = { "ok": boolean; "schema": "orch.attest.verification/v1"; "verdict": ("PASSED" | "FAILED" | "UNKNOWN"); "verdict_scope": string; "policy": { "policy": string; "checks": { "predicate_type_matches": boolean; "doctrine_is_v11": boolean; "kernel_verified": boolean; "honesty_invariants_all_true": boolean; "provenance_coverage_is_one": boolean; "subject_binds_kernel_commit": boolean }; "failed": (("predicate_type_matches" | "doctrine_is_v11" | "kernel_verified" | "honesty_invariants_all_true" | "provenance_coverage_is_one" | "subject_binds_kernel_commit"))[]; "reason": string; "rego": string }; "signature": { "signed": boolean; "verified": boolean; "status": ("VERIFIED" | "SIGNATURE-INVALID" | "UNSIGNED-READ-ONLY" | "NO-ENVELOPE-SUPPLIED" | "SIGNER-UNKNOWN"); "keyless_ready": false; "note": string }; "transparency": { "required": boolean; "status": ("NOT_ATTEMPTED" | "UNREACHABLE" | "INCLUDED" | "INVALID"); "label": ("MEASURED" | "MODELED"); "log_index": (number | null); "entry_uuid": (string | null); "inclusion_proof": (Record<string, unknown> | null); "note": string }; "reasons": (string)[]; "label": ("MEASURED" | "MODELED"); "label_rule": string; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "verified_at": string; "statement_digest_sha256": (string | null) }

export type TitleVerificationReply = { "ok": boolean; "schema": "orch.attest.verification/v1"; "verdict": ("PASSED" | "FAILED" | "UNKNOWN"); "verdict_scope": string; "policy": { "policy": string; "checks": { "predicate_type_matches": boolean; "doctrine_is_v11": boolean; "kernel_verified": boolean; "honesty_invariants_all_true": boolean; "provenance_coverage_is_one": boolean; "subject_binds_kernel_commit": boolean }; "failed": (("predicate_type_matches" | "doctrine_is_v11" | "kernel_verified" | "honesty_invariants_all_true" | "provenance_coverage_is_one" | "subject_binds_kernel_commit"))[]; "reason": string; "rego": string }; "signature": { "signed": boolean; "verified": boolean; "status": ("VERIFIED" | "SIGNATURE-INVALID" | "UNSIGNED-READ-ONLY" | "NO-ENVELOPE-SUPPLIED" | "SIGNER-UNKNOWN"); "keyless_ready": false; "note": string }; "transparency": { "required": boolean; "status": ("NOT_ATTEMPTED" | "UNREACHABLE" | "INCLUDED" | "INVALID"); "label": ("MEASURED" | "MODELED"); "log_index": (number | null); "entry_uuid": (string | null); "inclusion_proof": (Record<string, unknown> | null); "note": string }; "reasons": (string)[]; "label": ("MEASURED" | "MODELED"); "label_rule": string; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "verified_at": string; "statement_digest_sha256": (string | null); "checks": (Record<string, unknown>)[]; "lake": { "appended": false; "status": "READ_ONLY" } }

export type VerificationReport = { "schema": "orch.verification-report/v1"; "kind": ("receipt" | "envelope" | "export" | "ledger-export" | "pack" | "statement" | "report" | "unknown"); "verdict": ("PASS" | "PARTIAL" | "FAIL" | "INCONCLUSIVE" | "NO_INPUT"); "checks": ({ "check": ("structure" | "signature" | "payload_digest" | "hash_chain" | "inclusion" | "key_trust"); "status": ("VERIFIED" | "MISMATCH" | "UNSIGNED" | "UNAVAILABLE"); "reason": string; "details": Record<string, unknown> })[]; "subject": (Record<string, unknown> | null); "does_not_prove": (string)[]; "checked_at": (string | null); "error"?: { "code": "no_input"; "message": string; "request_id": string } }

export interface Operations {
  /** The evidence pack: matrix, chains, doctrine and keys, with a digest and, where there is a key, signed */
  "assurance.evidencePack": {
    params: None
    query: { "receipts": number }
    body: undefined
    reply: EvidencePackEnvelope
  }
  /** Which sets of requirements this deployment meets now, and what each of the others lacks */
  "assurance.fit": {
    params: None
    query: None
    body: undefined
    reply: AssuranceFit
  }
  /** Eight requirements, each with the check that ran for this request; a failing one is never LIVE */
  "assurance.matrix": {
    params: None
    query: None
    body: undefined
    reply: AssuranceMatrix
  }
  /** One receipt by its hash under six heads; a hash that is not known here is an answer, not an error */
  "attest.byHash": {
    params: { "receipt_hash": string }
    query: None
    body: undefined
    reply: ReceiptAttestation
  }
  /** The chain-of-title statement, built, checked and disclosed field by field for this request */
  "attest.manifest": {
    params: None
    query: { "require_transparency": boolean }
    body: undefined
    reply: ChainOfTitleRecord
  }
  /** The policy verdict on the chain-of-title statement as it would be served now */
  "attest.verify": {
    params: None
    query: { "require_transparency": boolean }
    body: undefined
    reply: TitleVerificationReply
  }
  /** The policy verdict on a statement that somebody brings; nothing is appended */
  "attest.verifyPresented": {
    params: None
    query: { "require_transparency": boolean }
    body: Record<string, unknown>
    reply: TitleVerificationReply
  }
  /** The eight locked formulas, what is only checked, what is conjectured, and the checks run just now */
  "formulas.tiers": {
    params: None
    query: None
    body: undefined
    reply: FormulaTiers
  }
  /** The verification key in use as PEM, or one of the ring by its keyid */
  "keys.cosign": {
    params: None
    query: { "keyid"?: string }
    body: undefined
    reply: string
  }
  /** The demo verification key as PEM, where a demo key is in use */
  "keys.demoCosign": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** The trust ring: every key that ever signed here */
  "keys.list": {
    params: None
    query: None
    body: undefined
    reply: { "keys": ({ "keyid": string; "kind": ("demo" | "production"); "alg": string; "fingerprint": string; "from": string; "to": (string | null); "from_index": number; "to_index": (number | null); "active": boolean; "public_key_pem": string })[]; "count": number; "active_keyid": (string | null); "log_vkey": string }
  }
  /** Turn the demo key: the old one signs the receipt that names the new one */
  "keys.rotate": {
    params: None
    query: None
    body: undefined
    reply: { "old_keyid": string; "new_keyid": string; "new_public_key_pem": string; "key_kind": string; "receipt": ReceiptSummary }
  }
  /** One chain: its head, what the re-walk found, its receipts newest first */
  "khipu.chain": {
    params: { "organ": string }
    query: { "limit"?: number; "cursor"?: string }
    body: undefined
    reply: { "organ": string; "ns": string; "registry_key": string; "head_digest": string; "depth": number; "links_intact": boolean; "broken_at": (number | null); "broken_reason": (string | null); "verified_to": number; "genesis_prev": string; "receipts": (ReceiptRow)[]; "count": (number | null); "scanned": number; "order": string; "next_cursor": (string | null) }
  }
  /** The newest receipts, or the neighbourhood of one, as a graph */
  "khipu.dag": {
    params: None
    query: { "request": string }
    body: undefined
    reply: { "request": string; "order": string; "nodes": (Record<string, unknown>)[]; "edges": ({ "from": string; "to": string; "from_index": number; "to_index": (number | null) })[]; "count": number; "khipu_root": string; "ledger_size": number; "checks": { "F4": { "states": string; "holds": boolean }; "F22": { "states": string; "holds": boolean } } }
  }
  /** Receipts, newest first, narrowed by what they say */
  "khipu.ledger": {
    params: None
    query: { "limit"?: number; "cursor"?: string; "chain"?: string; "kind"?: ("decision" | "review" | "inference" | "agent-step" | "agent-run" | "step" | "recovery" | "organ-run" | "claim-atomize" | "claim-evaluate" | "analysis" | "price" | "anatomy" | "mint" | "sample" | "key-rotation"); "decision"?: ("ALLOW" | "REVIEW" | "DENY"); "agent"?: string; "tool"?: string; "gate"?: string; "session"?: string; "signed"?: ("true" | "false" | "demo" | "production" | "unsigned"); "policy"?: string; "since"?: string; "until"?: string; "q"?: string }
    body: undefined
    reply: { "receipts": (ReceiptRow)[]; "count": (number | null); "scanned": number; "order": string; "next_cursor": (string | null); "ledger_size": number }
  }
  /** The chains, organ by organ, re-walked to their heads for this reply */
  "khipu.organs": {
    params: None
    query: { "rewalk"?: boolean }
    body: undefined
    reply: { "ok": boolean; "service": string; "what": string; "organ_count": number; "organs": (OrganChain)[]; "verified_to": number; "ledger_size": number; "broken": (Record<string, unknown> | null); "doctrine": Record<string, unknown>; "ts": string }
  }
  /** Mint a receipt over an object of the caller */
  "khipu.sign": {
    params: None
    query: None
    body: Record<string, unknown>
    reply: { "digest": string; "node_index": number; "chain": string; "seq": number; "prev": string; "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "dsse": DsseEnvelope; "inclusion": InclusionProof; "verify_url": string; "receipt": ReceiptSummary }
  }
  /** Verify a DSSE envelope */
  "khipu.verify": {
    params: None
    query: None
    body: Record<string, unknown>
    reply: VerificationReport
  }
  /** Verify a receipt of this ledger */
  "khipu.verifyById": {
    params: { "digest": string }
    query: None
    body: undefined
    reply: VerificationReport
  }
  /** Heads of the lake chains, or of one organ */
  "lake.heads": {
    params: None
    query: { "organ"?: string }
    body: undefined
    reply: { "heads": ({ "organ": string; "chain_index": number; "chain_head": string; "verified_to": number })[]; "count": number; "chain_alg": "sha3_256" }
  }
  /** The lake chains: how many receipts, where their heads are */
  "lake.health": {
    params: None
    query: None
    body: undefined
    reply: { "ok": boolean; "store": string; "chain_alg": "sha3_256"; "schema": "orch.lake.receipt/v1"; "total_receipts": number; "organs": Record<string, { "count": number; "chain_index": number; "chain_head": string }> }
  }
  /** The transparency log over all receipts: name, key, size, root, newest checkpoint */
  "lake.log": {
    params: None
    query: None
    body: undefined
    reply: { "origin": string; "vkey": string; "size": number; "root": string; "checkpoint_size": (number | null); "checkpoint": (string | null) }
  }
  /** The lake link of one receipt, recomputed, with its proof of inclusion in the log */
  "lake.proof": {
    params: { "id": string }
    query: None
    body: undefined
    reply: { "ok": boolean; "record": LakeRecord; "canonical": string; "computed_hash": string; "matches": boolean; "node_index": number; "next_hash": (string | null); "inclusion": InclusionProof; "checkpoint": (string | null) }
  }
  /** Links of the lake chains, newest first */
  "lake.receipts": {
    params: None
    query: { "limit"?: number; "cursor"?: string; "organ"?: string }
    body: undefined
    reply: { "receipts": (LakeRecord)[]; "count": (number | null); "scanned": number; "order": string; "next_cursor": (string | null) }
  }
  /** Submits the newest checkpoint of the log to the configured external log and verifies the proof it returns */
  "log.anchor": {
    params: None
    query: None
    body: Record<string, never> | undefined
    reply: AnchorReply
  }
  /** The newest signed checkpoint of the log */
  "log.checkpoint": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** Proof that the log at one size is a beginning of the log at another */
  "log.consistency": {
    params: None
    query: { "from": number; "to"?: number }
    body: undefined
    reply: { "from": number; "to": number; "from_root": string; "to_root": string; "hashes": (string)[]; "checkpoint": (string | null) }
  }
  /** A bundle of log entries: the exact receipt bodies under a tile of level 0 */
  "log.entries": {
    params: { "rest": string }
    query: None
    body: undefined
    reply: Uint8Array
  }
  /** Proof that a receipt is in the log */
  "log.inclusion": {
    params: None
    query: { "digest": string; "tree_size"?: number }
    body: undefined
    reply: { "digest": string; "leaf_index": number; "leaf_hash": string; "tree_size": number; "root": string; "hashes": (string)[]; "checkpoint": (string | null) }
  }
  /** The verification key of the log, as signed notes spell it */
  "log.key": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** A tile of hashes of the log’s tree */
  "log.tile": {
    params: { "rest": string }
    query: None
    body: undefined
    reply: Uint8Array
  }
  /** What is here, as a page */
  "pages.landing": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** Check receipts, exports and evidence packs in the browser, with no connection to anything */
  "pages.verify": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** The exact bytes that were hashed, signed and logged */
  "receipts.canonical": {
    params: { "digest": string }
    query: None
    body: undefined
    reply: Uint8Array
  }
  /** Receipts as server-sent events, one each, `id` is the node index */
  "receipts.events": {
    params: None
    query: { "chain"?: string; "kind"?: ("decision" | "review" | "inference" | "agent-step" | "agent-run" | "step" | "recovery" | "organ-run" | "claim-atomize" | "claim-evaluate" | "analysis" | "price" | "anatomy" | "mint" | "sample" | "key-rotation"); "decision"?: ("ALLOW" | "REVIEW" | "DENY"); "agent"?: string; "tool"?: string; "gate"?: string; "session"?: string; "signed"?: ("true" | "false" | "demo" | "production" | "unsigned"); "policy"?: string; "since"?: string; "until"?: string; "q"?: string; "after"?: number }
    body: undefined
    reply: string
  }
  /** A receipt with everything needed to check it without this service */
  "receipts.export": {
    params: None
    query: { "digest"?: string }
    body: undefined
    reply: { "schema": "orch.receipt-export/v1"; "ok": boolean; "doctrine": string; "generated_at": string; "public_key_url": string; "ledger": Record<string, unknown>; "ledger_durability": string; "export_state": ("SIGNED_VERIFIED" | "UNSIGNED" | "SIGNATURE_INVALID" | "EMPTY"); "receipt_available": boolean; "ledger_size": number; "node_index": number; "node_digest": string; "khipu_root": string; "dsse": DsseEnvelope; "payload_b64": string; "pae_b64": string; "signed": boolean; "keyid": string; "verification": { "state": string; "verified": boolean; "reason": string; "pae_sha256": (string | null) }; "verify_offline": (string)[]; "inclusion": (InclusionProof | null); "checkpoint": (string | null); "limits": ({ "code": string; "detail": string })[]; "honesty": string }
  }
  /** The whole ledger as lines: a header, one line per receipt, a footer */
  "receipts.exportLedger": {
    params: None
    query: None
    body: undefined
    reply: Uint8Array
  }
  /** One receipt with its envelope and its proof, as a file that verifies by itself */
  "receipts.get": {
    params: { "digest": string }
    query: None
    body: undefined
    reply: { "receipt_id": string; "digest": string; "chain": string; "seq": number; "prev": string; "node_index": number; "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "label": "STRUCTURAL-ONLY"; "verify_url": string; "ns": string; "kind": (string | null); "ts_utc": (string | null); "decision": unknown; "body": (Record<string, unknown> | null); "dsse": DsseEnvelope; "pae_b64": string; "inclusion": InclusionProof; "checkpoint": (string | null) }
  }
  /** Verify an envelope, a receipt, an export or a receipt of this ledger by its id */
  "receipts.verify": {
    params: None
    query: None
    body: { "envelope"?: (Record<string, unknown> | string); "receipt_id"?: string; "receipt"?: (Record<string, unknown> | string); "export"?: (Record<string, unknown> | string); "public_key_pem"?: string; "organ"?: string } | undefined
    reply: VerificationReport
  }
  /** Re-walk the chain and report on one receipt of this ledger */
  "receipts.verifyById": {
    params: { "receipt_id": string }
    query: None
    body: undefined
    reply: VerificationReport
  }
  /** What can be verified here, and how the answer reads */
  "receipts.verifyManifest": {
    params: None
    query: None
    body: undefined
    reply: Record<string, unknown>
  }
  /** Which build runs, and who says so */
  "runtime.buildInfo": {
    params: None
    query: None
    body: undefined
    reply: { "status": ("OBSERVED" | "PARTIAL" | "UNAVAILABLE"); "service": "orch"; "build": { "revision": (string | null); "revision_source": string; "version": (string | null); "version_source": string; "working_tree": ("CLEAN" | "DIRTY" | "UNKNOWN"); "build_time": (string | null); "build_digest": (string | null); "artifact_matches_record": (boolean | null); "conflicts": (Record<string, unknown>)[]; "field_evidence": Record<string, ("OBSERVED" | "CONFIGURED" | "UNKNOWN")> }; "runtime": { "node": string; "v8": string; "sqlite": string; "platform": string; "arch": string }; "interface_version": string; "receipt_minted": false }
  }
  /** Health in one word, with the components behind it */
  "runtime.health": {
    params: None
    query: None
    body: undefined
    reply: { "status": ("ok" | "degraded" | "failing"); "service": "orch"; "version": string; "interface_version": string; "doctrine": string; "kernel_commit": string; "auth_mode": ("open" | "token" | "registry"); "ledger": { "mode": string; "size": number; "production_ready": boolean }; "signer": { "status": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "signing_available": boolean; "scheme": string; "key_kind": (string | null); "tested_at": (string | null) }; "uptime_s": number; "components": Record<string, string>; "links": Record<string, string>; "ts": string }
  }
  /** Liveness record: doctrine, lock and what the signer can do */
  "runtime.healthz": {
    params: None
    query: None
    body: undefined
    reply: { "status": "ok"; "organ": "orch"; "doctrine": string; "lock": string; "commit": string; "git_sha": (string | null); "scope": "PROCESS_LIVENESS"; "capability_readiness_asserted": false; "signer": { "status": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "signing_available": boolean; "scheme": string; "key_kind": (string | null); "tested_at": (string | null) }; "dsse_live": { "status": string; "signing_available": boolean; "scheme": string; "mint": string; "rollup": string; "pubkey": string; "public_key_fingerprint": (string | null) } }
  }
  /** Whether the process answers; touches no store */
  "runtime.livez": {
    params: None
    query: None
    body: undefined
    reply: { "status": "LIVE"; "scope": "PROCESS_LIVENESS"; "process": { "runtime": "node"; "runtime_version": string; "uptime_s": number; "event_loop_delay_ms_p99": number; "label": "MEASURED" }; "receipt_minted": false; "checked_at": string }
  }
  /** Prometheus text, or the same readings as JSON when asked for application/json */
  "runtime.metrics": {
    params: None
    query: None
    body: undefined
    reply: ({ "schema": "orch.metrics/v1"; "metrics": ({ "name": string; "type": string; "help": string; "samples": (unknown)[] })[]; "label": "MEASURED"; "read_at": string } | string)
  }
  /** This interface as OpenAPI 3.1 */
  "runtime.openapi": {
    params: None
    query: None
    body: undefined
    reply: Record<string, unknown>
  }
  /** Whether the service can do its work: every component checked for this request */
  "runtime.readyz": {
    params: None
    query: None
    body: undefined
    reply: { "status": ("READY" | "NOT_READY"); "ready": boolean; "production_ready": boolean; "draining": boolean; "components": Record<string, ComponentCheck>; "blocking_components": (string)[]; "receipt_minted": false; "checked_at": string }
  }
}

export const OPERATIONS = {
  "assurance.evidencePack": { method: "GET", path: "/api/orch/v1/assurance/evidence-pack", query: ["receipts"], hasBody: false, scopes: ["receipts:read"], summary: "The evidence pack: matrix, chains, doctrine and keys, with a digest and, where there is a key, signed" },
  "assurance.fit": { method: "GET", path: "/api/orch/v1/assurance/fit", query: [], hasBody: false, scopes: [], summary: "Which sets of requirements this deployment meets now, and what each of the others lacks" },
  "assurance.matrix": { method: "GET", path: "/api/orch/v1/assurance/matrix", query: [], hasBody: false, scopes: [], summary: "Eight requirements, each with the check that ran for this request; a failing one is never LIVE" },
  "attest.byHash": { method: "GET", path: "/api/orch/v1/attest/{receipt_hash}", query: [], hasBody: false, scopes: [], summary: "One receipt by its hash under six heads; a hash that is not known here is an answer, not an error" },
  "attest.manifest": { method: "GET", path: "/api/orch/v1/attest/manifest", query: ["require_transparency"], hasBody: false, scopes: [], summary: "The chain-of-title statement, built, checked and disclosed field by field for this request" },
  "attest.verify": { method: "GET", path: "/api/orch/v1/attest/verify", query: ["require_transparency"], hasBody: false, scopes: [], summary: "The policy verdict on the chain-of-title statement as it would be served now" },
  "attest.verifyPresented": { method: "POST", path: "/api/orch/v1/attest/verify", query: ["require_transparency"], hasBody: true, scopes: [], summary: "The policy verdict on a statement that somebody brings; nothing is appended" },
  "formulas.tiers": { method: "GET", path: "/api/orch/v1/formula-tiers", query: [], hasBody: false, scopes: [], summary: "The eight locked formulas, what is only checked, what is conjectured, and the checks run just now" },
  "keys.cosign": { method: "GET", path: "/cosign.pub", query: ["keyid"], hasBody: false, scopes: [], summary: "The verification key in use as PEM, or one of the ring by its keyid" },
  "keys.demoCosign": { method: "GET", path: "/demo-cosign.pub", query: [], hasBody: false, scopes: [], summary: "The demo verification key as PEM, where a demo key is in use" },
  "keys.list": { method: "GET", path: "/api/orch/v1/keys", query: [], hasBody: false, scopes: [], summary: "The trust ring: every key that ever signed here" },
  "keys.rotate": { method: "POST", path: "/api/orch/v1/keys/rotate", query: [], hasBody: false, scopes: ["keys:rotate"], summary: "Turn the demo key: the old one signs the receipt that names the new one" },
  "khipu.chain": { method: "GET", path: "/api/orch/v1/khipu/chain/{organ}", query: ["limit","cursor"], hasBody: false, scopes: ["receipts:read"], summary: "One chain: its head, what the re-walk found, its receipts newest first" },
  "khipu.dag": { method: "GET", path: "/api/orch/khipu/dag", query: ["request"], hasBody: false, scopes: ["receipts:read"], summary: "The newest receipts, or the neighbourhood of one, as a graph" },
  "khipu.ledger": { method: "GET", path: "/api/orch/khipu/ledger", query: ["limit","cursor","chain","kind","decision","agent","tool","gate","session","signed","policy","since","until","q"], hasBody: false, scopes: ["receipts:read"], summary: "Receipts, newest first, narrowed by what they say" },
  "khipu.organs": { method: "GET", path: "/api/orch/v1/khipu/organs", query: ["rewalk"], hasBody: false, scopes: ["receipts:read"], summary: "The chains, organ by organ, re-walked to their heads for this reply" },
  "khipu.sign": { method: "POST", path: "/api/orch/khipu/sign", query: [], hasBody: true, scopes: ["receipts:write"], summary: "Mint a receipt over an object of the caller" },
  "khipu.verify": { method: "POST", path: "/api/orch/khipu/verify", query: [], hasBody: true, scopes: [], summary: "Verify a DSSE envelope" },
  "khipu.verifyById": { method: "GET", path: "/api/orch/v1/khipu/verify/{digest}", query: [], hasBody: false, scopes: ["receipts:read"], summary: "Verify a receipt of this ledger" },
  "lake.heads": { method: "GET", path: "/api/lake/v1/chain/head", query: ["organ"], hasBody: false, scopes: ["receipts:read"], summary: "Heads of the lake chains, or of one organ" },
  "lake.health": { method: "GET", path: "/api/lake/v1/health", query: [], hasBody: false, scopes: ["receipts:read"], summary: "The lake chains: how many receipts, where their heads are" },
  "lake.log": { method: "GET", path: "/api/lake/v1/log", query: [], hasBody: false, scopes: [], summary: "The transparency log over all receipts: name, key, size, root, newest checkpoint" },
  "lake.proof": { method: "GET", path: "/api/lake/v1/proof/{id}", query: [], hasBody: false, scopes: ["receipts:read"], summary: "The lake link of one receipt, recomputed, with its proof of inclusion in the log" },
  "lake.receipts": { method: "GET", path: "/api/lake/v1/receipts", query: ["limit","cursor","organ"], hasBody: false, scopes: ["receipts:read"], summary: "Links of the lake chains, newest first" },
  "log.anchor": { method: "POST", path: "/api/orch/v1/log/anchor", query: [], hasBody: true, scopes: ["log:anchor"], summary: "Submits the newest checkpoint of the log to the configured external log and verifies the proof it returns" },
  "log.checkpoint": { method: "GET", path: "/log/checkpoint", query: [], hasBody: false, scopes: [], summary: "The newest signed checkpoint of the log" },
  "log.consistency": { method: "GET", path: "/api/orch/v1/log/proof/consistency", query: ["from","to"], hasBody: false, scopes: [], summary: "Proof that the log at one size is a beginning of the log at another" },
  "log.entries": { method: "GET", path: "/log/tile/entries/{rest}", query: [], hasBody: false, scopes: ["log:entries"], summary: "A bundle of log entries: the exact receipt bodies under a tile of level 0" },
  "log.inclusion": { method: "GET", path: "/api/orch/v1/log/proof/inclusion", query: ["digest","tree_size"], hasBody: false, scopes: [], summary: "Proof that a receipt is in the log" },
  "log.key": { method: "GET", path: "/log/key", query: [], hasBody: false, scopes: [], summary: "The verification key of the log, as signed notes spell it" },
  "log.tile": { method: "GET", path: "/log/tile/{rest}", query: [], hasBody: false, scopes: [], summary: "A tile of hashes of the log’s tree" },
  "pages.landing": { method: "GET", path: "/", query: [], hasBody: false, scopes: [], summary: "What is here, as a page" },
  "pages.verify": { method: "GET", path: "/verify", query: [], hasBody: false, scopes: [], summary: "Check receipts, exports and evidence packs in the browser, with no connection to anything" },
  "receipts.canonical": { method: "GET", path: "/api/orch/v1/receipts/{digest}/canonical", query: [], hasBody: false, scopes: ["receipts:read"], summary: "The exact bytes that were hashed, signed and logged" },
  "receipts.events": { method: "GET", path: "/api/orch/v1/events", query: ["chain","kind","decision","agent","tool","gate","session","signed","policy","since","until","q","after"], hasBody: false, scopes: ["receipts:read"], summary: "Receipts as server-sent events, one each, `id` is the node index" },
  "receipts.export": { method: "GET", path: "/api/orch/v1/receipt/export", query: ["digest"], hasBody: false, scopes: ["receipts:read"], summary: "A receipt with everything needed to check it without this service" },
  "receipts.exportLedger": { method: "GET", path: "/api/orch/v1/ledger/export", query: [], hasBody: false, scopes: ["log:entries"], summary: "The whole ledger as lines: a header, one line per receipt, a footer" },
  "receipts.get": { method: "GET", path: "/api/orch/v1/receipts/{digest}", query: [], hasBody: false, scopes: ["receipts:read"], summary: "One receipt with its envelope and its proof, as a file that verifies by itself" },
  "receipts.verify": { method: "POST", path: "/api/orch/v1/verify/receipt", query: [], hasBody: true, scopes: [], summary: "Verify an envelope, a receipt, an export or a receipt of this ledger by its id" },
  "receipts.verifyById": { method: "GET", path: "/api/orch/v1/verify/receipt/{receipt_id}", query: [], hasBody: false, scopes: ["receipts:read"], summary: "Re-walk the chain and report on one receipt of this ledger" },
  "receipts.verifyManifest": { method: "GET", path: "/api/orch/v1/verify/receipt", query: [], hasBody: false, scopes: [], summary: "What can be verified here, and how the answer reads" },
  "runtime.buildInfo": { method: "GET", path: "/api/build-info", query: [], hasBody: false, scopes: [], summary: "Which build runs, and who says so" },
  "runtime.health": { method: "GET", path: "/api/orch/v1/health", query: [], hasBody: false, scopes: [], summary: "Health in one word, with the components behind it" },
  "runtime.healthz": { method: "GET", path: "/healthz", query: [], hasBody: false, scopes: [], summary: "Liveness record: doctrine, lock and what the signer can do" },
  "runtime.livez": { method: "GET", path: "/api/livez", query: [], hasBody: false, scopes: [], summary: "Whether the process answers; touches no store" },
  "runtime.metrics": { method: "GET", path: "/metrics", query: [], hasBody: false, scopes: ["metrics:read"], summary: "Prometheus text, or the same readings as JSON when asked for application/json" },
  "runtime.openapi": { method: "GET", path: "/openapi.json", query: [], hasBody: false, scopes: [], summary: "This interface as OpenAPI 3.1" },
  "runtime.readyz": { method: "GET", path: "/api/readyz", query: [], hasBody: false, scopes: [], summary: "Whether the service can do its work: every component checked for this request" },
} as const
