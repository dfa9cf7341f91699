// Generated from openapi.json by packages/client/generate.ts. Do not edit.
/* biome-ignore-all lint: generated */
type None = Record<never, never>

export type ComponentCheck = { "state": ("OK" | "FAILED" | "UNKNOWN"); "checked_at": string; "latency_ms": number; "detail": Record<string, unknown>; "blocking": boolean }

export type DsseEnvelope = { "payloadType": string; "payload": string; "signatures": ({ "sig": string; "keyid": string })[]; "signed": boolean; "keyid": string; "honesty": string; "_dsse": string; "_pae_sha256": (string | null) }

export type HTTPValidationError = { "detail": ({ "loc": ((string | number))[]; "msg": string; "type": string })[] }

export type InclusionProof = { "leaf_index": number; "tree_size": number; "root": string; "hashes": (string)[] }

export type LakeRecord = { "schema": "orch.lake.receipt/v1"; "organ": string; "chain_index": number; "prev_hash": string; "receipt_digest": string; "ts_utc": string; "hash": string }

export type OrganChain = { "organ": string; "ns": string; "registry_key": string; "head_digest": string; "depth": number; "links_intact": boolean; "broken_at": (number | null); "broken_reason": (string | null); "verified_to": number; "genesis_prev": string }

export type ReceiptRow = { "node_index": number; "receipt_id": string; "digest": string; "ns": string; "chain": string; "seq": number; "prev": string; "kind": (string | null); "decision": (string | null); "ts_utc": (string | null); "request_id": (string | null); "agent": (string | null); "tool": (string | null); "session": (string | null); "gates_fired": (string)[]; "lambda": (number | null); "lambda_floor": (number | null); "rules_digest": (string | null); "policy_digest": (string | null); "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "verify_url": string }

export type ReceiptSummary = { "receipt_id": string; "digest": string; "chain": string; "seq": number; "prev": string; "node_index": number; "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "label": "STRUCTURAL-ONLY"; "verify_url": string }

export type ServiceError = { "error": { "code": ("malformed_request" | "missing_authorization" | "invalid_authorization" | "invalid_bearer_token" | "credential_revoked" | "missing_scopes" | "cross_origin_refused" | "not_found" | "method_not_allowed" | "request_timeout" | "request_body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "headers_too_large" | "internal_error" | "credential_registry_unavailable" | "idempotency_conflict" | "receipt_too_large" | "ledger_busy" | "ledger_read_only" | "signer_unavailable" | "store_unavailable" | "anchoring_not_configured" | "formula_registry_invalid" | "no_input" | "receipt_not_found" | "chain_not_found" | "tile_not_found" | "log_empty" | "no_signing_key" | "key_not_rotatable" | "draining"); "message": string; "request_id": string } }

export type VerificationReport = { "schema": "orch.verification-report/v1"; "kind": ("receipt" | "envelope" | "export" | "ledger-export" | "pack" | "statement" | "report" | "unknown"); "verdict": ("PASS" | "PARTIAL" | "FAIL" | "INCONCLUSIVE" | "NO_INPUT"); "checks": ({ "check": ("structure" | "signature" | "payload_digest" | "hash_chain" | "inclusion" | "key_trust"); "status": ("VERIFIED" | "MISMATCH" | "UNSIGNED" | "UNAVAILABLE"); "reason": string; "details": Record<string, unknown> })[]; "subject": (Record<string, unknown> | null); "does_not_prove": (string)[]; "checked_at": (string | null); "error"?: { "code": "no_input"; "message": string; "request_id": string } }

export interface Operations {
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
    reply: { "origin": string; "vkey": string; "size": number; "root": string; "checkpoint_size": (number | null); "checkpoint": (string | null); "links": Record<string, string> }
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
    params: { "*": string }
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
    params: { "*": string }
    query: None
    body: undefined
    reply: Uint8Array
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
    reply: { "status": ("ok" | "degraded" | "failing"); "service": "orch"; "version": string; "interface_version": string; "doctrine": string; "kernel_commit": string; "auth_mode": ("open" | "token" | "registry"); "signer": { "status": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "signing_available": boolean; "scheme": string; "key_kind": (string | null); "tested_at": (string | null) }; "uptime_s": number; "components": Record<string, string>; "links": Record<string, string>; "ts": string }
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
  "log.checkpoint": { method: "GET", path: "/log/checkpoint", query: [], hasBody: false, scopes: [], summary: "The newest signed checkpoint of the log" },
  "log.consistency": { method: "GET", path: "/api/orch/v1/log/proof/consistency", query: ["from","to"], hasBody: false, scopes: [], summary: "Proof that the log at one size is a beginning of the log at another" },
  "log.entries": { method: "GET", path: "/log/tile/entries/*", query: [], hasBody: false, scopes: ["log:entries"], summary: "A bundle of log entries: the exact receipt bodies under a tile of level 0" },
  "log.inclusion": { method: "GET", path: "/api/orch/v1/log/proof/inclusion", query: ["digest","tree_size"], hasBody: false, scopes: [], summary: "Proof that a receipt is in the log" },
  "log.key": { method: "GET", path: "/log/key", query: [], hasBody: false, scopes: [], summary: "The verification key of the log, as signed notes spell it" },
  "log.tile": { method: "GET", path: "/log/tile/*", query: [], hasBody: false, scopes: [], summary: "A tile of hashes of the log’s tree" },
  "receipts.canonical": { method: "GET", path: "/api/orch/v1/receipts/{digest}/canonical", query: [], hasBody: false, scopes: ["receipts:read"], summary: "The exact bytes that were hashed, signed and logged" },
  "receipts.events": { method: "GET", path: "/api/orch/v1/events", query: ["chain","kind","decision","agent","tool","gate","session","signed","policy","since","until","q","after"], hasBody: false, scopes: ["receipts:read"], summary: "Receipts as server-sent events, one each, `id` is the node index" },
  "receipts.export": { method: "GET", path: "/api/orch/v1/receipt/export", query: ["digest"], hasBody: false, scopes: ["receipts:read"], summary: "A receipt with everything needed to check it without this service" },
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
