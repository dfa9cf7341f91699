// Generated from openapi.json by packages/client/generate.ts. Do not edit.
/* biome-ignore-all lint: generated */
type None = Record<never, never>

export type AgentLoopRequest = { "goal"?: string; "task"?: string; "action"?: string; "max_steps"?: number; "tools"?: (string)[]; "plan"?: ({ "tool": string; "args"?: Record<string, unknown> })[]; "context"?: unknown; "reasoning"?: (string | null); "planner"?: ("builtin" | "upstream"); "session_id"?: (string | null); "deadline_ms"?: number; "review_id"?: (string | null); "dry_run"?: boolean }

export type AgentObservation = { "step": number; "tool": string; "sha256": string; "bytes": number; "decision": ("allow" | "review" | "deny"); "reasons": (string)[]; "findings": (Finding)[]; "dropped": boolean; "output": (Record<string, unknown> | null) }

export type AgentRun = { "schema": "orch.agent-run/v1"; "status": ("completed" | "denied" | "review" | "halted"); "decision": ("allow" | "review" | "deny"); "explanations": (Explanation)[]; "halt": { "code": ("DONE" | "GATE_DENY" | "REVIEW_REQUIRED" | "PLAN_EMPTY" | "NEEDS_INPUT" | "NO_PROGRESS" | "MAX_STEPS" | "DEADLINE" | "TOOL_ERROR" | "PLANNER_ERROR"); "step": number; "reason": string }; "run_id": string; "resumed": ({ "review_id": string; "step": number } | null); "dry_run": boolean; "planner": { "id": string; "clauses": (number | null); "unmatched": (number)[]; "needs": ({ "clause": number; "tool": (string | null); "missing": string })[]; "target": (string | null) }; "steps": (AgentStep)[]; "observations": (AgentObservation)[]; "steps_root": (string | null); "lambda": (Lambda | null); "ignored": ({ "field": string; "reason": ("NOT_PART_OF_THE_CONTRACT" | "LAMBDA_NOT_CALLER_SUPPLIED") })[]; "review": ({ "review_id": string; "expires_at": string; "url": string } | null); "liveness": "Conjecture 3"; "label": "MEASURED"; "master_receipt": (ReceiptSummary | null); "receipt": (ReceiptSummary | null) }

export type AgentStep = { "step": number; "phase": ("goal" | "tool"); "tool": (string | null); "effect": (string | null); "args_sha256": string; "tainted": boolean; "decision": ("allow" | "review" | "deny"); "reasons": (string)[]; "gates_fired": (string)[]; "gates_passed": (string)[]; "findings": (Finding)[]; "executed": boolean; "attempts": number; "failure": (string | null); "observation_sha256": (string | null); "lambda": (number | null); "parent": (string | null); "ms": number; "receipt": (ReceiptSummary | null) }

export type AnatomyBinding = { "schema": "orch.anatomy.bind.v1"; "intent": AnatomyIntent; "evidence": (AnatomyEvidence | null); "evidenceBinding": { "valid": boolean; "expectedDigest": (string | null); "statementDigest": (string | null); "algorithm": "sha256-jcs"; "reasons": (string)[] }; "policyEligible": boolean; "executionAuthority": "none"; "requestId": (string | null); "traceId": (string | null); "combinedOutcome": ("ALLOW" | "REVIEW" | "BLOCK") }

export type AnatomyEvidence = { "outcome": ("ALLOW" | "REVIEW" | "BLOCK"); "deny": (string)[]; "review": (string)[]; "verified": boolean; "signatures": ({ "keyid": string; "verified": boolean; "reason": string })[]; "slsa": { "v1": boolean; "buildType": (string | null); "builderId": (string | null) }; "statementDigest": (string | null); "envelopeDigest": (string | null); "policyEvaluated": true; "determining": (string)[]; "errors": (string)[]; "policyDigest": string }

export type AnatomyIntent = { "outcome": ("ALLOW" | "REVIEW" | "BLOCK"); "reasons": (string)[]; "deny": (string)[]; "review": (string)[]; "forbids": (string)[]; "determining": (string)[]; "sources": Record<string, string>; "errors": ((string | { "path": string; "message": string }))[]; "policy": "cedar.intent.v1"; "engine": "cedar-wasm"; "cedarExecuted": boolean; "policyDigest": (string | null); "policyEligible": boolean; "action": ({ "type": string; "id": string } | null); "principal": ({ "type": string; "id": string } | null); "resource": ({ "type": string; "id": string } | null) }

export type AnatomyRecord = { "index": number; "statement": unknown; "statementDigest": (string | null); "envelopeDigest": (string | null); "statementType": unknown; "predicateType": unknown; "subjects": unknown; "builderId": (string | null); "verification": { "verified": boolean; "keyids": (string)[]; "keyKind": (("production" | "demo") | null) }; "policy": { "outcome": ("ALLOW" | "REVIEW" | "BLOCK"); "deny": (string)[]; "review": (string)[]; "policyDigest": string }; "previousHash": string; "recordHash": string }

export type AnchorReply = { "schema": "orch.log.anchor/v1"; "rekor": ExternalLogReading; "bundle": (Record<string, unknown> | null); "label": ("MEASURED" | "MODELED"); "anchored_at": string; "receipt": Record<string, unknown> }

export type AssetItem = { "key": ("openapi" | "doctrine" | "formula-registry" | "policies" | "gate-rules" | "error-codes" | "organ-catalog" | "receipt-schema" | "pack-schema" | "golden-vectors" | "public-keys" | "sbom" | "bench-results" | "pinn-bench" | "changelog" | "license"); "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null); "preview": (string | null); "preview_truncated": boolean; "read_at": string; "label": ("MEASURED" | "UNAVAILABLE"); "reason": (string | null) }

export type AssetManifest = { "schema": "orch.assets/v1"; "count": number; "assets": { "openapi": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "doctrine": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "formula-registry": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "policies": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "gate-rules": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "error-codes": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "organ-catalog": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "receipt-schema": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "pack-schema": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "golden-vectors": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "public-keys": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "sbom": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "bench-results": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "pinn-bench": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "changelog": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) }; "license": { "what": string; "kind": ("json" | "text" | "jsonl" | "directory"); "media_type": string; "present": boolean; "bytes": (number | null); "sha256": (string | null); "modified_at": (string | null); "url": string; "raw_url": string; "in_charge": (boolean | null); "in_charge_sha256": (string | null) } }; "manifest_sha256": string; "doctrine": "v11" }

export type AssuranceFit = { "surface": "assurance.fit"; "description": string; "fitting": (string)[]; "sets": ({ "id": ("evaluation" | "internal-audit" | "external-audit" | "accredited-operation"); "what": string; "requires": (string)[]; "fits": boolean; "missing": ({ "requirement": string; "detail": string })[] })[]; "walk": (LedgerWalk | null); "honest_note": string; "evaluated_at": string }

export type AssuranceMatrix = { "ns": string; "surface": string; "description": string; "requirements": (AssuranceRequirement)[]; "honest_note": string; "lambda_kind": string; "locked_proven": 8; "kernel_commit": string }

export type AssuranceRequirement = { "req_id": string; "requirement": string; "req_detail": string; "source": string; "source_url": string; "orch_artifact": string; "artifact_url": (string | null); "status": ("LIVE" | "MEASURED" | "SAMPLE" | "MODELED" | "ROADMAP"); "status_detail": string; "honest_caveats": string; "evaluated_at": (string | null); "evidence": (Record<string, unknown> | null) }

export type BrainPulse = { "ok": boolean; "kind": "orch.brain-pulse/v1"; "label": "MEASURED"; "generated_at": string; "read_only": true; "doctrine": "v11"; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "process": { "uptime_s": { "value": number; "unit": "s"; "source": string; "read_at": string }; "rss_bytes": { "value": number; "unit": "bytes"; "source": string; "read_at": string }; "heap_used_bytes": { "value": number; "unit": "bytes"; "source": string; "read_at": string }; "cpu_user_ms": { "value": number; "unit": "ms"; "source": string; "read_at": string }; "cpu_system_ms": { "value": number; "unit": "ms"; "source": string; "read_at": string }; "event_loop_delay_ms": { "p50": number; "p99": number; "max": number; "unit": "ms"; "source": string; "read_at": string }; "active_handles": { "value": number; "unit": "handles"; "source": string; "read_at": string }; "load1": { "value": number; "unit": "runnable tasks"; "source": string; "read_at": string } }; "stores": { "receipts": { "value": (number | null); "is_lower_bound": boolean; "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) }; "chains": { "value": (number | null); "is_lower_bound": boolean; "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) }; "organ_runs": { "value": (number | null); "is_lower_bound": boolean; "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) }; "step_sessions": { "value": (number | null); "is_lower_bound": boolean; "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) }; "claims_evaluated": { "value": (number | null); "is_lower_bound": boolean; "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) }; "search_documents": { "value": (number | null); "is_lower_bound": boolean; "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) }; "surfaces": { "value": (number | null); "is_lower_bound": boolean; "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) } }; "energy": { "joules": (number | null); "window_s": (number | null); "watts": (number | null); "label": ("MEASURED" | "UNAVAILABLE"); "source": string; "reason": (string | null) }; "lit": { "surfaces_total": number; "surfaces_active_5m": number; "organs_active_5m": number }; "content_digest_sha256": string }

export type ChainOfTitleRecord = { "ok": boolean; "schema": "orch.attest.chain-of-title/v1"; "label": ("MEASURED" | "MODELED"); "statement": ChainOfTitleStatement; "statement_digest_sha256": string; "envelope": { "payloadType": "application/vnd.in-toto+json"; "payload": string; "signatures": (unknown)[]; "signed": false; "read_only": true; "_statement_digest_sha256": string; "honesty": string }; "rekor": ExternalLogReading; "verdict": ("PASSED" | "FAILED" | "UNKNOWN"); "verdict_scope": string; "verification": TitleVerification; "policy_source": { "path": string; "package": string; "rules": (string)[]; "sha256": (string | null); "evaluator": "typescript"; "note": string }; "cites": (string)[]; "honest_note": string; "built_at": string; "lake": { "appended": false; "status": "READ_ONLY" } }

export type ChainOfTitleStatement = { "_type": string; "subject": ({ "name": string; "digest": { "gitCommit": string }; "annotations": { "locked_proven": (string)[]; "pin_source": string } })[]; "predicateType": string; "predicate": { "doctrine": string; "provenance": Record<string, unknown>; "energy_measured": (Record<string, unknown>)[]; "energy_disclosure": { "meters_configured": number; "meter_env": string; "label": ("MEASURED" | "UNAVAILABLE"); "note": string; "errors": (string)[] }; "honesty_invariants": { "no_fabricated_measured": boolean; "lambda_is_conjecture_not_theorem": boolean; "locked8_immutable": boolean; "provenance_coverage": number }; "honesty_invariants_meaning": Record<string, string>; "seal": { "formula": string; "tier": "PROPOSED"; "cites": (string)[]; "note": string }; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "attestation": Record<string, unknown> } }

export type ChatCompletion = { "id": string; "object": "chat.completion"; "created": number; "model": string; "choices": ({ "index": number; "message": { "role": "assistant"; "content": (string | null); "refusal": (string | null); "tool_calls"?: ({ "id": string; "type": "function"; "function": { "name": string; "arguments": string } })[] }; "logprobs": ({ "content": ({ "token": string; "logprob": number; "bytes": ((number)[] | null); "top_logprobs": ({ "token": string; "logprob": number; "bytes": ((number)[] | null) })[] })[] } | null); "finish_reason": (string | null) })[]; "usage": ({ "prompt_tokens": number; "completion_tokens": number; "total_tokens": number } | null); "orch": { "decision": ("allow" | "review" | "deny"); "reasons": (("ALL_STAGES_PASSED" | "DECODE_BOUND" | "GATE_ERROR" | "GATE_TIMEOUT" | "THREAT_SIGNATURE" | "PII_EGRESS" | "SECRET_EGRESS" | "SENSITIVITY_EGRESS" | "POLICY_ERROR" | "POLICY_FORBID" | "POLICY_DEFAULT_DENY" | "POLICY_REVIEW" | "TAINTED_ARGUMENT" | "BUDGET_EXCEEDED" | "BUDGET_UNAVAILABLE" | "LAMBDA_BELOW_FLOOR" | "LAMBDA_UNAVAILABLE" | "APPROVED_BY_REVIEW" | "APPROVAL_STALE"))[]; "explanations": (Explanation)[]; "review": ({ "review_id": string; "expires_at": string; "url": string } | null); "decision_receipt": (ReceiptSummary | null); "receipt": ReceiptSummary; "model": { "requested": (string | null); "resolved": (string | null); "returned": (string | null); "mismatch": (boolean | null) }; "usage": { "prompt_tokens": (number | null); "completion_tokens": (number | null); "source": (("upstream" | "counted") | null) }; "served_by": (string | null); "instead_of": ({ "target": string; "code": string; "status": (number | null) })[]; "aborted": boolean } }

export type ChatCompletionRequest = { "model": string; "messages": ({ "role": ("system" | "developer" | "user" | "assistant" | "tool" | "function"); "content"?: unknown })[]; "stream"?: (boolean | null); "max_tokens"?: (number | null); "max_completion_tokens"?: (number | null); "n"?: (number | null) }

export type Claim = { "claim_id"?: string; "statement"?: string; "atomic"?: boolean; "evidence_refs"?: (ClaimEvidence)[]; "consequence_owner"?: (null | ClaimOwner) }

export type ClaimAtom = { "claim_id": string; "statement": string; "atomic": false; "atomization_state": "STRUCTURAL-SPLIT-ONLY"; "human_review_required": true; "evidence_refs": (unknown)[]; "consequence_owner": null; "span": { "start": number; "end": number; "start_utf16": number; "end_utf16": number }; "guarded_stops": ({ "at": number; "rule": ("quote" | "entity" | "ellipsis" | "abbreviation" | "initial" | "date" | "digits") })[]; "exceeds_statement_limit": boolean; "compound_suspected": boolean; "compound_markers": (string)[] }

export type ClaimAtomizeRequest = { "text": string }

export type ClaimContradiction = { "claim_ids"?: (string)[]; "refutes_claim_ids"?: (string)[]; "status"?: ("UNRESOLVED" | "CONFIRMED" | "RESOLVED"); "provenance"?: ClaimProvenance; "resolution_ref"?: string }

export type ClaimEvaluateRequest = { "claims": (Claim)[]; "external_signals"?: Record<string, ClaimSignals>; "contradictions"?: (ClaimContradiction)[] }

export type ClaimEvidence = { "reference_id"?: string; "evidence_state"?: ("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"); "provenance"?: ClaimProvenance; "verification_ref"?: string }

export type ClaimEvidenceRow = { "reference_id": (string | null); "evidence_state": (("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN") | null); "sound": boolean; "provenance": (ClaimProvenance | null); "provenance_traceable": boolean; "verification_ref": (string | null); "locally_resolved": boolean; "matched_by": (("receipt_ref" | "content_sha256") | null); "receipt_id": (string | null); "duplicate_of": (string | null); "self_declared": boolean }

export type ClaimFactuality = { "state"?: ("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"); "source_ref"?: string; "method"?: string }

export type ClaimOwner = { "owner_id"?: string; "accountability_scope"?: string }

export type ClaimProvenance = { "source_id"?: string; "content_sha256"?: string; "receipt_ref"?: string }

export type ClaimReason = { "code": (("RG-001" | "RG-002" | "RG-003" | "RG-004" | "RG-005" | "RG-006" | "RG-007" | "RG-008" | "RG-009" | "RG-010" | "RG-011") | null); "source": ("claim" | "evidence" | "signal" | "contradiction"); "ref": (string | null); "pointer": string; "yields": ("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"); "text": string }

export type ClaimRow = { "claim_id": string; "statement": (string | null); "state": ("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"); "abstain_required": boolean; "rubric_codes": (("RG-001" | "RG-002" | "RG-003" | "RG-004" | "RG-005" | "RG-006" | "RG-007" | "RG-008" | "RG-009" | "RG-010" | "RG-011"))[]; "reasons": (ClaimReason)[]; "evidence_refs": (ClaimEvidenceRow)[]; "independent_sources": number; "self_declared": boolean; "consequence_owner": (ClaimOwner | null); "external_signals": { "semantic_uncertainty": (ClaimSemanticUncertainty | null); "factuality": (ClaimFactuality | null) }; "contradictions": ({ "status": (("UNRESOLVED" | "CONFIRMED" | "RESOLVED") | null); "rubric_codes": (("RG-001" | "RG-002" | "RG-003" | "RG-004" | "RG-005" | "RG-006" | "RG-007" | "RG-008" | "RG-009" | "RG-010" | "RG-011"))[]; "provenance": (ClaimProvenance | null); "provenance_traceable": boolean; "resolution_ref": (string | null); "locally_resolved": boolean; "refutes": boolean })[] }

export type ClaimSemanticUncertainty = { "value"?: number; "source_ref"?: string; "method"?: string }

export type ClaimSignals = { "semantic_uncertainty"?: ClaimSemanticUncertainty; "factuality"?: ClaimFactuality }

export type ComponentCheck = { "state": ("OK" | "FAILED" | "UNKNOWN"); "since": string; "checked_at": string; "latency_ms": number; "detail": Record<string, unknown>; "blocking": boolean }

export type Constellation = { "schema": "orch.constellation/v1"; "surfaces": ({ "name": string; "kind": string; "group": ("Core" | "Applications" | "Showcase" | "Public"); "url": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "reason": (string | null); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "probe_via": ("in-process" | "background"); "http_status": (number | null); "reachable": (boolean | null); "latency_ms": (number | null); "report": { "version": (string | null); "commit": (string | null); "doctrine": (string | null); "service": (string | null); "signer": (string | null) } })[]; "reachable": number; "total": number; "unknown": number }

export type Decision = { "schema": "orch.decision/v1"; "ok": true; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "mode": ("governed" | "ungoverned_vs_governed"); "dry_run": boolean; "domain": { "id": ("core" | "general" | "defense" | "finance" | "legal" | "enterprise" | "realestate" | "insurance"); "confidence": number; "hits": (string)[]; "label": "MODELED" }; "decision": ("allow" | "review" | "deny"); "reasons": (("ALL_STAGES_PASSED" | "DECODE_BOUND" | "GATE_ERROR" | "GATE_TIMEOUT" | "THREAT_SIGNATURE" | "PII_EGRESS" | "SECRET_EGRESS" | "SENSITIVITY_EGRESS" | "POLICY_ERROR" | "POLICY_FORBID" | "POLICY_DEFAULT_DENY" | "POLICY_REVIEW" | "TAINTED_ARGUMENT" | "BUDGET_EXCEEDED" | "BUDGET_UNAVAILABLE" | "LAMBDA_BELOW_FLOOR" | "LAMBDA_UNAVAILABLE" | "APPROVED_BY_REVIEW" | "APPROVAL_STALE"))[]; "explanations": (Explanation)[]; "sensitivity": { "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "rank": number; "inferred": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "declared": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "signals": ({ "rule": string; "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "span": { "start": number; "end": number }; "path": (string)[] })[] }; "findings": (Finding)[]; "findings_total": number; "gates": ({ "name": ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "fired": boolean; "verdict": ("allow" | "review" | "deny"); "planned": number; "completed": number; "ms": (number | null); "digest": string })[]; "gates_fired": (("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"))[]; "gates_passed": (("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"))[]; "policy": { "decision": ("allow" | "review" | "deny"); "determining": (string)[]; "policy_digest": string; "engine": string; "hint": (string | null) }; "budget": ({ "spent_micro": number; "charge_micro": number; "limit_micro": number } | null); "lambda": (Lambda | null); "stages": ({ "id": string; "verdict": ("allow" | "review" | "deny"); "ms": (number | null) })[]; "agent": (string | null); "agent_source": ("CALLER" | null); "input_sha256": string; "redacted_text"?: string; "ungoverned"?: { "answer": null; "label": "UNAVAILABLE"; "has_receipt": false; "skipped_stages": (string)[] }; "caught"?: (Finding)[]; "review": ({ "review_id": string; "expires_at": string; "url": string } | null); "receipt": (ReceiptEvidence | null); "label": "MEASURED"; "ts": string }

export type DeploymentSource = { "schema": "orch.deployment-source/v1"; "observed_at": string; "transport_state": "REACHABLE"; "evidence_state": ("COMPUTED" | "UNAVAILABLE"); "verification_state": "STRUCTURAL_ONLY"; "authority_state": "READ_ONLY"; "source": { "repository": (string | null); "commit": (string | null); "commit_source": string; "state": ("OBSERVED" | "CONFIGURED" | "CONFLICT" | "UNKNOWN") }; "deployment": { "hosted_space": (string | null); "hosted_revision": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null) }; "alignment_state": ("MATCH" | "CONFLICT" | "UNKNOWN"); "attestation_state": "UNSIGNED_STRUCTURAL"; "claims": { "repository_parity": "NOT_CLAIMED"; "reproducible_build": "NOT_CLAIMED"; "build_provenance": "NOT_CLAIMED" }; "refresh": (("QUEUED" | "TOO_SOON") | null); "limits": (string)[] }

export type Document = { "name": string; "title": string; "source": string; "body": ((string | Record<string, unknown>))[] }

export type DocumentEntry = { "name": string; "title": string; "group": string; "headings": (string)[] }

export type DrainReport = { "schema": "orch.gdw.drain-report/v1"; "label": "MEASURED"; "limit": number; "attempted": number; "exported": number; "failed": number; "fenced_out": number; "dead_lettered": number; "pending": number; "claimed": number; "dead_letter": number; "due_remaining": number; "errors": ({ "effect_id": (string | null); "kind": ("receipt_projection" | "proof_export" | "review_notice"); "class": ("TRANSIENT" | "PERMANENT" | "UNCLASSIFIED"); "code": string })[]; "receipt": ReceiptSummary }

export type DsseEnvelope = { "payloadType": string; "payload": string; "signatures": ({ "sig": string; "keyid": string })[]; "signed": boolean; "keyid": string; "honesty": string; "_dsse": string; "_pae_sha256": (string | null) }

export type EvidencePackEnvelope = { "schema": "orch.assurance.evidence-pack.envelope.v1"; "pack": { "schema": "orch.assurance.evidence-pack.v1"; "generated_at": string; "what": string; "assurance_matrix": { "source": string; "status": ("LIVE" | "ROADMAP"); "requirement_count": 8; "requirements": (AssuranceRequirement)[]; "honest_note": string }; "khipu_organs": Record<string, unknown>; "lake_health": Record<string, unknown>; "doctrine": { "version": string; "locked_proven": 8; "locked_theorems": (string)[]; "locked_count_ci_gate": string; "kernel_commit": string; "lambda": string; "khipu_bft": string; "liveness": string; "slsa": string; "accreditation": { "ato": false; "il5": false; "fedramp_high": false }; "honest_note": string }; "cosign_public_key": { "key_id": (string | null); "key_kind": (("demo" | "production") | null); "verify_key_url": string; "sha256_fingerprint": (string | null); "demo_signing_available": boolean; "note": string }; "honest_disclosure": string; "receipts"?: (Record<string, unknown>)[]; "public_keys"?: (Record<string, unknown>)[]; "checkpoint"?: (string | null) }; "pack_sha3_256": string; "digest_alg": "sha3_256"; "digest_canonicalization": string; "offline_verify": string; "signature": ({ "signed": false; "status": "DSSE_PLACEHOLDER"; "note": string } | { "signed": true; "status": "DSSE_SIGNED"; "note": string; "alg": "ECDSA-P256-SHA256"; "keyid": string; "key_kind": ("demo" | "production"); "dsse": Record<string, unknown> }); "generated_at": string }

export type Explanation = { "code": string; "title": string; "sentence": string }

export type ExternalLogReading = { "status": ("NOT_ATTEMPTED" | "UNREACHABLE" | "INCLUDED" | "INVALID"); "attempted": boolean; "reachable": (boolean | null); "log_index": (number | null); "entry_uuid": (string | null); "inclusion_proof": (Record<string, unknown> | null); "label": ("MEASURED" | "MODELED"); "anchored_checkpoint": ({ "size": number; "root": string } | null); "note": string }

export type FederatedSpend = { "schema": "orch.federated-spend/v1"; "configured": boolean; "state": ("not_configured" | "unreachable" | "cached"); "authority": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "reason": (string | null); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "cap_usd": (string | null); "spent_usd": (string | null); "remaining_usd": (string | null); "pct_used": (string | null); "armed": (boolean | null); "tripped": (boolean | null); "entries": (number | null); "chain_intact": (boolean | null); "tail": ({ "ts": (string | null); "actor": (string | null); "model": (string | null); "usd": (string | null); "digest": (string | null) })[]; "local": { "model_calls": (number | null); "tokens_in": (number | null); "tokens_out": (number | null); "calls_without_usage": (number | null); "cost_usd": (string | null); "cost_reason": (string | null); "price_table_sha256": (string | null); "receipts_walked": number; "receipts_total": number; "read_at": string; "label": ("MEASURED" | "UNAVAILABLE"); "reason": (string | null) } }

export type FinanceComputation = { "schema": "orch.finance.computation/v1"; "payload_sha256": string; "component_version": string; "source_revision": string; "signed": false; "persistence": "CALLER_HELD"; "authority": "NONE"; "record_sha256": string }

export type FinanceContract = { "schema": "orch.finance.contract/v1"; "label": "STRUCTURAL-ONLY"; "operations": ({ "method": string; "path": string; "query_schema": (Record<string, unknown> | null); "body_schema": (Record<string, unknown> | null); "body_limit_bytes": (number | null) })[]; "sources": ({ "id": ("polymarket-markets" | "polymarket-book" | "polymarket-history" | "kalshi-markets" | "kalshi-book" | "coinbase-products" | "coinbase-ticker" | "coinbase-candles" | "sec-submissions" | "sec-companyfacts" | "treasury-rates" | "treasury-debt" | "bls-series" | "fred-series" | "alpaca-quote" | "alpaca-bars"); "provider": string; "ttl_seconds": number; "query_schema": Record<string, unknown> })[]; "states": (string)[]; "modes": (string)[]; "labels": (string)[]; "failure_codes": (string)[]; "limits": { "connect_ms": number; "first_byte_ms": number; "whole_read_ms": number; "providers": ({ "id": string; "min_interval_ms": number; "reads_per_day": (number | null); "max_bytes": number; "max_in_flight": number })[] }; "formulas": ({ "id": string; "definition": string; "vector": Record<string, unknown> })[]; "receipt_rules": (Record<string, unknown>)[]; "source_revision": string; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type FinanceObservation = { "schema": "orch.finance.observation/v1"; "source": ("polymarket-markets" | "polymarket-book" | "polymarket-history" | "kalshi-markets" | "kalshi-book" | "coinbase-products" | "coinbase-ticker" | "coinbase-candles" | "sec-submissions" | "sec-companyfacts" | "treasury-rates" | "treasury-debt" | "bls-series" | "fred-series" | "alpaca-quote" | "alpaca-bars"); "ok": boolean; "state": ("SNAPSHOT" | "CACHED" | "STALE" | "UNAVAILABLE"); "mode": ("live" | "cached" | "unreachable"); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "data": (Record<string, unknown> | null); "provenance": (FinanceProvenance | null); "fetched_at": (string | null); "served_at": string; "age_seconds": (number | null); "cache_ttl_seconds": number; "freshness_note": string; "error": ({ "code": string; "retryable": boolean } | null); "retry_after_seconds": (number | null); "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type FinanceOverview = { "schema": "orch.finance.overview/v1"; "ok": boolean; "state": ("SNAPSHOTS_AVAILABLE" | "DEGRADED" | "UNAVAILABLE"); "mode": ("live" | "cached" | "unreachable"); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "sources_requested": number; "sources_available": number; "sources_live": number; "failed": ({ "source": string; "code": string })[]; "data": Record<string, FinanceObservation>; "event_equivalence": "NOT_ESTABLISHED"; "scope": string; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type FinancePortfolio = { "schema": "orch.finance.analytics/v2"; "ok": boolean; "state": ("COMPUTED" | "BLOCKED"); "basis": string; "source_revision": string; "component": { "name": string; "version": string; "formulas_sha256": string }; "label": "MODELED"; "operation": "portfolio"; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "inputs": { "origin": "caller"; "label": "SAMPLE"; "verified": false; "inputs_sha256": string; "periods_per_year": number }; "result": { "per_asset": Record<string, { "series_len": number; "volatility": string; "sharpe": (string | null); "max_drawdown": string; "input_sha256": string }>; "aggregate": { "basis": "PLAIN_AVERAGES_OVER_ASSETS"; "mean_volatility": string; "mean_sharpe": (string | null); "worst_drawdown": string }; "portfolio": ({ "weights": Record<string, number>; "weights_source": ("CALLER" | "EQUAL_DEFAULT"); "alignment": "BY_INDEX_AS_CLAIMED_BY_CALLER"; "covariance_annual": Record<string, Record<string, string>>; "correlation": Record<string, Record<string, (string | null)>>; "volatility": string; "sharpe": (string | null); "max_drawdown": string; "wiped_out_at": (number | null); "diversification_ratio": (string | null); "risk_contributions": (Record<string, { "marginal": string; "absolute": string; "percent": string }> | null) } | null); "portfolio_reason": ("UNEQUAL_LENGTHS" | null); "tail": ({ "confidence": number; "n": number; "k": number; "var": string; "es": string; "horizon_periods": 1 } | null); "tail_reason": (("TOO_FEW_RETURNS" | "UNEQUAL_LENGTHS") | null) }; "error": null; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true; "payload_sha256": string; "receipt": ReceiptSummary }

export type FinancePriceModel = { "schema": "orch.finance.signed-price-model/v1"; "label": "SIMULATED"; "simulator": string; "version": string; "seed": null; "now": number; "estimator": string; "assumptions": (string)[]; "not_real": string; "limits": { "max_rows": number; "max_age": number; "min_groups": number }; "reject_codes": (("ROW_NOT_OBJECT" | "UNKNOWN_FIELDS" | "INVALID_VENUE" | "DUPLICATE_VENUE" | "SYMBOL_MISMATCH" | "MISSING_QUOTE" | "QUOTE_NOT_USD" | "INVALID_PRICE" | "INVALID_OBSERVED_AT" | "FUTURE_OBSERVATION" | "STALE_OBSERVATION" | "INVALID_GROUP"))[]; "cases": ({ "case": string; "rows": (Record<string, unknown>)[]; "state": ("REVIEW" | "ABSTAIN"); "decision_reasons": ("INSUFFICIENT_GROUPS")[]; "venue_median": (string | null); "reference": (string | null); "groups": number; "group_mad_bps": (string | null); "rows_accepted": number; "rejected": ({ "row": number; "code": ("ROW_NOT_OBJECT" | "UNKNOWN_FIELDS" | "INVALID_VENUE" | "DUPLICATE_VENUE" | "SYMBOL_MISMATCH" | "MISSING_QUOTE" | "QUOTE_NOT_USD" | "INVALID_PRICE" | "INVALID_OBSERVED_AT" | "FUTURE_OBSERVATION" | "STALE_OBSERVATION" | "INVALID_GROUP") })[] })[]; "computation": { "schema": "orch.finance.computation/v1"; "payload_sha256": string; "component_version": string; "source_revision": string; "signed": false; "persistence": "CALLER_HELD"; "authority": "NONE"; "record_sha256": string }; "can_authorize": false; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type FinanceProvenance = { "source": string; "provider": string; "upstream_origin": string; "upstream_overridden": boolean; "path": string; "query": Record<string, string>; "fetched_at": string; "source_bytes_sha256": string; "source_bytes": number; "normalized_data_sha256": string; "adapter_version": string; "source_revision": string; "signed": false; "observation_id": string }

export type FinanceProviders = { "schema": "orch.finance.providers/v1"; "label": "STRUCTURAL-ONLY"; "probed": false; "sources": ({ "id": ("polymarket-markets" | "polymarket-book" | "polymarket-history" | "kalshi-markets" | "kalshi-book" | "coinbase-products" | "coinbase-ticker" | "coinbase-candles" | "sec-submissions" | "sec-companyfacts" | "treasury-rates" | "treasury-debt" | "bls-series" | "fred-series" | "alpaca-quote" | "alpaca-bars"); "provider": string; "operation": string; "parameters": ({ "name": string; "type": ("integer" | "text" | "choice" | "day" | "instant"); "default": (string | null); "required": boolean; "bounds": { "minimum": (number | null); "maximum": (number | null); "pattern": (string | null); "choices": ((string)[] | null); "note": (string | null) } })[]; "ttl_seconds": number; "required_environment": (string)[]; "configuration": ("PRESENT" | "MISSING"); "upstream_overridden": boolean; "cooldown_until": (string | null); "budget": ({ "limit": number; "used": number } | null); "last_attempt": ({ "state": string; "ok": boolean; "at": string; "error": (string | null) } | null); "observed_connection": string })[]; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type FinanceQuote = { "schema": "orch.finance.analytics/v2"; "ok": boolean; "state": ("COMPUTED" | "BLOCKED"); "basis": string; "source_revision": string; "component": { "name": string; "version": string; "formulas_sha256": string }; "label": ("MODELED" | "SIMULATED" | "UNAVAILABLE"); "operation": "quote"; "inputs": { "origin": ("coinbase" | "fixture"); "label": ("LIVE" | "SAMPLE" | "SIMULATED" | "UNAVAILABLE"); "mode": (("live" | "cached" | "unreachable") | null); "fetched_at": (string | null); "age_seconds": (number | null); "observation_id": (string | null); "series_len": number; "values_sha256": (string | null); "periods_per_year": number; "simulator": ({ "id": string; "seed": string; "assumptions": (string)[]; "not_real": (string)[] } | null); "benchmark"?: { "symbol": string; "origin": ("coinbase" | "fixture"); "label": ("LIVE" | "SAMPLE" | "SIMULATED" | "UNAVAILABLE"); "mode": (("live" | "cached" | "unreachable") | null); "fetched_at": (string | null); "age_seconds": (number | null); "observation_id": (string | null); "series_len": number; "values_sha256": (string | null); "periods_per_year": number; "simulator": ({ "id": string; "seed": string; "assumptions": (string)[]; "not_real": (string)[] } | null) } }; "result": ({ "symbol": string; "last": string; "last_at": (string | null); "bars": number; "price_kind": "LAST_COMPLETED_DAILY_CLOSE_NOT_EXECUTION_QUOTE"; "volatility": string; "sharpe": (string | null); "max_drawdown": string; "beta"?: (string | null); "benchmark"?: string } | null); "error": ({ "code": ("HISTORY_UNAVAILABLE" | "HISTORY_STALE" | "INCOMPLETE_HISTORY" | "NO_PRICE_VARIATION" | "PRICE_OUT_OF_RANGE" | "TOO_FEW_POINTS" | "TOO_MANY_POINTS" | "BENCHMARK_TIMESTAMPS_MISMATCH"); "symbol": string; "cause": (string | null); "retryable": boolean; "retry_after_seconds": (number | null); "missing_days": (string)[] } | null); "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true; "computation": FinanceComputation }

export type FinanceReceipts = { "schema": "orch.finance.receipts/v1"; "label": "STRUCTURAL-ONLY"; "kinds": ({ "kind": ("CALLER_HELD" | "LEDGER"); "made_by": (string)[]; "schema": string; "fields": (string)[]; "covers": string; "signed": string })[]; "canonicalization": string; "digest": "SHA-256"; "signing": { "status": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "signing_available": boolean; "key_kind": (("demo" | "production") | null); "fingerprint": (string | null); "tested_at": (string | null) }; "counts": Record<string, (number | null)>; "order": "newest first, by node_index"; "receipts": ({ "receipt_id": string; "chain": string; "seq": number; "node_index": number; "kind": (string | null); "ts_utc": (string | null); "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "verify_url": string })[]; "next_cursor": (string | null); "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type FinanceSignals = { "schema": "orch.finance.analytics/v2"; "ok": boolean; "state": ("COMPUTED" | "BLOCKED"); "basis": string; "source_revision": string; "component": { "name": string; "version": string; "formulas_sha256": string }; "label": ("MODELED" | "SIMULATED" | "UNAVAILABLE"); "operation": "signals"; "inputs": { "origin": ("coinbase" | "fixture"); "label": ("LIVE" | "SAMPLE" | "SIMULATED" | "UNAVAILABLE"); "mode": (("live" | "cached" | "unreachable") | null); "fetched_at": (string | null); "age_seconds": (number | null); "observation_id": (string | null); "series_len": number; "values_sha256": (string | null); "periods_per_year": number; "simulator": ({ "id": string; "seed": string; "assumptions": (string)[]; "not_real": (string)[] } | null); "benchmark"?: { "symbol": string; "origin": ("coinbase" | "fixture"); "label": ("LIVE" | "SAMPLE" | "SIMULATED" | "UNAVAILABLE"); "mode": (("live" | "cached" | "unreachable") | null); "fetched_at": (string | null); "age_seconds": (number | null); "observation_id": (string | null); "series_len": number; "values_sha256": (string | null); "periods_per_year": number; "simulator": ({ "id": string; "seed": string; "assumptions": (string)[]; "not_real": (string)[] } | null) } }; "result": ({ "symbol": string; "indicators": { "sma_fast": string; "sma_slow": string; "ema_12": string; "ema_26": string; "rsi_14": (string | null); "macd": { "macd": string; "signal": string; "histogram": string }; "bollinger_z_20": (string | null) }; "votes": { "sma": number; "macd": number; "rsi": number; "z": number }; "vote_score": number; "verdict": ("BULLISH" | "NEUTRAL" | "BEARISH"); "last_close_at": (string | null) } | null); "error": ({ "code": ("HISTORY_UNAVAILABLE" | "HISTORY_STALE" | "INCOMPLETE_HISTORY" | "NO_PRICE_VARIATION" | "PRICE_OUT_OF_RANGE" | "TOO_FEW_POINTS" | "TOO_MANY_POINTS" | "BENCHMARK_TIMESTAMPS_MISMATCH"); "symbol": string; "cause": (string | null); "retryable": boolean; "retry_after_seconds": (number | null); "missing_days": (string)[] } | null); "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true; "computation": FinanceComputation }

export type FinanceSignedPrice = { "schema": "orch.finance.signed-price/v1"; "symbol": ("BTC" | "ETH" | "SOL"); "quote": "USD"; "state": ("REVIEW" | "ABSTAIN"); "label": ("MODELED" | "UNAVAILABLE"); "mode": ("live" | "cached" | "unreachable"); "price": (string | null); "estimate": ({ "method": "median-of-midpoints"; "price": (string | null); "dispersion_bps": (string | null); "dispersion_before_drop_bps": (string | null); "interval": ({ "lower": string; "upper": string } | null); "max_dispersion_bps": number; "venues": ({ "venue": string; "bid": (string | null); "ask": (string | null); "mid": (string | null); "last": (string | null); "venue_time": (string | null); "time_basis": string; "fetched_at": (string | null); "kept": boolean; "reason": (string | null); "bytes_sha256": (string | null); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE") })[] } | null); "print": ({ "receipt_id": string; "observed_at": string; "expires_at": string; "age_seconds": number; "dsse": (DsseEnvelope | null) } | null); "verification": { "signature": ("VERIFIED" | "INVALID" | "UNSIGNED" | "NOT_CHECKED"); "digest": ("MATCHES" | "MISMATCH" | "NOT_CHECKED"); "fresh": boolean; "keyid": (string | null); "key_kind": (string | null); "reasons": (string)[] }; "decision_reasons": (("INSUFFICIENT_VENUES" | "DISPERSION_EXCEEDED" | "STALE_PRINT" | "FUTURE_PRINT" | "UNSIGNED_PRINT" | "SIGNER_UNAVAILABLE" | "SIGNATURE_INVALID" | "PUBLISHER_OFF" | "NO_PRINT_YET"))[]; "third_party": { "state": ("VERIFIED" | "REJECTED" | "UNREACHABLE" | "NOT_CONFIGURED"); "mode": ("live" | "cached" | "unreachable"); "reason": (string | null); "price": (string | null); "difference_bps": (string | null); "observed_at": (string | null); "keyid": (string | null) }; "publisher": ("demand" | "always" | "off"); "served_at": string; "note": string; "can_authorize": false; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type FinanceVerification = { "schema": "orch.finance.receipt-verification/v1"; "label": "STRUCTURAL-ONLY"; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "input_kind": ("envelope" | "receipt_id" | "dsse"); "checked_at": string; "verified": boolean; "authenticity_established": boolean; "integrity": { "verdict": ("VALID" | "INVALID" | "NOT_APPLICABLE"); "checks": { "schema_known": (boolean | null); "payload_digest_matches": (boolean | null); "record_digest_matches": (boolean | null); "flags_intact": (boolean | null); "source_revision_well_formed": (boolean | null); "component_known": (boolean | null) } }; "signature": { "verdict": ("VERIFIED" | "INVALID" | "UNSIGNED" | "UNKNOWN_KEY" | "NOT_APPLICABLE"); "keyid": (string | null); "key_kind": (string | null) }; "ledger": { "verdict": ("FOUND" | "NOT_FOUND" | "MISMATCH") }; "build": ("SAME" | "OTHER" | "UNKNOWN"); "reasons": (string)[]; "note": string; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true; "payload_sha256": string; "receipt": ReceiptSummary }

export type FinanceVerifyContract = { "schema": "orch.finance.receipt-verification/v1"; "label": "STRUCTURAL-ONLY"; "state": "INPUT_REQUIRED"; "method": "POST"; "accepts": ({ "field": string; "what": string })[]; "checks": (("schema_known" | "payload_digest_matches" | "record_digest_matches" | "flags_intact" | "source_revision_well_formed" | "component_known"))[]; "verified": false; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type Finding = { "gate": ("threat-signature-scan" | "pii-egress-guard"); "rule": string; "rule_version": number; "severity": ("block" | "hold" | "note"); "score": number; "view": string; "path": (string)[]; "pointer": (string | null); "start": number; "end": number; "sample_masked": string; "validator": (string | null); "explanation"?: { "score": number; "threshold": number; "probability": number; "ngrams": ({ "ngram": string; "adds": number })[] } }

export type FormulaAuthority = { "schema_version": "orch.formula-authority.v2"; "registry_digest": { "algorithm": "sha256"; "canonicalization": "RFC 8785"; "scope": "payload"; "value": string }; "signature": { "status": ("UNSIGNED" | "SIGNED"); "reason": string }; "payload": { "registry_version": "2.0.0"; "doctrine_version": string; "authority": "FORMAL_SOURCE_PINNED"; "exhaustive": false; "covered_formula_ids": (string)[]; "locked_proven_count": 8; "locked_proven_ids": (string)[]; "kernel_source": { "commit": string; "f_id_to_callable_mapping": "UNKNOWN_NOT_ASSERTED" }; "lambda": { "formula_id": "F23"; "status": string; "can_authorize": false; "can_be_sole_allow_basis": false }; "policy": Record<string, boolean>; "formulas": ({ "id": string; "name": string; "maturity": string; "locked_proven": boolean; "scope": string; "caveat": string; "applicability_required": true; "can_constrain_execution": boolean; "can_authorize_action": false })[]; "historical_non_authorities": ({ "name": string; "ids": (string)[]; "status": "SUPERSEDED"; "note": string })[] } }

export type FormulaCheck = { "formula_id": ("F1" | "F4" | "F7" | "F11" | "F12" | "F18" | "F19" | "F22"); "checked_cases": number; "counterexamples": (string)[]; "passed": boolean; "seed": number; "label": "MEASURED"; "label_detail": "property check, not a proof" }

export type FormulaTiers = { "model": "orch.formula-tiers/v1"; "label": "STRUCTURAL-ONLY"; "locked_count": 8; "locked_ids": (string)[]; "tiers": { "LOCKED-PROVEN": ({ "id": string; "name": string; "statement": string; "executable_invariant": string; "called_by": (string)[]; "maturity": string; "scope_note": string; "proof_checked_in_this_request": false })[]; "SEMANTIC-VERIFIED": ({ "id": string; "name": string; "statement": string; "assumption": string; "check": { "claim_id": string; "checked_cases": number; "counterexamples": (string)[]; "passed": boolean; "seed": number; "label": "MEASURED"; "label_detail": "property check, not a proof" } })[]; "evidence-backed": ({ "id": string; "name": string; "statement": string; "evidence": string; "scope_note": string })[]; "CONJECTURE": ({ "id": string; "name": string; "statement": string; "is_theorem": false; "counterexample_without_separability": ({ "formula_id": "F23"; "aggregator": string; "input": (number)[]; "value": number; "geometric_mean": number; "satisfies": Record<string, boolean>; "stands": boolean } | null) })[] }; "lambda": { "definition": string; "floor": number; "trust_ceiling": number; "status": string; "is_theorem": false }; "checks": (FormulaCheck)[]; "registry_digest": { "algorithm": "sha256"; "value": string; "recomputed": true }; "signature": { "status": ("UNSIGNED" | "SIGNED"); "reason": string }; "authority": FormulaAuthority; "honest": string; "checked_at": string }

export type FrontierInfo = { "ok": true; "schema": "orch.frontier-projects-info/v1"; "version": string; "label": "SAMPLE"; "as_of": string; "attribution": "STUDIED_NOT_COPIED"; "ranking": "NONE"; "scope": string; "source_policy": string; "license_policy": string; "live_metadata_policy": string; "field_count": number; "project_count": number; "unique_repository_count": number; "fields": ({ "id": string; "title": string; "project_count": number })[]; "registry_digest": string }

export type FrontierMetadata = { "mode": ("live" | "cached" | "unreachable"); "label": ("MEASURED" | "SAMPLE" | "UNAVAILABLE"); "reason": (string | null); "source": (string | null); "fetched_at": (string | null); "age_seconds": (number | null); "value": ({ "full_name": string; "default_branch": string; "license": (string | null); "archived": boolean; "open_issues": number; "pushed_at": (string | null) } | null) }

export type FrontierProjects = { "schema": "orch.frontier-projects/v1"; "label": "SAMPLE"; "ranking": "NONE"; "order": "registry"; "checked_at": string; "total": number; "count": number; "projects": ({ "id": string; "field": string; "project": string; "organization": string; "canonical_repo_url": string; "license_expected": string; "license_source": ({ "path": string; "commit": string } | null); "docs": (string)[]; "idea": string; "implemented_by": { "operation": (string | null); "test": (string | null); "registered": boolean; "label": ("LIVE" | "ROADMAP") }; "live_metadata_ref": string })[]; "live_metadata": Record<string, FrontierMetadata>; "next_cursor": (string | null); "registry_digest": string }

export type Gate = { "name": ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "version": string; "stage": ("S2" | "S3" | "S4" | "S5" | "S6"); "rule_count": number; "digest": string; "engine": string; "deadline_ms": (number | null); "evaluated": number; "fired": number; "timed_out": number; "errors": number; "since": string; "label": "MEASURED" }

export type GateDetail = { "name": ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "version": string; "stage": ("S2" | "S3" | "S4" | "S5" | "S6"); "rule_count": number; "digest": string; "engine": string; "deadline_ms": (number | null); "evaluated": number; "fired": number; "timed_out": number; "errors": number; "since": string; "label": "MEASURED"; "rules"?: (GateRule)[]; "policies"?: ({ "name": string; "sha256": string; "text": string })[] }

export type GateList = { "count": number; "gates": (Gate)[]; "reload_failed": (string | null) }

export type GateRule = { "id": string; "version": number; "title": string; "severity": { "input": ("block" | "hold" | "note"); "output": ("block" | "hold" | "note") }; "validator": (string | null); "pattern_sha256": string; "fired": number; "match": (string)[]; "no_match": (string)[] }

export type GateTest = { "gate": ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "test": true; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "verdict": ("allow" | "review" | "deny"); "reasons": (("ALL_STAGES_PASSED" | "DECODE_BOUND" | "GATE_ERROR" | "GATE_TIMEOUT" | "THREAT_SIGNATURE" | "PII_EGRESS" | "SECRET_EGRESS" | "SENSITIVITY_EGRESS" | "POLICY_ERROR" | "POLICY_FORBID" | "POLICY_DEFAULT_DENY" | "POLICY_REVIEW" | "TAINTED_ARGUMENT" | "BUDGET_EXCEEDED" | "BUDGET_UNAVAILABLE" | "LAMBDA_BELOW_FLOOR" | "LAMBDA_UNAVAILABLE" | "APPROVED_BY_REVIEW" | "APPROVAL_STALE"))[]; "explanations": (Explanation)[]; "findings": (Finding)[]; "planned": number; "completed": number; "ms": (number | null); "sensitivity": { "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "rank": number; "inferred": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "declared": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "signals": ({ "rule": string; "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "span": { "start": number; "end": number }; "path": (string)[] })[] }; "policy": ({ "decision": ("allow" | "review" | "deny"); "determining": (string)[]; "policy_digest": string; "engine": string; "hint": (string | null) } | null); "budget": ({ "spent_micro": number; "charge_micro": number; "limit_micro": number } | null); "lambda": (Lambda | null); "receipt": ReceiptSummary; "label": "MEASURED" }

export type GateTestRequest = { "text": string; "direction"?: ("input" | "output"); "declared"?: ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "origin"?: ("user" | "system" | "model" | "tool" | "retrieved"); "effect"?: ("none" | "read" | "write" | "external" | "destructive"); "severity"?: number; "context"?: (Record<string, unknown> | null) }

export type GovernRequest = { "text"?: string; "input"?: string; "mode"?: ("governed" | "ungoverned_vs_governed"); "redact"?: boolean; "dry_run"?: boolean; "vertical"?: ("core" | "general" | "defense" | "finance" | "legal" | "enterprise" | "realestate" | "insurance"); "declared"?: ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "direction"?: ("input" | "output"); "origin"?: ("user" | "system" | "model" | "tool" | "retrieved"); "effect"?: ("none" | "read" | "write" | "external" | "destructive"); "tool"?: (string | null); "agent"?: string; "severity"?: number; "session_id"?: (string | null); "review_id"?: (string | null); "context"?: (Record<string, unknown> | null) }

export type GovernanceRow = { "seq": number; "receipt_id": string; "kind": (string | null); "vertical": (string | null); "action": (string | null); "decision": (string | null); "lambda_advisory": (number | null); "gates_fired": (string)[]; "ts": (string | null); "hash": string; "prev_hash": string; "signed": boolean; "keyid": (string | null); "simulated": boolean; "label": ("STRUCTURAL-ONLY" | "SIMULATED") }

export type HTTPValidationError = { "detail": ({ "loc": ((string | number))[]; "msg": string; "type": string; "ctx"?: Record<string, number> })[] }

export type HonestRecord = { "organ": "orch"; "git_sha": (string | null); "doctrine_lock": { "doctrine": string; "state": "LOCKED"; "declarations": number; "axioms": number; "sorries": number; "commit": string; "lambda": { "status": "Conjecture 1"; "is_theorem": false; "trust_ceiling": number; "floor": number }; "locked_formula_count": 8; "locked_formula_ids": (string)[]; "constants_source": string }; "labels": Record<string, { "label": ("MEASURED" | "MODELED" | "SIMULATED" | "SAMPLE" | "UNAVAILABLE" | "STRUCTURAL-ONLY" | "LIVE" | "ROADMAP" | "SIMULATION-ONLY"); "why": string }>; "signing": { "status": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "key_kind": (("demo" | "production") | null); "note": string }; "persistence": { "mode": string; "production_ready": boolean; "survives_restart": boolean }; "outbound": { "enabled": boolean; "configured_sources": (string)[]; "overridden_sources": (string)[] }; "disclosures": ({ "code": string; "text": string; "since": (string | null) })[]; "slsa": { "level": "L1"; "l2": "NOT_ESTABLISHED"; "l3": "NOT_ESTABLISHED" }; "accreditation": { "ato": false; "il5": false; "fedramp_high": false } }

export type InclusionProof = { "leaf_index": number; "tree_size": number; "root": string; "hashes": (string)[] }

export type InferRequest = { "prompt"?: string; "messages"?: ({ "role": ("system" | "user" | "assistant" | "tool"); "content": string })[]; "vertical"?: ("core" | "general" | "defense" | "finance" | "legal" | "enterprise" | "realestate" | "insurance"); "declared"?: ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "severity"?: number; "session_id"?: (string | null); "review_id"?: (string | null); "agent"?: string; "context"?: (Record<string, unknown> | null); "dry_run"?: boolean; "effort"?: ("fast" | "balanced" | "deep"); "model"?: (string | null); "max_tokens"?: number; "temperature"?: number; "seed"?: (number | null); "stream"?: boolean }

export type Inference = { "schema": "orch.inference/v1"; "ok": true; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "dry_run": boolean; "domain": { "id": ("core" | "general" | "defense" | "finance" | "legal" | "enterprise" | "realestate" | "insurance"); "confidence": number; "hits": (string)[]; "label": "MODELED" }; "decision": ("allow" | "review" | "deny"); "reasons": (("ALL_STAGES_PASSED" | "DECODE_BOUND" | "GATE_ERROR" | "GATE_TIMEOUT" | "THREAT_SIGNATURE" | "PII_EGRESS" | "SECRET_EGRESS" | "SENSITIVITY_EGRESS" | "POLICY_ERROR" | "POLICY_FORBID" | "POLICY_DEFAULT_DENY" | "POLICY_REVIEW" | "TAINTED_ARGUMENT" | "BUDGET_EXCEEDED" | "BUDGET_UNAVAILABLE" | "LAMBDA_BELOW_FLOOR" | "LAMBDA_UNAVAILABLE" | "APPROVED_BY_REVIEW" | "APPROVAL_STALE"))[]; "explanations": (Explanation)[]; "sensitivity": { "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "rank": number; "inferred": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "declared": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "signals": ({ "rule": string; "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "span": { "start": number; "end": number }; "path": (string)[] })[] }; "findings": (Finding)[]; "findings_total": number; "gates": ({ "name": ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "fired": boolean; "verdict": ("allow" | "review" | "deny"); "planned": number; "completed": number; "ms": (number | null); "digest": string })[]; "gates_fired": (("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"))[]; "gates_passed": (("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"))[]; "policy": { "decision": ("allow" | "review" | "deny"); "determining": (string)[]; "policy_digest": string; "engine": string; "hint": (string | null) }; "budget": ({ "spent_micro": number; "charge_micro": number; "limit_micro": number } | null); "lambda": (Lambda | null); "stages": ({ "id": string; "verdict": ("allow" | "review" | "deny"); "ms": (number | null) })[]; "agent": (string | null); "agent_source": ("CALLER" | null); "input_decision": { "decision": ("allow" | "review" | "deny"); "reasons": (("ALL_STAGES_PASSED" | "DECODE_BOUND" | "GATE_ERROR" | "GATE_TIMEOUT" | "THREAT_SIGNATURE" | "PII_EGRESS" | "SECRET_EGRESS" | "SENSITIVITY_EGRESS" | "POLICY_ERROR" | "POLICY_FORBID" | "POLICY_DEFAULT_DENY" | "POLICY_REVIEW" | "TAINTED_ARGUMENT" | "BUDGET_EXCEEDED" | "BUDGET_UNAVAILABLE" | "LAMBDA_BELOW_FLOOR" | "LAMBDA_UNAVAILABLE" | "APPROVED_BY_REVIEW" | "APPROVAL_STALE"))[] }; "output_decision": ({ "decision": ("allow" | "review" | "deny"); "reasons": (("ALL_STAGES_PASSED" | "DECODE_BOUND" | "GATE_ERROR" | "GATE_TIMEOUT" | "THREAT_SIGNATURE" | "PII_EGRESS" | "SECRET_EGRESS" | "SENSITIVITY_EGRESS" | "POLICY_ERROR" | "POLICY_FORBID" | "POLICY_DEFAULT_DENY" | "POLICY_REVIEW" | "TAINTED_ARGUMENT" | "BUDGET_EXCEEDED" | "BUDGET_UNAVAILABLE" | "LAMBDA_BELOW_FLOOR" | "LAMBDA_UNAVAILABLE" | "APPROVED_BY_REVIEW" | "APPROVAL_STALE"))[]; "sensitivity": { "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "rank": number; "inferred": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "declared": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "signals": ({ "rule": string; "class": ("PUBLIC" | "INTERNAL" | "RESTRICTED" | "SECRET"); "span": { "start": number; "end": number }; "path": (string)[] })[] }; "gates": ({ "name": ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "fired": boolean; "verdict": ("allow" | "review" | "deny"); "planned": number; "completed": number; "ms": (number | null); "digest": string })[]; "stages": ({ "id": string; "verdict": ("allow" | "review" | "deny"); "ms": (number | null) })[]; "budget": ({ "spent_micro": number; "charge_micro": number; "limit_micro": number } | null); "lambda": (Lambda | null) } | null); "output_findings": (Finding)[]; "answer": (string | null); "withheld": boolean; "released_chars": (number | null); "served_by": (string | null); "route": { "chosen": (string | null); "eligible": (string)[]; "rejected": ({ "id": string; "why": (string)[] })[] }; "generation": { "label": ("MEASURED" | "UNAVAILABLE"); "reason": (("NOT_ALLOWED" | "DRY_RUN" | "NO_TARGET" | "TARGET_DOWN" | "TARGET_TIMEOUT" | "CLIENT_LEFT" | "HELD_FOR_REVIEW_EARLIER") | null); "code": (string | null); "instead_of": ({ "target": string; "code": string; "status": (number | null) })[]; "model": { "requested": (string | null); "resolved": (string | null); "returned": (string | null); "mismatch": (boolean | null) }; "usage": { "prompt_tokens": (number | null); "completion_tokens": (number | null); "source": (("upstream" | "counted") | null) }; "latency_ms": (number | null); "ttft_ms": (number | null); "finish_reason": (string | null); "aborted": boolean }; "energy": { "joules": null; "label": "UNAVAILABLE"; "reason": string }; "review": ({ "review_id": string; "expires_at": string; "url": string } | null); "decision_receipt": (ReceiptSummary | null); "receipt": (ReceiptSummary | null); "label": "MEASURED"; "ts": string }

export type InferenceHealth = { "status": ("ready" | "no_target"); "targets": ({ "id": string; "model": (string | null); "zone": ("local" | "external"); "tier": number; "context_tokens": number; "timeout_ms": number; "embedded": boolean; "breaker": ("closed" | "open" | "half_open"); "in_flight": number; "calls": number; "errors": number; "last_success_at": (string | null); "last_error_code": (string | null); "last_error_at": (string | null); "label": ("MEASURED" | "UNAVAILABLE"); "reason": (string | null) })[]; "probed": false; "read_at": string; "label": "MEASURED" }

export type InterpretabilityFeatures = { "kind": "orch.interpretability-features/v1"; "label": "SIMULATED"; "label_detail": string; "parameters": { "seed": number; "d_model": number; "n_features": number; "top_k": number; "batch": number }; "work": { "counted": number; "cap": number; "unit": string }; "cache": ("hit" | "miss"); "trained_at": string; "fraction_variance_unexplained": number; "train_fraction_variance_unexplained": number; "reconstruction_mse": number; "reconstruction_cos": number; "l0_mean": number; "dead_features": number; "active_features": number; "dead_feature_pct": number; "feature_density": { "bin_edges_log10": (number)[]; "counts": (number)[] }; "mcc": number; "matched_count": number; "true_features": number; "mean_max_cosine": number; "matched": ({ "true_feature": number; "feature_id": number; "cosine": number })[]; "top_features": ({ "feature_id": number; "mean_activation": number; "fire_frequency": number; "causal_ablation_kl": number; "confidence": (number | null); "matched_true_feature": (number | null); "selectivity": (number | null) })[]; "untrained_control": { "fraction_variance_unexplained": number; "train_fraction_variance_unexplained": number; "reconstruction_mse": number; "reconstruction_cos": number; "l0_mean": number; "dead_features": number; "active_features": number; "dead_feature_pct": number; "feature_density": { "bin_edges_log10": (number)[]; "counts": (number)[] }; "mcc": number; "matched_count": number; "true_features": number; "mean_max_cosine": number; "matched": ({ "true_feature": number; "feature_id": number; "cosine": number })[]; "top_features": ({ "feature_id": number; "mean_activation": number; "fire_frequency": number; "causal_ablation_kl": number; "confidence": (number | null); "matched_true_feature": (number | null); "selectivity": (number | null) })[] }; "quality": { "state": ("BETTER_THAN_BASELINES" | "BELOW_CONTROL" | "WORSE_THAN_MEAN"); "reason": string }; "model": { "type": string; "equation": string; "initialisation": string }; "training": { "steps": number; "rows_seen": number; "loss": string; "optimiser": { "name": "Adam"; "rate": number; "beta1": number; "beta2": number; "epsilon": string; "decay": string }; "loss_curve": (number)[] }; "data": { "generator": string; "true_features": number; "active_per_row": number; "coefficients": (number)[]; "noise_sd": number; "held_out_rows": number; "not_real": (string)[] }; "result_sha256": string; "plots": (Plot)[]; "citations": ({ "id": string; "title": string; "used_for": string })[]; "timing": ({ "wall_ms": number; "cpu_ms": number; "queue_ms": number } | null) }

export type LakeRecord = { "schema": "orch.lake.receipt/v1"; "organ": string; "chain_index": number; "prev_hash": string; "receipt_digest": string; "ts_utc": string; "hash": string }

export type Lambda = { "value": number; "raw": number; "floor": number; "trust_ceiling": number; "passed": boolean; "status": "Conjecture 1"; "is_theorem": false; "label": "MODELED"; "formula": "orch.lambda/v1"; "axes": ({ "name": string; "weight": number; "value": number; "inputs": Record<string, unknown> })[] }

export type LatencyRow = { "id": string; "count": number; "errors": number; "window_count": number; "p50_ms": (number | null); "p95_ms": (number | null); "p99_ms": (number | null); "max_ms": (number | null); "last_at": (string | null); "label": ("MEASURED" | "MODELED" | "SIMULATED" | "SAMPLE" | "UNAVAILABLE" | "STRUCTURAL-ONLY" | "LIVE" | "ROADMAP" | "SIMULATION-ONLY"); "reason": (("INSUFFICIENT_SAMPLES" | "NEVER_CALLED") | null) }

export type LedgerWalk = { "walked_now": number; "from_index": number; "to_index": number; "size": number; "walked_at": string; "full_walk_ended_at": (string | null); "signatures_checked_now": number }

export type M1Gate = { "schema": "orch.m1-operational-gate/v1"; "candidate_id": string; "provider_id": "orch.m1.local/v1"; "checked_at": string; "operational_state": ("READY_EXPERIMENTAL" | "BLOCKED" | "UNAVAILABLE"); "release_state": "NOT_PROMOTED"; "quality_claim": "NOT_ESTABLISHED"; "production_eligible": false; "inference_mode": ("EXPERIMENTAL_LOCAL_ONLY" | "DISABLED"); "effectors": { "network": "DISABLED"; "download": "DISABLED"; "training": "DISABLED"; "publishing": "DISABLED" }; "checks": { "manifest": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "weights": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "tokenizer": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "config": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "training_script": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "corpus_manifest": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "training_receipt": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "evaluation": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "offline_reload": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number }; "provider_identity": { "state": ("PASS" | "BLOCKED" | "UNAVAILABLE"); "reason": (string | null); "sha256"?: string; "bytes"?: number } }; "evaluation": (Record<string, unknown> | null); "label": "MEASURED" }

export type M1InferReply = { "schema": "orch.m1-experimental-inference-result/v1"; "state": "RESULT"; "release_state": "NOT_PROMOTED"; "quality_claim": "NOT_ESTABLISHED"; "production_eligible": false; "inference": { "text": string; "tokens": ({ "id": number; "text": string; "logprob": number; "top": ({ "id": number; "text": string; "logprob": number })[] })[]; "finish_reason": ("length" | "stop" | "end"); "prompt_tokens": number; "prompt_truncated": boolean; "completion_tokens": number; "prompt_bits_per_byte": (number | null); "seed": number }; "basis": string; "label": "MODELED"; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "input_sha256": string; "output_sha256": string; "weights_sha256": string; "timing": { "wall_ms": number; "cpu_ms": number; "queue_ms": number }; "receipt": ReceiptSummary }

export type M1InferRequest = { "schema": "orch.m1-experimental-inference-request/v1"; "prompt": string; "max_new_tokens": number; "temperature": number; "requested_tier": "EXPERIMENTAL_LOCAL_ONLY"; "provider_id": "orch.m1.local/v1"; "seed"?: number; "top_k"?: number; "top_logprobs"?: number; "stop"?: (string)[] }

export type MarketsCompany = { "schema": "orch.markets.company/v1"; "ok": boolean; "state": ("SNAPSHOT" | "CACHED" | "STALE" | "UNAVAILABLE"); "mode": ("live" | "cached" | "unreachable"); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source": string; "source_label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source_url": string; "fetched_at": (string | null); "age_seconds": (number | null); "served_at": string; "provenance": (FinanceProvenance | null); "error": ({ "code": string; "retryable": boolean } | null); "retry_after_seconds": (number | null); "note": string; "cik": string; "entity": (string | null); "metrics": ({ "revenue": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string; "currency": string; "fiscal_year": (number | null); "alternatives": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string })[]; "alternatives_omitted": number; "other_currencies": ({ "currency": string; "period_end": string })[]; "reason": null } | { "value": null; "reason": string }); "net_income": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string; "currency": string; "fiscal_year": (number | null); "alternatives": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string })[]; "alternatives_omitted": number; "other_currencies": ({ "currency": string; "period_end": string })[]; "reason": null } | { "value": null; "reason": string }); "assets": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string; "currency": string; "fiscal_year": (number | null); "alternatives": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string })[]; "alternatives_omitted": number; "other_currencies": ({ "currency": string; "period_end": string })[]; "reason": null } | { "value": null; "reason": string }); "liabilities": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string; "currency": string; "fiscal_year": (number | null); "alternatives": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string })[]; "alternatives_omitted": number; "other_currencies": ({ "currency": string; "period_end": string })[]; "reason": null } | { "value": null; "reason": string }); "stockholders_equity": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string; "currency": string; "fiscal_year": (number | null); "alternatives": ({ "value": string; "taxonomy": string; "concept": string; "start": (string | null); "period_end": string; "duration_days": (number | null); "form": string; "filed": string; "accession": string })[]; "alternatives_omitted": number; "other_currencies": ({ "currency": string; "period_end": string })[]; "reason": null } | { "value": null; "reason": string }) } | null); "periods_aligned": (boolean | null); "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type MarketsDebt = { "schema": "orch.markets.debt/v1"; "ok": boolean; "state": ("SNAPSHOT" | "CACHED" | "STALE" | "UNAVAILABLE"); "mode": ("live" | "cached" | "unreachable"); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source": string; "source_label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source_url": string; "fetched_at": (string | null); "age_seconds": (number | null); "served_at": string; "provenance": (FinanceProvenance | null); "error": ({ "code": string; "retryable": boolean } | null); "retry_after_seconds": (number | null); "note": string; "record_date": (string | null); "total_public_debt_outstanding_usd": (string | null); "debt_held_by_public_usd": (string | null); "intragovernmental_holdings_usd": (string | null); "components_sum_matches": (boolean | null); "total_public_debt_outstanding_raw": (string | null); "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type MarketsMacro = { "schema": "orch.markets.macro/v1"; "ok": boolean; "state": ("SNAPSHOT" | "CACHED" | "STALE" | "UNAVAILABLE"); "mode": ("live" | "cached" | "unreachable"); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source": string; "source_label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source_url": string; "fetched_at": (string | null); "age_seconds": (number | null); "served_at": string; "provenance": (FinanceProvenance | null); "error": ({ "code": string; "retryable": boolean } | null); "retry_after_seconds": (number | null); "note": string; "series_id": string; "variant": ("api" | "keyless-csv"); "vintage": (string | null); "units": (string | null); "observations": ({ "date": string; "value": (string | null) })[]; "latest": ({ "date": string; "value": string } | null); "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type MarketsSummary = { "schema": "orch.markets.summary/v1"; "ok": boolean; "state": ("SNAPSHOTS_AVAILABLE" | "DEGRADED" | "UNAVAILABLE"); "mode": ("live" | "cached" | "unreachable"); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source": string; "source_label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "source_url": null; "fetched_at": (string | null); "age_seconds": (number | null); "served_at": string; "provenance": null; "error": ({ "code": string; "retryable": boolean } | null); "note": string; "parts_ok": number; "parts_total": 3; "failed": (("company" | "national_debt" | "macro"))[]; "company": MarketsCompany; "national_debt": MarketsDebt; "macro": MarketsMacro; "doctrine": string; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true }

export type MaterialsHealth = { "ok": boolean; "label": "MODELED"; "state": ("FITTING" | "CALIBRATING" | "READY" | "FAILED"); "reason": (string | null); "checked_at": string; "rows": number; "training_rows": number; "data_sha256": string; "elements_sha256": string; "second_source": { "rows_checked": number; "disagreements_over_5_kj_mol": ({ "formula": string; "difference_kj_mol": number })[] }; "elements": (string)[]; "systems_with_hull": number; "model": ({ "kernel": string; "hyperparameters": { "s1": number; "s2": number; "length": number; "noise": number; "b0": number; "b1": number }; "log_marginal_likelihood": number; "domain_limits": { "variance_ratio": number; "neighbour_distance": number; "mahalanobis": number } } | null); "calibration": ({ "method": string; "leave_one_out": { "mae": number; "rmse": number; "baseline_mae": number; "rows": number }; "cross_validation": { "mae": number; "baseline_mae": number }; "baseline": string; "levels": ({ "level": number; "coverage": number; "n": number; "distinct_rows": number; "wilson": { "low": number; "high": number }; "median_half_width": number; "baseline_coverage": number; "baseline_median_half_width": number })[]; "by_element_count": ({ "elements": number; "rows": number; "leave_one_out_mae": number })[]; "leave_one_element_out": { "mae": number; "note": string; "elements": ({ "symbol": string; "rows": number; "mae": number })[] } } | null); "calibration_progress": { "done": number; "of": number }; "acceptance": ({ "name": string; "bar": string; "measured": (number | null); "met": (boolean | null) })[]; "self_test": ({ "passed": boolean; "MgO": { "reference": number; "predicted": number; "inside_95": boolean }; "FeO_hull": { "competing_energy": number; "expected": number } } | null); "honesty": "MODELED"; "notes": (string)[] }

export type MaterialsPrediction = { "kind": "orch.materials-prediction/v1"; "label": ("MODELED" | "SAMPLE"); "label_detail": string; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "property": "formation_energy"; "units": "eV/atom"; "composition": Record<string, number>; "fractions": Record<string, number>; "confidence": number; "basis": ("MODEL" | "DEFINITION"); "value": (number | null); "sd": (number | null); "interval": ({ "low": number; "high": number; "half_width": number; "factor": number; "class_rows": number; "calibrated_on": ("BINARY_ROWS_LEFT_OUT" | "ROWS_LEFT_OUT" | "CLASSES_LEFT_OUT" | "DEFINITION") } | null); "verdict": ("GREEN" | "YELLOW" | "RED"); "refusal": ({ "code": ("element_outside_table" | "outside_domain" | "interval_too_wide"); "reason": string } | null); "ood_score": (number | null); "ood": ({ "variance_ratio": number; "neighbour_distance": number; "mahalanobis": number; "nearest": string } | null); "reference": ({ "value": number; "formula": string; "phase": ("cr" | "l" | "g"); "source": string; "source_ref": string; "label": "SAMPLE" } | null); "prediction_excludes_reference": boolean; "hull": ({ "competing_energy": number; "decomposition": ({ "formula": string; "atom_fraction": number })[]; "phases_considered": number; "certificate_gap": number; "energy_above_hull": (number | null); "reference_above_hull": (number | null); "p_stable": (number | null); "state": ("STABLE" | "METASTABLE" | "UNSTABLE" | "UNKNOWN"); "note": string } | null); "hull_reason": (string | null); "model": { "kernel": string; "rows": number; "data_sha256": string; "elements_sha256": string }; "notes": (string)[]; "input_sha256": string; "output_sha256": string; "plot": (Plot | null); "receipt": ReceiptSummary }

export type ModelList = { "object": "list"; "data": ({ "id": string; "object": "model"; "created": number; "owned_by": string; "orch": { "target": string; "zone": ("local" | "external"); "label": "STRUCTURAL-ONLY" } })[] }

export type OrganCatalog = { "schema": "orch.organ-catalog/v1"; "honesty": "PER_ORGAN_EVIDENCE_CLASS"; "count": 25; "admitted_public": false; "origin": string; "proof_record": string; "items": (OrganItem)[]; "note": string }

export type OrganChain = { "organ": string; "ns": string; "registry_key": string; "head_digest": string; "depth": number; "links_intact": boolean; "broken_at": (number | null); "broken_reason": (string | null); "verified_to": number; "genesis_prev": string }

export type OrganDetail = { "schema": "orch.organ-detail/v1"; "id": string; "title": string; "body": ("brain" | "nervous" | "immune" | "circulatory" | "heart" | "skeleton"); "job": string; "evidence_class": ("SIMULATED" | "MEASURED" | "MODELED" | "UNAVAILABLE"); "honesty": ("SIMULATED" | "MEASURED" | "MODELED" | "UNAVAILABLE"); "run": string; "version": string; "request_schema": Record<string, unknown>; "response_schema": Record<string, unknown>; "ops": ({ "op": string; "default": boolean; "summary": string; "isolation": string; "deadline_ms": number; "max_work": number; "writes_state": boolean })[]; "example": { "request": Record<string, unknown>; "prompt": string; "result_sha256": (string | null) }; "limits": Record<string, string>; "backends": ({ "env": string; "configured": boolean; "adds": string })[]; "doc": string }

export type OrganHealth = { "schema": "orch.organ-health/v1"; "ok": boolean; "aggregate": { "total": number; "up": number; "degraded": number; "down": number; "unknown": number; "state": ("UP" | "DEGRADED" | "DOWN" | "UNKNOWN") }; "roles": (OrganHealthRow)[]; "usage": string; "checked_at": string }

export type OrganHealthRow = { "role": string; "title": string; "target": ("self" | "remote"); "subsystems": (string)[]; "up": (boolean | null); "state": ("UP" | "DEGRADED" | "DOWN" | "UNKNOWN"); "mode": ("live" | "cached" | "unreachable"); "label": ("MEASURED" | "SAMPLE" | "UNAVAILABLE"); "latency_ms": number; "checked_at": string; "age_seconds": number; "reason"?: string }

export type OrganHistory = { "schema": "orch.organ-history/v1"; "order": "newest_first"; "durability": string; "count": number; "items": ({ "receipt_id": string; "seq": number; "organ": string; "op": string; "version": string; "status": ("EXECUTED" | "APPROVED" | "DENIED" | "AWAITING_APPROVAL" | "LIMIT_EXCEEDED" | "NEEDS_INPUT" | "UNAVAILABLE"); "input_sha256": string; "result_sha256": (string | null); "class_at_run": ("SIMULATED" | "MEASURED" | "MODELED" | "UNAVAILABLE"); "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "ts": string })[]; "next_cursor": (string | null) }

export type OrganItem = { "id": string; "title": string; "body": ("brain" | "nervous" | "immune" | "circulatory" | "heart" | "skeleton"); "job": string; "evidence_class": ("SIMULATED" | "MEASURED" | "MODELED" | "UNAVAILABLE"); "honesty": ("SIMULATED" | "MEASURED" | "MODELED" | "UNAVAILABLE"); "run": string }

export type OrganRoleHealth = { "role": string; "title": string; "target": ("self" | "remote"); "subsystems": (string)[]; "up": (boolean | null); "state": ("UP" | "DEGRADED" | "DOWN" | "UNKNOWN"); "mode": ("live" | "cached" | "unreachable"); "label": ("MEASURED" | "SAMPLE" | "UNAVAILABLE"); "latency_ms": number; "checked_at": string; "age_seconds": number; "reason"?: string; "checks": ({ "name": string; "subsystem": string; "passed": (boolean | null); "degraded": boolean; "duration_us": number; "reading": (number | string | null); "detail": string })[] }

export type OrganRun = { "schema": "orch.organ-run/v1"; "ok": boolean; "id": string; "title": string; "body": ("brain" | "nervous" | "immune" | "circulatory" | "heart" | "skeleton"); "job": string; "evidence_class": ("SIMULATED" | "MEASURED" | "MODELED" | "UNAVAILABLE"); "honesty": ("SIMULATED" | "MEASURED" | "MODELED" | "UNAVAILABLE"); "op": string; "version": string; "status": ("EXECUTED" | "APPROVED" | "DENIED" | "AWAITING_APPROVAL" | "LIMIT_EXCEEDED" | "NEEDS_INPUT" | "UNAVAILABLE"); "deterministic": boolean; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "input_form": ("structured" | "prompt" | "empty"); "dry_run"?: true; "input_sha256": string; "result": (Record<string, unknown> | null); "result_sha256": (string | null); "evidence": Record<string, unknown>; "attachments": ({ "kind": string; "label": string; "mode": string; "source": string; "read_at": string; "value": unknown; "reason": (string | null) })[]; "limits": ({ "code": string; "detail": string })[]; "label"?: "UNAVAILABLE"; "reason"?: (string | null); "formula_grants_authority": false; "receipt": ReceiptEvidence; "ts": string }

export type OutcomeCounts = { "label": "MEASURED"; "source": "receipts of the ledger"; "read_at": string; "since": string; "until": string; "slices": ({ "allow": number; "review": number; "deny": number })[]; "total": { "allow": number; "review": number; "deny": number }; "scanned": number; "ended": ("beginning" | "since" | "limit") }

export type PinnBench = { "label": ("SAMPLE" | "ROADMAP"); "state": ("MEASURED_BEFORE" | "NOT_RUN"); "reason": (string | null); "reproduce": string; "measured_at": (string | null); "artifact_sha256": (string | null); "payload_sha256": (string | null); "digest_verified": boolean; "machine": (Record<string, unknown> | null); "versions": (Record<string, string> | null); "problems": (Record<string, unknown>)[]; "energy": null; "energy_reason": (string | null); "caveats": (string)[] }

export type PinnBurgers = { "label": "MODELED"; "modeled_not_measured": true; "network": false; "pde": string; "method": string; "boundary_conditions": { "a": number; "b": number }; "viscosity_nu": number; "N": number; "symmetric_half_domain": boolean; "newton_iterations": number; "damping_steps": number; "stages": ({ "nu": number; "iterations": number; "damping_steps": number; "converged": boolean; "final_residual": (number | null) })[]; "residual_history": (number)[]; "newton_converged": boolean; "converged": boolean; "reason": (string | null); "tolerance": number; "a_posteriori_error": (number | null); "rel_l2_vs_exact": (number | null); "max_abs_error": (number | null); "max_abs_error_between": (number | null); "flux_invariant_spread": (number | null); "exact_reference": { "branch": ("constant" | "tanh" | "tan" | "rational" | "coth"); "c": number; "C": number; "x0": (number | null); "equation": string }; "layer": { "width": (number | null); "points_inside": (number | null) }; "conditioning_log": number; "solution": ({ "x": (number)[]; "u": ((number | null))[]; "exact": (number)[] } | null); "cache": ("hit" | "miss"); "timing": ({ "wall_ms": number; "cpu_ms": number; "queue_ms": number } | null); "plot": (Plot | null) }

export type PinnHealth = { "ok": boolean; "label": "MEASURED"; "checked_at": string; "supported_systems": (string)[]; "self_test": { "burgers_canonical_error": (number | null); "rk_error": (number | null); "wall_ms": number; "tolerance": number }; "bench": { "present": boolean; "digest_verified": boolean } }

export type PinnIdentification = { "kind": "orch.pinn-identify/v1"; "label": ("SIMULATED" | "MODELED"); "label_detail": string; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "system": ("duffing" | "damped_oscillator" | "logistic" | "lotka_volterra" | "redlich_kister" | "burgers_viscosity"); "equation": string; "method": string; "observations": number; "convergence": { "converged": boolean; "iterations": number; "starts": number; "starts_agreeing": number; "gradient_norm": (number | null); "right_hand_sides": number }; "discovered": ({ "name": string; "asserted": boolean; "value": (number | null); "std": (number | null); "ci95": (((number | null))[] | null); "ci95_basis": ("PROFILE" | "WALD" | "NOISE_FLOOR" | "NONE"); "ci95_wald": ((number)[] | null); "relative_sd": (number | null); "identifiable": boolean; "units": string; "conditional_on": ({ "name": string; "value": number })[]; "conditional_std": (number | null); "refusal": ({ "code": ("NO_EFFECT" | "SLOPPY_DIRECTION" | "RELATIVE_ERROR" | "INTERVAL_UNBOUNDED" | "NOT_CONVERGED" | "AT_BOUND" | "FIXED_CONTRADICTED"); "reason": string; "direction": (Record<string, number> | null) } | null); "ground_truth"?: number; "recovery_error"?: (number | null) })[]; "initial_state": ({ "name": string; "value": number })[]; "fisher": { "eigenvalues": (number)[]; "kappa": (number | null); "sloppy": ({ "relative_error": (number | null); "direction": Record<string, number> })[] }; "residuals": { "rms": number; "sigma_hat": number; "durbin_watson": (number | null); "runs_p": (number | null); "normality_p": (number | null); "look_independent": (boolean | null) }; "validation": { "held_out_rmse": (number | null); "share": number }; "stability": ({ "temperature_k": number; "points": number; "stable_fraction": number; "miscibility_gaps": ({ "from": number; "to": number })[] } | null); "stability_reason": (string | null); "lambda_advisory": { "value": number; "raw": number; "factors": Record<string, number>; "status": "Conjecture 1"; "is_theorem": false; "trust_ceiling": number; "floor": number; "meets_floor": boolean }; "example": ({ "case": ("identifiable" | "ill_posed"); "noise": number; "noise_sd": number; "seed": number; "simulator": string } | null); "input_sha256": string; "output_sha256": string; "cache": ("hit" | "miss"); "timing": ({ "wall_ms": number; "cpu_ms": number; "queue_ms": number } | null); "plot": Plot }

export type PinnIdentificationRecorded = { "kind": "orch.pinn-identify/v1"; "label": ("SIMULATED" | "MODELED"); "label_detail": string; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "system": ("duffing" | "damped_oscillator" | "logistic" | "lotka_volterra" | "redlich_kister" | "burgers_viscosity"); "equation": string; "method": string; "observations": number; "convergence": { "converged": boolean; "iterations": number; "starts": number; "starts_agreeing": number; "gradient_norm": (number | null); "right_hand_sides": number }; "discovered": ({ "name": string; "asserted": boolean; "value": (number | null); "std": (number | null); "ci95": (((number | null))[] | null); "ci95_basis": ("PROFILE" | "WALD" | "NOISE_FLOOR" | "NONE"); "ci95_wald": ((number)[] | null); "relative_sd": (number | null); "identifiable": boolean; "units": string; "conditional_on": ({ "name": string; "value": number })[]; "conditional_std": (number | null); "refusal": ({ "code": ("NO_EFFECT" | "SLOPPY_DIRECTION" | "RELATIVE_ERROR" | "INTERVAL_UNBOUNDED" | "NOT_CONVERGED" | "AT_BOUND" | "FIXED_CONTRADICTED"); "reason": string; "direction": (Record<string, number> | null) } | null); "ground_truth"?: number; "recovery_error"?: (number | null) })[]; "initial_state": ({ "name": string; "value": number })[]; "fisher": { "eigenvalues": (number)[]; "kappa": (number | null); "sloppy": ({ "relative_error": (number | null); "direction": Record<string, number> })[] }; "residuals": { "rms": number; "sigma_hat": number; "durbin_watson": (number | null); "runs_p": (number | null); "normality_p": (number | null); "look_independent": (boolean | null) }; "validation": { "held_out_rmse": (number | null); "share": number }; "stability": ({ "temperature_k": number; "points": number; "stable_fraction": number; "miscibility_gaps": ({ "from": number; "to": number })[] } | null); "stability_reason": (string | null); "lambda_advisory": { "value": number; "raw": number; "factors": Record<string, number>; "status": "Conjecture 1"; "is_theorem": false; "trust_ceiling": number; "floor": number; "meets_floor": boolean }; "example": ({ "case": ("identifiable" | "ill_posed"); "noise": number; "noise_sd": number; "seed": number; "simulator": string } | null); "input_sha256": string; "output_sha256": string; "cache": ("hit" | "miss"); "timing": ({ "wall_ms": number; "cpu_ms": number; "queue_ms": number } | null); "plot": Plot; "receipt": ReceiptSummary }

export type Plot = { "kind": ("line" | "bar" | "scatter" | "step" | "graph"); "title": string; "x": { "name": string; "unit": (string | null); "min": (number | null); "max": (number | null) }; "y": { "name": string; "unit": (string | null); "min": (number | null); "max": (number | null) }; "series": ({ "name": string; "points": ((number)[])[] })[]; "reference_lines": ({ "axis": ("x" | "y"); "value": number; "name": string })[] }

export type ProductSource = { "schema": "orch.product-source/v1"; "origin": (string | null); "repository_url": (string | null); "git_sha": (string | null); "git_sha_source": string; "doctrine": string; "doctrine_lock": { "doctrine": string; "state": "LOCKED"; "commit": string; "note": string }; "signer": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "signer_key_kind": (("demo" | "production") | null); "certified": false; "proven_trust": false; "publication_eligible": false; "receipt_minted": false; "limits": (string)[] }

export type QuantumBaseline = { "mode": "PROPOSAL_ONLY"; "effectors": 0; "provider_calls": 0; "qpu_calls": 0; "execution_performed": false; "label": ("MODELED" | "SAMPLE" | "MEASURED"); "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "result": { "problem_id": string; "problem_digest": string; "variables": number; "pairs": number; "solver": ("GRAY_CODE_ENUMERATION" | "BRANCH_AND_BOUND" | "TABU_HEURISTIC"); "complete": boolean; "certified": boolean; "states_evaluated": number; "work": { "budget": number; "units": number; "states": number; "nodes": number; "flips": number }; "objective": number; "assignment": Record<string, number>; "tie_break": ("SMALLEST_IN_VARIABLE_ORDER" | "NOT_ESTABLISHED"); "degeneracy": (number | string | null); "second_best": (number | null); "gap_to_second": (number | null); "lower_bound": number; "gap": number; "reevaluated_objective": number; "arithmetic": { "kind": ("EXACT_DECIMAL" | "FIXED_POINT"); "tolerance": number }; "persistency": { "fixed_to_zero": number; "fixed_to_one": number }; "components": ({ "variables": number; "solver": ("GRAY_CODE_ENUMERATION" | "BRANCH_AND_BOUND" | "TABU_HEURISTIC"); "certified": boolean })[]; "ising": { "h": Record<string, number>; "J": ({ "left": string; "right": string; "coefficient": number })[]; "constant": number }; "quantum_hardware_used": false; "quantum_advantage_claimed": false }; "replay_receipt": QuantumReplayReceipt; "receipt": ReceiptSummary; "timing": (null | { "wall_ms": number; "cpu_ms": number; "queue_ms": number }) }

export type QuantumCounterfactualScore = { "mode": "PROPOSAL_ONLY"; "effectors": 0; "provider_calls": 0; "qpu_calls": 0; "execution_performed": false; "label": ("MODELED" | "SAMPLE" | "MEASURED"); "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "result": { "workload_digest": string; "baseline_candidate_id": string; "value_rule": string; "candidates": ({ "candidate_id": string; "backend_id": string; "compile_plan_id": string; "margin": (string | null); "interval": ({ "low": string; "high": string } | null); "basis": ("UNKNOWN" | "DECLARED" | "ASSERTED_MEASURED" | "RECEIPTED"); "input_bases": Record<string, ("UNKNOWN" | "DECLARED" | "ASSERTED_MEASURED" | "RECEIPTED")>; "unknown_inputs": (("bounded_value_usd" | "compute_cost_usd" | "queue_cost_usd" | "energy_cost_usd" | "verification_cost_usd" | "operational_risk_cost_usd" | "estimated_accuracy"))[]; "disposition": ("POSITIVE_MARGIN" | "NON_POSITIVE_MARGIN" | "UNKNOWN_INPUTS"); "break_even": ({ "input": ("bounded_value_usd" | "compute_cost_usd" | "queue_cost_usd" | "energy_cost_usd" | "verification_cost_usd" | "operational_risk_cost_usd" | "estimated_accuracy"); "value": (string | null); "exact": boolean; "attainable": boolean; "meaning": ("MARGIN_IS_POSITIVE_BELOW" | "MARGIN_IS_POSITIVE_ABOVE") } | null); "contrast_to_baseline": (string | null); "regret": (string | null) })[]; "compared": { "among": "CANDIDATES_WITHOUT_UNKNOWN_INPUTS"; "left_out": (string)[] }; "pareto_front": (string)[]; "p_best": (({ "candidate_id": string; "p_best": number })[] | null); "value_of_information": ({ "candidate_id": string; "input": ("bounded_value_usd" | "compute_cost_usd" | "queue_cost_usd" | "energy_cost_usd" | "verification_cost_usd" | "operational_risk_cost_usd" | "estimated_accuracy"); "expected_gain_usd": (number | null); "reason": (string | null) })[]; "simulation": ({ "draws": number; "distribution": string; "label": "SIMULATED" } | null) }; "plot": (Plot | null); "replay_receipt": QuantumReplayReceipt; "receipt": ReceiptSummary; "timing": (null | { "wall_ms": number; "cpu_ms": number; "queue_ms": number }) }

export type QuantumReceiptReplay = { "mode": "PROPOSAL_ONLY"; "effectors": 0; "provider_calls": 0; "qpu_calls": 0; "execution_performed": false; "label": ("MODELED" | "SAMPLE" | "MEASURED"); "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "result": { "operation": ("qubo/baseline" | "hamiltonian/shot-plan" | "counterfactual/score" | "claim/rupture-gate"); "hash_valid": boolean; "input_digest_valid": boolean; "output_digest_valid": boolean; "replay_equal": boolean; "first_difference": ({ "pointer": string; "expected": unknown; "got": unknown } | null); "replay_error": (string | null); "valid": boolean }; "receipt": ReceiptSummary; "timing": (null | { "wall_ms": number; "cpu_ms": number; "queue_ms": number }) }

export type QuantumReplayReceipt = { "schema_version": "orch.quantum-utility.receipt.v1"; "operation": ("qubo/baseline" | "hamiltonian/shot-plan" | "counterfactual/score" | "claim/rupture-gate"); "mode": "PROPOSAL_ONLY"; "effectors": 0; "provider_calls": 0; "input": Record<string, unknown>; "input_sha256": string; "output": Record<string, unknown>; "output_sha256": string; "signature_state": "UNSIGNED_DETERMINISTIC_HASH_ONLY"; "receipt_sha256": string }

export type QuantumRuptureGate = { "mode": "PROPOSAL_ONLY"; "effectors": 0; "provider_calls": 0; "qpu_calls": 0; "execution_performed": false; "label": ("MODELED" | "SAMPLE" | "MEASURED"); "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "result": { "claim_id": string; "evidence_state": ("SUPPORTED" | "REFUTED" | "UNKNOWN"); "rules": ({ "id": string; "state": ("PASS" | "FAIL" | "NOT_EVALUABLE"); "detail": string })[]; "flags": ("IMPOSSIBLE_OBJECTIVE")[]; "gate_passed": boolean; "eligible_for_human_review": boolean; "time_to_solution": ({ "quantum_seconds": (number | null); "quantum_upper_seconds": (number | null); "classical_seconds": (number | null) } | null); "certified_minimum": (number | null); "baseline_wall_seconds": (number | null); "evaluated_at": string; "ledger_found": boolean; "quantum_advantage_verified": false; "claim_authorized": false; "publication_authorized": false; "execution_authorized": false }; "replay_receipt": QuantumReplayReceipt; "receipt": ReceiptSummary; "timing": (null | { "wall_ms": number; "cpu_ms": number; "queue_ms": number }) }

export type QuantumShotPlan = { "mode": "PROPOSAL_ONLY"; "effectors": 0; "provider_calls": 0; "qpu_calls": 0; "execution_performed": false; "label": ("MODELED" | "SAMPLE" | "MEASURED"); "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "result": { "problem_id": string; "grouping": ("qubit_wise" | "general" | "none"); "constant": number; "measured_terms": number; "groups": ({ "basis": (string | null); "term_ids": (string)[]; "weight": number; "shots": number; "predicted_variance": number; "rotation": (({ "qubit": number; "gates": (string)[] })[] | null) })[]; "predicted_variance": number; "predicted_standard_error": number; "variance_upper_bound": number; "variance_optimal": boolean; "comparison": { "uniform": (number | null); "per_term_optimal": number; "grouped": number }; "merged": ({ "pauli": string; "term_ids": (string)[]; "coefficient": number })[]; "dropped": ({ "term_ids": (string)[]; "pauli": string; "reason": ("ZERO_COEFFICIENT" | "CANCELLED") })[]; "shots_allocated": number; "shots_by_formula": (number | null); "covariances": "TAKEN_AS_ZERO"; "qubit_order": string }; "plot": (Plot | null); "replay_receipt": QuantumReplayReceipt; "receipt": ReceiptSummary; "timing": (null | { "wall_ms": number; "cpu_ms": number; "queue_ms": number }) }

export type QuantumUtilityInfo = { "mode": "PROPOSAL_ONLY"; "effectors": 0; "provider_calls": 0; "qpu_calls": 0; "execution_performed": false; "label": "STRUCTURAL-ONLY"; "operations": ({ "operation": string; "path": string; "method": string; "body_sha256": string })[]; "bounds": Record<string, unknown>; "methods": ({ "name": string; "used_for": string; "certifies": boolean })[]; "non_goals": (string)[]; "receipt_schema": { "schema_version": string; "sha256": string }; "quantum_hardware_used": false; "quantum_advantage_claimed": false }

export type ReceiptAttestation = { "surface": "orch.attest.receipt/v1"; "receipt_hash": string; "verdict": ("CHAIN-VERIFIED" | "TAMPERED" | "NOT_FOUND" | "INCONCLUSIVE"); "factors": ({ "factor": number; "title": string; "status": string; "detail": string; "independent_check": string })[]; "checked_at": string; "doctrine": string; "labels": (("MEASURED" | "MODELED" | "SIMULATED" | "SAMPLE" | "UNAVAILABLE" | "STRUCTURAL-ONLY" | "LIVE" | "ROADMAP" | "SIMULATION-ONLY"))[] }

export type ReceiptEvidence = { "receipt_id": string; "digest": string; "chain": string; "seq": number; "prev": string; "node_index": number; "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "label": "STRUCTURAL-ONLY"; "verify_url": string; "dsse"?: DsseEnvelope; "inclusion"?: (InclusionProof | null); "checkpoint"?: (string | null) }

export type ReceiptRow = { "node_index": number; "receipt_id": string; "digest": string; "ns": string; "chain": string; "seq": number; "prev": string; "kind": (string | null); "decision": (string | null); "ts_utc": (string | null); "request_id": (string | null); "owner": (string | null); "agent": (string | null); "agent_source": (string | null); "tool": (string | null); "tool_sha256": (string | null); "session_sha256": (string | null); "gates_fired": (string)[]; "reasons": (string)[]; "rules": (string)[]; "review_id": (string | null); "lambda": (number | null); "lambda_floor": (number | null); "rules_digest": (string | null); "policy_digest": (string | null); "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "verify_url": string }

export type ReceiptSummary = { "receipt_id": string; "digest": string; "chain": string; "seq": number; "prev": string; "node_index": number; "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "label": "STRUCTURAL-ONLY"; "verify_url": string }

export type ResearchAudit = { "ok": boolean; "label": "MODELED"; "basis": string; "source_revision": string; "component": { "name": string; "version": string; "formulas_sha256": string }; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "inputs": { "label": "SAMPLE"; "verified": false; "source_url": (string | null); "source_fetched": false; "inputs_sha256": string }; "schema": "orch.finance.research-audit/v1"; "as_of": string; "status": ("AUDITED" | "BLOCKED"); "summary": { "records": number; "kept": number; "excluded": number; "kept_percent": (string | null); "excluded_percent": (string | null); "states": { "observed": number; "suppressed": number; "missing": number; "invalid": number }; "zero_values": number; "unknown_releases": number; "late_releases": number }; "exclusion_reasons": ({ "reason": ("DUPLICATE_ENTITY_PERIOD" | "OUTSIDE_EXPECTED_ENTITIES" | "OUTSIDE_YEAR_RANGE" | "REPORTED_EXCLUSION" | "OBSERVED_NULL" | "SUPPRESSED_VALUE" | "MISSING_VALUE" | "INVALID_VALUE" | "RELEASE_DATE_UNKNOWN" | "RELEASE_AFTER_AS_OF"); "records": number; "primary_records": number; "percent_of_records": (string | null) })[]; "attrition": { "entities": ({ "entity": string; "records": number; "kept": number; "excluded": number; "kept_percent": (string | null); "excluded_percent": (string | null) })[]; "groups": ({ "group": (string | null); "records": number; "kept": number; "excluded": number; "kept_percent": (string | null); "excluded_percent": (string | null) })[] }; "coverage": { "expected_cells": (number | null); "recorded_cells": number; "observed_cells": number; "missing_cells": number; "absent_cells": (number | null); "eligible_cells": number; "coverage_percent": (string | null); "eligible_percent": (string | null); "cells": ({ "entity": string; "period": number; "status": ("OBSERVED" | "MISSING" | "ABSENT"); "records": number; "eligible": boolean })[]; "cells_truncated": boolean }; "robustness": { "computed": false; "specifications": number; "sign_change": (boolean | null); "small_cluster_threshold": 30; "flags": ({ "specification": (string | null); "code": ("SIGN_CHANGE" | "SMALL_CLUSTER_COUNT" | "ZERO_STANDARD_ERROR") })[] }; "record_audit": ({ "index": number; "entity": string; "period": number; "eligible": boolean; "primary_reason": (("DUPLICATE_ENTITY_PERIOD" | "OUTSIDE_EXPECTED_ENTITIES" | "OUTSIDE_YEAR_RANGE" | "REPORTED_EXCLUSION" | "OBSERVED_NULL" | "SUPPRESSED_VALUE" | "MISSING_VALUE" | "INVALID_VALUE" | "RELEASE_DATE_UNKNOWN" | "RELEASE_AFTER_AS_OF") | null); "reasons": (("DUPLICATE_ENTITY_PERIOD" | "OUTSIDE_EXPECTED_ENTITIES" | "OUTSIDE_YEAR_RANGE" | "REPORTED_EXCLUSION" | "OBSERVED_NULL" | "SUPPRESSED_VALUE" | "MISSING_VALUE" | "INVALID_VALUE" | "RELEASE_DATE_UNKNOWN" | "RELEASE_AFTER_AS_OF"))[] })[]; "issues": ({ "code": string; "severity": ("BLOCKING" | "WARNING"); "count": number })[]; "execution_enabled": false; "trading_enabled": false; "advisory_only": true; "not_financial_advice": true; "payload_sha256": string; "receipt": ReceiptSummary }

export type ReviewItem = { "schema": "orch.review/v1"; "review_id": string; "state": ("pending" | "approved" | "denied" | "expired" | "consumed"); "operation": string; "reviewed": ({ "receipt_id": string; "digest": string } | null); "question": (string | null); "tool": (string | null); "tool_sha256": (string | null); "agent": (string | null); "input_sha256": string; "rules_digest": string; "policy_digest": string; "reasons": (string)[]; "findings": (Finding)[]; "lambda": (number | null); "requested_by": { "owner": string; "key_id": (string | null) }; "created_at": string; "expires_at": string; "valid_until": (string | null); "required_approvals": number; "votes": ({ "verdict": ("approve" | "deny"); "reviewer": string; "key_id": (string | null); "reason": (string | null); "reason_sha256": string; "at": string; "receipt_id": (string | null) })[]; "final_receipt": (string | null); "consumed_by": (string | null); "step": (Record<string, unknown> | null); "payload_state": ("held" | "erased") }

export type ReviewVerdict = { "verdict": ("approve" | "deny"); "reason": string; "reviewer"?: string }

export type SecurityLoopManifest = { "ready": true; "schema_version": "orch.waqay.security-loop.v1"; "label": "STRUCTURAL-ONLY"; "mode": "PROPOSAL_ONLY"; "effectors": 0; "external_mutations": "DISABLED"; "state_machine": (("DETECTED" | "VALIDATED" | "REMEDIATION_PROPOSED" | "APPROVAL_REQUIRED" | "RECALL_PROPOSED" | "ROLLOFF_PROPOSED" | "CLOSED" | "DENIED"))[]; "transitions": ({ "from": ("DETECTED" | "VALIDATED" | "REMEDIATION_PROPOSED" | "APPROVAL_REQUIRED" | "RECALL_PROPOSED" | "ROLLOFF_PROPOSED" | "CLOSED" | "DENIED"); "to": ("DETECTED" | "VALIDATED" | "REMEDIATION_PROPOSED" | "APPROVAL_REQUIRED" | "RECALL_PROPOSED" | "ROLLOFF_PROPOSED" | "CLOSED" | "DENIED"); "gates_required": (("SBOM_VERIFIED" | "VULNERABILITY_VALIDATED" | "PROVENANCE_VERIFIED" | "NO_UNRESOLVED_CONTRADICTION" | "ROLLBACK_ADMITTED" | "GRAPH_TRUST" | "PRINCIPAL_VERIFIED" | "HUMAN_APPROVAL_VERIFIED" | "ARTIFACT_SIGNATURE_VERIFIED"))[]; "reason_required": boolean })[]; "gate_ids": (("SBOM_VERIFIED" | "VULNERABILITY_VALIDATED" | "PROVENANCE_VERIFIED" | "NO_UNRESOLVED_CONTRADICTION" | "ROLLBACK_ADMITTED" | "GRAPH_TRUST" | "PRINCIPAL_VERIFIED" | "HUMAN_APPROVAL_VERIFIED" | "ARTIFACT_SIGNATURE_VERIFIED"))[]; "bounds": { "max_findings": number; "max_affected_deployments": number; "max_plan_batches": number; "max_batch_size": number }; "receipt": { "appended": false; "reason": string }; "truth_boundary": string; "manifest_digest": string; "run": SecurityLoopRun }

export type SecurityLoopRun = { "label": ("SAMPLE" | "UNAVAILABLE"); "state": ("COMPLETED" | "UNAVAILABLE"); "reason": (string | null); "components": (number | null); "advisories": number; "findings": ({ "advisory_id": string; "aliases": (string)[]; "package": string; "version": string; "range": string; "fixed_in": (string | null); "path": string; "dev": boolean; "severity": string; "source": string; "state": ("DETECTED" | "VALIDATED" | "REMEDIATION_PROPOSED" | "APPROVAL_REQUIRED" | "RECALL_PROPOSED" | "ROLLOFF_PROPOSED" | "CLOSED" | "DENIED"); "blocked_by": (("SBOM_VERIFIED" | "VULNERABILITY_VALIDATED" | "PROVENANCE_VERIFIED" | "NO_UNRESOLVED_CONTRADICTION" | "ROLLBACK_ADMITTED" | "GRAPH_TRUST" | "PRINCIPAL_VERIFIED" | "HUMAN_APPROVAL_VERIFIED" | "ARTIFACT_SIGNATURE_VERIFIED"))[]; "gates": Record<string, ("PASS" | "FAIL" | "UNKNOWN")> })[]; "counts": ({ "production": number; "dev": number; "without_version": number; "packages_covered": number; "findings": number; "findings_left_out": number; "by_state": Record<string, number>; "by_severity": Record<string, number> } | null); "lockfile_sha256": (string | null); "advisories_sha256": string; "snapshot_date": string; "attribution": string; "complete": false; "note": string }

export type ServiceError = { "error": { "code": ("malformed_request" | "missing_authorization" | "invalid_authorization" | "invalid_bearer_token" | "credential_revoked" | "missing_scopes" | "cross_origin_refused" | "not_found" | "method_not_allowed" | "request_timeout" | "request_body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "headers_too_large" | "internal_error" | "credential_registry_unavailable" | "idempotency_conflict" | "state_conflict" | "session_busy" | "quota_exceeded" | "session_expired" | "session_not_found" | "session_chain_broken" | "stored_record_altered" | "write_surface_unavailable" | "grant_exceeds_limit" | "source_revision_mismatch" | "integrity_not_verified" | "receipt_too_large" | "ledger_busy" | "ledger_read_only" | "too_many_streams" | "guard_unavailable" | "signer_unavailable" | "store_unavailable" | "anchoring_not_configured" | "formula_registry_invalid" | "data_file_invalid" | "review_not_found" | "review_closed" | "review_expired" | "self_approval_forbidden" | "four_eyes_unenforceable" | "gates_unavailable" | "gates_busy" | "unknown_symbol" | "gate_not_found" | "operation_not_found" | "invalid_claim_request" | "too_many_candidates" | "claim_compiler_unavailable" | "claim_compiler_failure" | "ledger_unavailable" | "model_not_found" | "denied_by_gate" | "review_required" | "model_gate_blocked" | "model_unavailable" | "inference_slot_busy" | "context_length_exceeded" | "no_target" | "upstream_failed" | "upstream_timeout" | "unknown_organ" | "unknown_role" | "record_not_found" | "tenant_quota_exceeded" | "organ_pool_busy" | "organ_failed" | "unknown_asset" | "asset_absent" | "unknown_section" | "unknown_source" | "unknown_claim" | "no_input" | "receipt_not_found" | "chain_not_found" | "tile_not_found" | "log_empty" | "no_signing_key" | "key_not_rotatable" | "artifact_digest_mismatch" | "compute_busy" | "compute_timeout" | "draining"); "message": string; "request_id": string } }

export type SourceDeployAttestation = { "schema_version": "orch.source-deploy-attestation/v2"; "immutable_for_process": true; "repository_url": { "value": (string | null); "evidence_class": ("STRUCTURAL-ONLY" | "UNAVAILABLE"); "source": string; "read_at": string }; "source_commit": { "value": (string | null); "evidence_class": ("STRUCTURAL-ONLY" | "UNAVAILABLE"); "source": string; "read_at": string }; "deployed_commit": { "value": (string | null); "evidence_class": ("STRUCTURAL-ONLY" | "UNAVAILABLE"); "source": string; "read_at": string }; "build_digest": { "value": (string | null); "evidence_class": ("STRUCTURAL-ONLY" | "UNAVAILABLE"); "source": string; "read_at": string }; "image_digest": { "value": (string | null); "evidence_class": ("STRUCTURAL-ONLY" | "UNAVAILABLE"); "source": string; "read_at": string }; "deploy_timestamp": { "value": (string | null); "evidence_class": ("STRUCTURAL-ONLY" | "UNAVAILABLE"); "source": string; "read_at": string }; "deployment_target": (string | null); "alignment_state": ("MATCH" | "CONFLICT" | "UNKNOWN"); "claims": { "reproducible_build": "NOT_CLAIMED"; "artifact_equivalence": "NOT_CLAIMED"; "slsa_level": "NOT_CLAIMED" }; "limits": (string)[] }

export type SovereignCompute = { "service": "orch"; "doctrine": "v11"; "summary": string; "sovereign_any": boolean; "sovereign_basis": (("ANSWERED_NOW" | "ANSWERED_EARLIER") | null); "capabilities": ({ "id": ("cpu" | "memory" | "gpu" | "local_model" | "external_model" | "embeddings" | "arithmetic"); "name": string; "tier": ("LIVE-SOVEREIGN" | "LIVE-MANAGED" | "WIRED-UNREACHABLE" | "NOT-CONFIGURED"); "label": ("MEASURED" | "SAMPLE" | "UNAVAILABLE"); "facts": Record<string, unknown>; "source": string; "read_at": string; "mode"?: ("live" | "cached" | "unreachable"); "fetched_at"?: string; "age_seconds"?: number; "reason"?: string })[]; "roadmap": ({ "id": ("pqc" | "hardened_image" | "mesh_compute"); "name": string; "label": "ROADMAP"; "note": string })[]; "doctrine_lock": { "version": "v11"; "locked_ids": (("F1" | "F4" | "F7" | "F11" | "F12" | "F18" | "F19" | "F22"))[]; "locked_count": 8; "lock": "749/14/163"; "kernel_commit": "c7c0ba17"; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "consensus": "Conjecture 2" }; "models_live": number; "checked_at": string }

export type Spine = { "schema": "orch.spine/v1"; "local": { "tools": ({ "name": string; "description": string; "effect": ("none" | "read" | "write" | "destructive" | "external"); "scopes": (string)[] })[]; "tool_count": number; "label": "MEASURED"; "read_at": string }; "gateway": { "configured": boolean; "origin": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "reason": (string | null); "label": ("LIVE" | "SAMPLE" | "UNAVAILABLE"); "http_status": (number | null); "server": (string | null); "tools": ({ "name": string; "description": (string | null) })[]; "resources": (string)[]; "auth_required": (boolean | null) } }

export type StepDecision = { "schema": "orch.gdw.step/v1"; "label": "MODELED"; "request_id": string; "request_digest": string; "session_id": string; "principal": { "namespace": string; "owner_id": string; "key_id": (string | null) }; "decision": ("allow" | "review" | "deny"); "reason_codes": (string)[]; "explanations": (Explanation)[]; "agent": (string | null); "agent_source": ("CALLER" | null); "step": number; "dry_run": boolean; "scheduler_mode": ("kda_local" | "laguna_hybrid" | "mla_global"); "routing": { "mode": ("kda_local" | "laguna_hybrid" | "mla_global"); "score": (number | null); "probabilities": { "kda_local": number; "laguna_hybrid": number; "mla_global": number }; "reason": ("explicit_hint" | "memory_pressure_guard" | "bounded_local_budget" | "mixed_local_global_budget" | "global_context_budget"); "history_steps": number; "guard_would_apply": boolean; "context_estimated": boolean }; "novelty": { "supplied": (number | null); "measured": number; "used_for_mode": number; "used_for_risk": number }; "disagreement": { "supplied": (number | null); "measured": number; "used_for_mode": number; "used_for_risk": number }; "risk": { "model": "orch.gdw.risk/v2"; "preliminary": number; "estimate": number; "components": ({ "id": string; "weight": number; "intensity": number; "contribution": number; "source": string; "evidence": (string)[] })[]; "budget": number; "granted": number; "spent_before": number; "spent_after": number; "remaining_after": number; "headroom": number; "charged": number; "day": ({ "date": string; "budget": number; "spent_before": number; "spent_after": number } | null); "margins": { "near": number; "exceeded": number; "floor": number; "ceiling": number } }; "experts": ({ "expert": ("planner" | "retriever" | "auditor" | "verifier" | "operator"); "version": string; "ran_as": ("DEFAULT" | "REQUESTED" | "MANDATORY" | "RISK_ONLY"); "verdict": ("pass" | "caution" | "block" | "abstain"); "findings": ({ "code": string; "weight_id": (string | null); "span": ({ "start": number; "end": number } | null); "evidence": string })[] })[]; "unknown_experts": (string)[]; "gates": ({ "gate": string; "verdict": ("allow" | "review" | "deny"); "fired": boolean; "passed": boolean })[]; "policy": { "sha256": string; "decision": ("allow" | "review" | "deny"); "rules": (string)[] }; "lambda": (Lambda | null); "state_before_hash": string; "state_hash": string; "review": ({ "review_id": string; "expires_at": string; "url": string } | null); "effects": ({ "effect_id": string; "kind": ("receipt_projection" | "proof_export" | "review_notice"); "state": "PENDING" })[]; "would_be"?: { "step": number; "state_hash": string; "spent_after": number; "effects": ({ "kind": ("receipt_projection" | "proof_export" | "review_notice"); "state": "PENDING" })[]; "review": boolean }; "kernel_execution": "NOT_EXECUTED"; "note": string; "receipt": (ReceiptSummary | null); "receipt_status": ("SIGNED" | "UNSIGNED" | "SIGNER_UNAVAILABLE" | "NOT_WRITTEN_DRY_RUN"); "created_at": string }

export type StepIntegrity = { "schema": "orch.gdw.integrity/v1"; "ok": boolean; "scope": ("owner" | "global"); "label": "MEASURED"; "read_at": string; "generation_id": string; "sessions": number; "records_total": number; "walk": { "from_index": number; "to_index": number; "records_walked": number; "mode": ("FULL" | "INCREMENTAL"); "last_full_walk_at": (string | null) }; "first_broken": ({ "session": (string | null); "index": number; "kind": string } | null); "merkle": { "root": string; "leaves": number }; "effects": { "pending": number; "claimed": number; "exported": number; "dead_letter": number }; "orphan_receipts": number; "missing_receipts": number; "invalid": { "state_hash": number; "link": number; "step_gap": number; "spent": number; "receipt_digest": number; "signature": number; "effect_binding": number; "exported_artifact": number; "recovery_audit": number }; "store": { "engine": string; "journal_mode": string; "synchronous": string } }

export type StepRequest = { "session_id": string; "request": string; "allowed_experts"?: (string)[]; "risk_budget"?: number; "mode_hint"?: ("auto" | "kda_local" | "laguna_hybrid" | "mla_global"); "dry_run"?: boolean; "novelty"?: (number | null); "disagreement"?: (number | null); "context_tokens"?: number; "active_tool_count"?: number; "memory_pressure"?: (number | null); "agent"?: string }

export type StepSession = { "schema": "orch.gdw.session/v1"; "session_id": string; "step": number; "state_hash": string; "prev_state_hash": string; "budget": number; "granted": number; "spent": number; "remaining": number; "lifecycle": ("ACTIVE" | "EXPIRED"); "pending_reviews": number; "effects": { "pending": number; "claimed": number; "exported": number; "dead_letter": number }; "recent_steps": ({ "step": number; "decision": ("allow" | "review" | "deny"); "mode": ("kda_local" | "laguna_hybrid" | "mla_global"); "estimate": number; "receipt_id": (string | null) })[]; "order": "newest-first"; "created_at": string; "updated_at": string; "expires_at": string }

export type SteppingHealth = { "schema": "orch.gdw.health/v1"; "status": ("ok" | "degraded"); "write_ready": boolean; "write_blockers": (string)[]; "auth_mode": ("open" | "token" | "registry"); "store": { "engine": string; "durability_state": string; "schema_version": string }; "signer": { "status": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "key_kind": (string | null); "tested_at": (string | null) }; "gates": { "ready": boolean; "rules_digest": (string | null) }; "drain": ({ "running": boolean; "last_outcome": (string | null); "last_success_at": (string | null); "lag_seconds": number } | null); "last_full_walk_at": (string | null); "doctrine": string }

export type SteppingTerms = { "schema": "orch.gdw.bench/v1"; "label": ("SAMPLE" | "UNAVAILABLE"); "benchmark_status": ("COMMITTED_RESULT" | "UNMEASURED"); "reason": string; "result": ({ "value": number; "unit": string; "measured_at": string; "rounds": (number)[]; "machine": string; "file_sha256": string } | null); "reproduce": string; "risk": { "model": "orch.gdw.risk/v2"; "label": "MODELED"; "equation": string; "note": string; "components": ({ "id": string; "weight": number; "source": string })[] }; "constants": Record<string, unknown>; "quotas": { "owner": { "sessions": number; "steps": number; "effects": number; "reviews": number; "bytes": number }; "global": { "sessions": number; "steps": number; "effects": number; "reviews": number; "bytes": number } }; "metrics_path": string }

export type StewardAudit = { "id": string; "observed_at": string; "duration_ms": number; "digest": string; "checks": ({ "id": ("chain_rewalk" | "route_inventory" | "locked_set" | "formula_checks" | "self_tests" | "artifacts" | "ledger_durability" | "disk_free" | "event_loop" | "error_rate" | "caches" | "lockfile"); "state": ("PASS" | "WARN" | "FAIL" | "ERROR"); "observed": Record<string, unknown>; "expected": string; "subjects": (string)[]; "duration_ms": number; "checked_at": string; "label": ("MEASURED" | "SAMPLE" | "UNAVAILABLE") })[] }

export type StewardProposal = { "id": string; "rule": string; "label": "MODELED"; "title": string; "objective": string; "hypothesis": string; "evidence_refs": (string)[]; "tests": (string)[]; "success_metrics": (string)[]; "stop_conditions": (string)[]; "severity": number; "effort": number; "confidence": number; "priority": number }

export type StewardProposals = { "schema": "orch.steward.surface/v1"; "state": ("CURRENT" | "STALE" | "INVALID" | "UNAVAILABLE"); "reason": (string | null); "scope": "PUBLIC_READ_ONLY"; "mutation_policy": "PROPOSAL_ONLY"; "production_ready": boolean; "model_invoked": false; "provider_calls": 0; "effectors": 0; "storage_writes": 0; "source": { "revision": (string | null) }; "age_seconds": (number | null); "label": "MODELED"; "basis": string; "audit": ({ "id": string; "observed_at": string; "digest": string } | null); "count": number; "order": "priority"; "proposals": (StewardProposal)[] }

export type StewardStatus = { "schema": "orch.steward.surface/v1"; "state": ("CURRENT" | "STALE" | "INVALID" | "UNAVAILABLE"); "reason": (string | null); "scope": "PUBLIC_READ_ONLY"; "mutation_policy": "PROPOSAL_ONLY"; "production_ready": boolean; "model_invoked": false; "provider_calls": 0; "effectors": 0; "storage_writes": 0; "source": { "revision": (string | null) }; "age_seconds": (number | null); "audit": (StewardAudit | null); "integrity": { "chain_valid": (boolean | null); "latest_hash": (string | null); "signature_status": string } }

export type SurfaceShare = { "kind": "orch.surface-share/v1"; "label": "MODELED"; "surface_id": string; "surface_known": boolean; "demand": number; "weight": number; "request_budget": number; "share": number; "shares_sum": number; "capacity": number; "unallocated": number; "window_s": number; "demand_basis": string; "equation": string; "energy_budget": { "joules": (number | null); "label": ("MODELED" | "UNAVAILABLE"); "reason": (string | null) }; "pulse_digest": string; "known_surfaces": (string)[]; "weights_without_surface": (string)[]; "plot": Plot; "generated_at": string }

export type TitleVerification = { "ok": boolean; "schema": "orch.attest.verification/v1"; "verdict": ("PASSED" | "FAILED" | "UNKNOWN"); "verdict_scope": string; "policy": { "policy": string; "checks": { "predicate_type_matches": boolean; "doctrine_is_v11": boolean; "kernel_verified": boolean; "honesty_invariants_all_true": boolean; "provenance_coverage_is_one": boolean; "subject_binds_kernel_commit": boolean }; "failed": (("predicate_type_matches" | "doctrine_is_v11" | "kernel_verified" | "honesty_invariants_all_true" | "provenance_coverage_is_one" | "subject_binds_kernel_commit"))[]; "reason": string; "rego": string }; "signature": { "signed": boolean; "verified": boolean; "status": ("VERIFIED" | "SIGNATURE-INVALID" | "UNSIGNED-READ-ONLY" | "NO-ENVELOPE-SUPPLIED" | "SIGNER-UNKNOWN"); "keyless_ready": false; "note": string }; "transparency": { "required": boolean; "status": ("NOT_ATTEMPTED" | "UNREACHABLE" | "INCLUDED" | "INVALID"); "label": ("MEASURED" | "MODELED"); "log_index": (number | null); "entry_uuid": (string | null); "inclusion_proof": (Record<string, unknown> | null); "note": string }; "reasons": (string)[]; "label": ("MEASURED" | "MODELED"); "label_rule": string; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "verified_at": string; "statement_digest_sha256": (string | null) }

export type TitleVerificationReply = { "ok": boolean; "schema": "orch.attest.verification/v1"; "verdict": ("PASSED" | "FAILED" | "UNKNOWN"); "verdict_scope": string; "policy": { "policy": string; "checks": { "predicate_type_matches": boolean; "doctrine_is_v11": boolean; "kernel_verified": boolean; "honesty_invariants_all_true": boolean; "provenance_coverage_is_one": boolean; "subject_binds_kernel_commit": boolean }; "failed": (("predicate_type_matches" | "doctrine_is_v11" | "kernel_verified" | "honesty_invariants_all_true" | "provenance_coverage_is_one" | "subject_binds_kernel_commit"))[]; "reason": string; "rego": string }; "signature": { "signed": boolean; "verified": boolean; "status": ("VERIFIED" | "SIGNATURE-INVALID" | "UNSIGNED-READ-ONLY" | "NO-ENVELOPE-SUPPLIED" | "SIGNER-UNKNOWN"); "keyless_ready": false; "note": string }; "transparency": { "required": boolean; "status": ("NOT_ATTEMPTED" | "UNREACHABLE" | "INCLUDED" | "INVALID"); "label": ("MEASURED" | "MODELED"); "log_index": (number | null); "entry_uuid": (string | null); "inclusion_proof": (Record<string, unknown> | null); "note": string }; "reasons": (string)[]; "label": ("MEASURED" | "MODELED"); "label_rule": string; "lambda": { "status": string; "is_theorem": false; "trust_ceiling": number; "floor": number }; "verified_at": string; "statement_digest_sha256": (string | null); "checks": (Record<string, unknown>)[]; "lake": { "appended": false; "status": "READ_ONLY" } }

export type Topology = { "schema": "orch.topology/v1"; "core": { "id": ("gate" | "reasoning" | "receipts" | "telemetry" | "mesh" | "fleet" | "voice" | "community" | "operator"); "name": string; "role": string; "pos": (number)[]; "healthy": (boolean | null); "reason": (string | null); "since": string; "check": string; "evidence": Record<string, unknown>; "latency_ms": (number | null); "checked_at": string; "links": (string)[] }; "nodes": ({ "id": ("gate" | "reasoning" | "receipts" | "telemetry" | "mesh" | "fleet" | "voice" | "community" | "operator"); "name": string; "role": string; "pos": (number)[]; "healthy": (boolean | null); "reason": (string | null); "since": string; "check": string; "evidence": Record<string, unknown>; "latency_ms": (number | null); "checked_at": string; "links": (string)[] })[]; "edges": ({ "from": ("gate" | "reasoning" | "receipts" | "telemetry" | "mesh" | "fleet" | "voice" | "community" | "operator"); "to": ("gate" | "reasoning" | "receipts" | "telemetry" | "mesh" | "fleet" | "voice" | "community" | "operator"); "relation": string; "observed_calls": number; "p50_ms": (number | null); "p99_ms": (number | null); "window_s": number })[]; "counts": { "healthy": number; "failing": number; "unknown": number }; "generated_at": string; "label": "MEASURED" }

export type TransientEffectRecovery = { "schema": "orch.gdw.transient-effect-recovery/v1"; "label": "MEASURED"; "status": ("RESCHEDULED" | "NO_ELIGIBLE_EFFECTS"); "recovery_id": string; "source_revision": (string | null); "requested_limit": number; "inspected": number; "eligible": number; "rescheduled": number; "revived_dead_letters": number; "eligible_remaining": number; "skipped": { "claimed": number; "permanent": number; "unclassified": number; "recovery_limit": number }; "by_code": Record<string, number>; "selection": ({ "effect_id": string; "from": ("PENDING" | "CLAIMED" | "EXPORTED" | "DEAD_LETTER"); "attempts": number })[]; "selection_sha256": string; "receipt": ReceiptSummary }

export type VerificationReport = { "schema": "orch.verification-report/v1"; "kind": ("receipt" | "envelope" | "export" | "ledger-export" | "pack" | "statement" | "report" | "reply" | "unknown"); "verdict": ("PASS" | "PARTIAL" | "FAIL" | "INCONCLUSIVE" | "NO_INPUT"); "checks": ({ "check": ("structure" | "signature" | "payload_digest" | "hash_chain" | "inclusion" | "key_trust" | "lambda"); "status": ("VERIFIED" | "MISMATCH" | "UNSIGNED" | "UNAVAILABLE" | "DEMO"); "reason": string; "details": Record<string, unknown> })[]; "subject": (Record<string, unknown> | null); "does_not_prove": (string)[]; "checked_at": (string | null); "error"?: { "code": "no_input"; "message": string; "request_id": string } }

export type VersionRecord = { "name": "orch"; "version": string; "expected_release_tag": string; "release_state": ("VERIFIED" | "CONFIGURED_UNVERIFIED" | "CANDIDATE"); "release_tag": (string | null); "release_url": string; "surfaces": { "canonical": string; "registry": string; "legacy_alias": string; "legacy_alias_policy": "SEPARATE_REGISTRY_ORIGIN"; "repository": string }; "doi": { "concept": { "value": (string | null); "url": (string | null); "role": "ASSOCIATED_RESEARCH_PROGRAM" }; "formal_artifacts": { "value": (string | null); "url": (string | null); "role": "FORMAL_ARTIFACT_RECORD" }; "software_version": { "value": (string | null); "url": (string | null); "status": ("PENDING_ARCHIVE_READBACK" | "CONFIGURED_UNVERIFIED" | "VERIFIED"); "readback": ({ "doi": string; "read_at": string } | null) } }; "honesty": { "configured_is_operational": boolean; "conjecture_promoted": boolean; "doi_invented": boolean }; "git_sha": string; "hosted_space_sha": string; "hosted_space_sha_readback": { "sha": (string | null); "status": ("OBSERVED" | "UNREACHABLE" | "NOT_CONFIGURED"); "source": (string | null); "space": (string | null); "configured_env": (string | null); "env_matches_live": boolean; "mode": ("live" | "cached" | "unreachable"); "age_seconds": (number | null) }; "build_time": string; "doctrine": string; "kernel_commit": string; "p6_status": ("SIGNED_OFF" | "NOT_SIGNED_OFF"); "p6_grader_score": string; "verify": { "release_assets_status": ("PENDING_RELEASE" | "CONFIGURED_UNVERIFIED" | "VERIFIED"); "cosign": (string | null); "sbom": (string | null); "honest": string }; "changelog": string; "capabilities": ({ "name": string; "label": ("MEASURED" | "MODELED" | "SIMULATED" | "SAMPLE" | "UNAVAILABLE" | "STRUCTURAL-ONLY" | "LIVE" | "ROADMAP" | "SIMULATION-ONLY"); "prs": (number)[] })[]; "lambda": string; "locked_8": 8; "sources": Record<string, string>; "readings": { "hosted_space": { "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null) } }; "ts": string }

export type WireaAnomaly = { "n": number; "alpha": number; "tail": ("upper" | "lower" | "two-sided"); "resolution": number; "smallest_p": number; "median": number; "mad": number; "tukey": { "q1": number; "q3": number; "lower": number; "upper": number }; "p95": (number | null); "p95_interval": { "rank": number; "insufficient_n": boolean; "lower_rank": (number | null); "upper_rank": (number | null); "lower": (number | null); "upper": (number | null); "coverage": number }; "p99": (number | null); "p99_interval": { "rank": number; "insufficient_n": boolean; "lower_rank": (number | null); "upper_rank": (number | null); "lower": (number | null); "upper": (number | null); "coverage": number }; "tail_fit": ({ "u": number; "exceedances": number; "xi": number; "sigma": number } | null); "tail_fit_reason": (string | null); "results": ({ "value": number; "p_value": number; "empirical_percentile": number; "robust_z": (number | null); "outside_tukey": boolean; "tail_probability": (number | null); "severity": ("critical" | "elevated" | "nominal" | "undecidable"); "q_value": number; "rejected": boolean })[]; "label": ("MODELED" | "SAMPLE"); "basis": string; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "input_sha256": string; "output_sha256": string; "plot": (Plot | null); "receipt": ReceiptSummary }

export type WireaEvalScores = { "binary": ({ "n": number; "base_rate": number; "brier": number; "log_loss": number; "clipped": number; "crps": number; "skill": (number | null); "auc": (number | null); "ece": { "equal_width": number; "equal_mass": number }; "mce": number; "debiased_calibration_error": ({ "squared": number; "root": number; "cases": number } | null); "murphy": { "reliability": number; "resolution": number; "uncertainty": number; "within_bin": number }; "spiegelhalter": ({ "z": number; "p_value": number } | null); "isotonic": { "miscalibration": number; "discrimination": number; "uncertainty": number }; "bins": ({ "lower": number; "upper": number; "cases": number; "mean_probability": (number | null); "frequency": (number | null); "wilson95": ({ "low": number; "high": number } | null); "variance": number; "covariance": number })[]; "bootstrap": ({ "resamples": number; "seed": number; "brier95": { "low": number; "high": number }; "ece95": { "low": number; "high": number } } | null) } | null); "ensemble": ({ "cases": number; "crps": number; "crps_fair": number } | null); "quantile": ({ "cases": number; "pinball": number; "levels": ({ "level": number; "pinball": number; "coverage": number })[]; "crossing_cases": number } | null); "pareto": ({ "front": (string)[]; "of": number } | null); "label": ("MODELED" | "SAMPLE"); "basis": string; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "input_sha256": string; "output_sha256": string; "plot": (Plot | null); "receipt": ReceiptSummary; "timing": ({ "wall_ms": number; "cpu_ms": number; "queue_ms": number } | null) }

export type WireaForecastCoverage = { "coverage_target": number; "n": number; "k": number; "scenario": ("iid" | "drift"); "trials_asked": number; "minimum_n": number; "insufficient_n": boolean; "band": ("FINITE" | "INFINITE"); "band_halfwidth": (number | null); "expected_coverage": (number | null); "guarantee": ((number)[] | null); "coverage_law": ({ "beta": (number)[]; "p05": number; "p95": number } | null); "law_reason": (string | null); "trials": ({ "coverage": number; "wilson95": { "low": number; "high": number }; "halfwidth": number })[]; "mean_coverage": (number | null); "within_law": (boolean | null); "law_z": (number | null); "adaptive": ({ "gamma": number; "coverage": number; "fixed_coverage": number; "infinite_share": number; "bound": number; "within_bound": boolean; "drift": number } | null); "label": "SIMULATED"; "simulator": string; "version": string; "seed": number; "assumptions": (string)[]; "not_real": (string)[]; "cache": ("hit" | "miss"); "timing": ({ "wall_ms": number; "cpu_ms": number; "queue_ms": number } | null); "plot": Plot }

export type WireaGraphMetrics = { "graph": string; "label": ("MEASURED" | "SAMPLE"); "source": string; "read_at": (string | null); "empty": boolean; "links_left_out": (number | null); "n_nodes": number; "n_edges": number; "n_directed_edges": number; "density": number; "avg_clustering": number; "transitivity": number; "components": number; "component_sizes": (number)[]; "algebraic_connectivity": (number | null); "normalised_lambda2": (number | null); "zero_multiplicity": (number | null); "fiedler_partition": ({ "positive": (string)[]; "negative": (string)[]; "multiplicity": number; "unique": boolean } | null); "spectral_radius": (number | null); "spectral_reason": (string | null); "diameter": (number | null); "articulation_points": (string)[]; "bridges": ((string)[])[]; "k_core": { "degeneracy": number; "members": (string)[] }; "assortativity": (number | null); "dag": { "is_dag": boolean; "back_edges": ((string)[])[]; "topological_order": (string)[] }; "sccs": { "components": number; "nontrivial": ((string)[])[] }; "centrality": { "degree": ({ "node": string; "value": number })[]; "betweenness": ({ "node": string; "value": number })[]; "closeness": ({ "node": string; "value": number })[]; "pagerank": ({ "node": string; "value": number })[] }; "layout_seed": number; "nodes": (string)[]; "cache": ("hit" | "miss"); "timing": ({ "wall_ms": number; "cpu_ms": number; "queue_ms": number } | null); "plot": Plot }

export type WireaHealth = { "ok": boolean; "label": "MEASURED"; "checked_at": string; "routes": ({ "id": string; "method": string; "path": string })[]; "self_checks": ({ "name": string; "expected": number; "got": (number | null); "passed": boolean })[] }

export type WireaLambdaPanel = { "lambda": number; "raw": number; "ceiling_applied": boolean; "trust_ceiling": number; "floor": number; "meets_floor": boolean; "kind": ("arithmetic" | "geometric" | "harmonic" | "power"); "p": number; "axes": (number)[]; "weights": (number)[]; "variants": { "min": number; "harmonic": number; "geometric": number; "arithmetic": number; "power": number; "max": number }; "ordering_holds": boolean; "elasticities": ((number | null))[]; "leave_one_out": ({ "index": number; "score": number; "raw_without": (number | null) })[]; "weakest": { "index": number; "score": number; "needed_for_floor": (number | null) }; "status": string; "is_theorem": false; "label": ("MODELED" | "SAMPLE"); "basis": string; "plot": Plot }

export type WireaRouterReward = { "preset": (("performance" | "balanced" | "cost") | null); "weights": { "alpha": number; "beta": number; "gamma": number }; "ranked": ({ "model": string; "reward": number; "reward_exact": string; "quality": number; "cost": number; "latency": number; "pareto": boolean; "quality_lcb": (number | null) })[]; "selected": (string | null); "rejected": ({ "model": string; "reason": string })[]; "margin": (number | null); "winner_holds_for": ({ "alpha": (number)[]; "beta": (number)[]; "gamma": (number)[] } | null); "p_best": (({ "model": string; "probability": number })[] | null); "label": ("MODELED" | "SAMPLE"); "basis": string; "input_source": ("CALLER" | "DEFAULT_EXAMPLE"); "input_sha256": string; "output_sha256": string; "plot": (Plot | null); "receipt": ReceiptSummary }

export type WireaSearch = { "q": string; "limit": number; "label": "STRUCTURAL-ONLY"; "corpus": { "documents": number; "digest": string; "kinds": Record<string, number>; "missing": (string)[] }; "receipts": { "searched": boolean; "documents": number; "reason": (string | null) }; "matches": number; "results": ({ "key": string; "kind": string; "title": string; "url": string; "score": number; "bm25": number; "snippet": string })[]; "did_you_mean": (string | null); "results_for": ("query" | "did_you_mean"); "ignored_terms": number; "note": (string | null) }

export type WireaTrustGap = { "observed": (number)[]; "reference": (number)[]; "normalised": boolean; "kl_observed_vs_reference_nats": (number | null); "kl_reference_vs_observed_nats": (number | null); "jeffreys_divergence_nats": (number | null); "total_variation": number; "hellinger": number; "jensen_shannon_nats": number; "jensen_shannon_distance": number; "fisher_rao": number; "chi_square": (number | null); "psi": (number | null); "trust_gap_pct": number; "contributions": ((number | null))[]; "pinsker_bound": (number | null); "bretagnolle_huber_bound": number; "bounds_hold": boolean; "gibbs_nonneg_holds": boolean; "support_mismatch": boolean; "g_test": ({ "n": number; "g": (number | null); "df": number; "p_value": number } | null); "label": ("MODELED" | "SAMPLE"); "basis": string; "plot": Plot }

export interface Operations {
  /** Run an agent loop in which every step is decided, recorded and verifiable */
  "agent.loop": {
    params: None
    query: None
    body: AgentLoopRequest
    reply: AgentRun
  }
  /** Evaluate an intent, evidence, both bound together, counterfactuals, or a replay; nothing is executed */
  "anatomy.evaluate": {
    params: { "operation": string }
    query: None
    body: Record<string, unknown>
    reply: ({ "evaluationOnly": true; "executable": false; "outcome": ("ALLOW" | "REVIEW" | "BLOCK"); "reasons": (string)[]; "deny": (string)[]; "review": (string)[]; "forbids": (string)[]; "determining": (string)[]; "sources": Record<string, string>; "errors": ((string | { "path": string; "message": string }))[]; "policy": "cedar.intent.v1"; "engine": "cedar-wasm"; "cedarExecuted": boolean; "policyDigest": (string | null); "policyEligible": boolean; "action": ({ "type": string; "id": string } | null); "principal": ({ "type": string; "id": string } | null); "resource": ({ "type": string; "id": string } | null); "decision": ("allow" | "review" | "deny"); "identityAuthenticated": boolean; "disclosure": string; "receipt": ReceiptSummary } | { "evaluationOnly": true; "executable": false; "outcome": ("ALLOW" | "REVIEW" | "BLOCK"); "deny": (string)[]; "review": (string)[]; "verified": boolean; "signatures": ({ "keyid": string; "verified": boolean; "reason": string })[]; "slsa": { "v1": boolean; "buildType": (string | null); "builderId": (string | null) }; "statementDigest": (string | null); "envelopeDigest": (string | null); "policyEvaluated": true; "determining": (string)[]; "errors": (string)[]; "policyDigest": string; "decision": ("allow" | "review" | "deny"); "record": AnatomyRecord; "duplicate": boolean; "disclosure": string; "receipt": ReceiptSummary } | { "evaluationOnly": true; "executable": false; "schema": "orch.anatomy.bind.v1"; "intent": AnatomyIntent; "evidence": (AnatomyEvidence | null); "evidenceBinding": { "valid": boolean; "expectedDigest": (string | null); "statementDigest": (string | null); "algorithm": "sha256-jcs"; "reasons": (string)[] }; "policyEligible": boolean; "executionAuthority": "none"; "requestId": (string | null); "traceId": (string | null); "outcome": ("ALLOW" | "REVIEW" | "BLOCK"); "decision": ("allow" | "review" | "deny"); "record": (AnatomyRecord | null); "duplicate": boolean; "disclosure": string; "receipt": ReceiptSummary } | { "evaluationOnly": true; "executable": false; "schema": "orch.anatomy.decision-lab.v1"; "semantics": "independent-counterfactuals"; "inputDigest": string; "policy": { "files": ({ "name": string; "sha256": string })[]; "digest": string; "engine": string }; "base": { "command": unknown; "intentOutcome": ("ALLOW" | "REVIEW" | "BLOCK"); "combinedOutcome": ("ALLOW" | "REVIEW" | "BLOCK"); "result": AnatomyBinding; "trace": ({ "stage": ("intent" | "evidence" | "binding" | "execution"); "source": string; "code": string; "detail": string; "evaluator": string })[] }; "scenarios": ({ "id": string; "label": string; "requestedChanges": ({ "path": string; "value": unknown })[]; "changes": ({ "path": string; "before": unknown; "after": unknown; "kind": string })[]; "result": AnatomyBinding; "outcomeDelta": { "intent": { "before": ("ALLOW" | "REVIEW" | "BLOCK"); "after": ("ALLOW" | "REVIEW" | "BLOCK"); "changed": boolean }; "combined": { "before": ("ALLOW" | "REVIEW" | "BLOCK"); "after": ("ALLOW" | "REVIEW" | "BLOCK"); "changed": boolean }; "evidence": { "before": (("ALLOW" | "REVIEW" | "BLOCK") | null); "after": (("ALLOW" | "REVIEW" | "BLOCK") | null); "changed": boolean }; "policyEligible": { "before": boolean; "after": boolean; "changed": boolean } } })[]; "resultDigest": string; "replayCapsule": { "schema": "orch.anatomy.replay.v1"; "input": Record<string, unknown>; "inputDigest": string; "policyDigest": string; "resultDigest": string; "receiptDigest": string }; "replayCapsuleJson": string; "label": "MODELED"; "disclosure": string; "receipt": ReceiptSummary } | { "evaluationOnly": true; "executable": false; "schema": "orch.anatomy.replay-result.v1"; "valid": boolean; "inputMatch": boolean; "policyMatch": boolean; "resultMatch": boolean; "issues": ({ "code": string; "detail": string })[]; "current": { "inputDigest": (string | null); "policyDigest": string; "resultDigest": (string | null) }; "authentic": boolean; "trust": ("ledger-bound" | "untrusted"); "disclosure": string; "receipt": ReceiptSummary })
  }
  /** The caller’s chain of evidence records, newest first, recomputed for this reply */
  "anatomy.ledger": {
    params: None
    query: { "limit"?: number; "cursor"?: string }
    body: undefined
    reply: { "schema": "orch.anatomy.ledger.v1"; "evaluationOnly": true; "executable": false; "generatedAt": string; "order": "newest-first"; "recordCount": (number | null); "outcomes": ({ "ALLOW": number; "REVIEW": number; "BLOCK": number } | null); "chainRoot": (string | null); "records": (AnatomyRecord)[]; "receipts": ({ "index": number; "receiptId": string; "nodeIndex": number })[]; "nextCursor": (string | null); "signatureStatus": ("SIGNED_PRODUCTION" | "SIGNED_DEMO" | "UNSIGNED" | "INVALID" | "MIXED" | "NONE"); "externalAnchor": { "status": string; "checkpoint": (Record<string, unknown> | null); "note": string }; "chainIntegrity": { "valid": boolean; "errors": ({ "index": (number | null); "code": string; "detail": string })[]; "brokenAt": (number | null); "recordCount": number; "checked": { "newest": (number | null); "oldest": (number | null); "linkedTo": (number | null); "what": string }; "anchored": boolean } }
  }
  /** Synthetic cases through the real evaluators, with throw-away keys; nothing is recorded */
  "anatomy.prove": {
    params: None
    query: None
    body: undefined
    reply: { "schema": "orch.anatomy.prove.v1"; "evaluationOnly": true; "executable": false; "label": "SIMULATED"; "evidenceKind": "synthetic-software-qa"; "passed": number; "failed": number; "results": ({ "id": string; "engine": string; "expected": string; "actual": string; "pass": boolean })[] }
  }
  /** Whether store and policies answered now, and what this surface can do */
  "anatomy.status": {
    params: None
    query: None
    body: undefined
    reply: { "status": ("ok" | "unavailable"); "reasons": (string)[]; "service": "orch.anatomy-ledger"; "evaluationOnly": true; "executable": false; "ledgerExists": (boolean | null); "recordCount": (number | null); "evaluator": "cedar-wasm"; "trustRing": { "keys": (number | null); "threshold": number; "keyids": (string)[] }; "requestLimitBytes": number; "policyDigest": (string | null); "scenarioLimit": number; "capabilities": (string)[]; "disclosure": string }
  }
  /** One artifact: its digest and how it begins, or its bytes */
  "assets.item": {
    params: { "key": string }
    query: { "raw"?: number }
    body: undefined
    reply: (AssetItem | unknown)
  }
  /** The artifacts of this build with their digests, read now */
  "assets.manifest": {
    params: None
    query: None
    body: undefined
    reply: AssetManifest
  }
  /** The evidence pack: matrix, chains, doctrine and keys, with a digest and, where there is a key, signed */
  "assurance.evidencePack": {
    params: None
    query: { "receipts"?: number; "indexes"?: string }
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
  /** Eight requirements, each with the check behind it and when it ran; a failing one is never LIVE */
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
  /** The chain-of-title statement of at most ten seconds ago, checked and disclosed field by field for this request */
  "attest.manifest": {
    params: None
    query: { "require_transparency"?: boolean }
    body: undefined
    reply: ChainOfTitleRecord
  }
  /** The policy verdict on the chain-of-title statement as it would be served now */
  "attest.verify": {
    params: None
    query: { "require_transparency"?: boolean }
    body: undefined
    reply: TitleVerificationReply
  }
  /** The policy verdict on a statement that somebody brings; nothing is appended */
  "attest.verifyPresented": {
    params: None
    query: { "require_transparency"?: boolean }
    body: Record<string, unknown>
    reply: TitleVerificationReply
  }
  /** Heartbeat of this process and its stores, each number read for this request */
  "brain.pulse": {
    params: None
    query: None
    body: undefined
    reply: BrainPulse
  }
  /** The fair share of the request capacity that a surface gets, by its demand of the last five minutes */
  "brain.subscribe": {
    params: { "surface_id": string }
    query: None
    body: undefined
    reply: SurfaceShare
  }
  /** Split prose into claim candidates that nobody has reviewed */
  "claims.atomize": {
    params: None
    query: None
    body: ClaimAtomizeRequest
    reply: { "ready": true; "label": "STRUCTURAL-ONLY"; "module": "orch.claim-integrity"; "contract_version": "1.0.0"; "decision_state": "PROPOSAL_ONLY"; "effectors_enabled": 0; "accepted": true; "input_sha256": string; "method": "GUARDED-PUNCTUATION-AND-LINE-SPLIT"; "splitter_version": string; "semantic_atomization_computed": false; "text_sha256": string; "text_code_points": number; "candidate_count": number; "candidate_limit": 32; "empty_reason": ("NO_WORDS" | null); "atoms": (ClaimAtom)[]; "evaluate_template": ClaimEvaluateRequest; "not_evaluable": (string)[]; "receipt": ReceiptSummary }
  }
  /** Hold explicit claims to the evidence and the signals that come with them */
  "claims.evaluate": {
    params: None
    query: None
    body: ClaimEvaluateRequest
    reply: { "ready": true; "label": "STRUCTURAL-ONLY"; "module": "orch.claim-integrity"; "contract_version": "1.0.0"; "decision_state": "PROPOSAL_ONLY"; "effectors_enabled": 0; "accepted": true; "input_sha256": string; "overall_state": ("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"); "abstain_required": boolean; "gate_outcome": ("ABSTAIN" | "EVIDENCE-COMPLETE-FOR-HUMAN-REVIEW"); "claim_count": number; "state_counts": { "VERIFIED": number; "SUPPORTED": number; "UNCERTAIN": number; "REFUTED": number; "UNKNOWN": number }; "claims": (ClaimRow)[]; "unattached_contradictions": ({ "status": (("UNRESOLVED" | "CONFIRMED" | "RESOLVED") | null); "rubric_codes": (("RG-001" | "RG-002" | "RG-003" | "RG-004" | "RG-005" | "RG-006" | "RG-007" | "RG-008" | "RG-009" | "RG-010" | "RG-011"))[]; "provenance": (ClaimProvenance | null); "provenance_traceable": boolean; "resolution_ref": (string | null); "locally_resolved": boolean; "pointer": string })[]; "signal_contract": { "semantic_uncertainty": "EXTERNALLY-SUPPLIED-ONLY"; "factuality": "EXTERNALLY-SUPPLIED-ONLY"; "semantic_threshold": 0.66; "computed_by_gate": (unknown)[] }; "honesty_invariants": { "no_truth_inference": true; "no_contradiction_resolution": true; "missing_provenance_fails_closed": true; "all_outputs_proposal_only": true; "effectors_are_zero": true }; "result_sha256": string; "receipt": ReceiptSummary }
  }
  /** What the gate does, by the tables it runs on, and what it does not do */
  "claims.info": {
    params: None
    query: None
    body: undefined
    reply: { "ready": true; "label": "STRUCTURAL-ONLY"; "module": "orch.claim-integrity"; "contract_version": "1.0.0"; "decision_state": "PROPOSAL_ONLY"; "effectors_enabled": 0; "states": (("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"))[]; "strength_order": (("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"))[]; "rubric": Record<string, { "condition": string; "yields": ("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"); "abstain": true }>; "precedence": ({ "state": ("VERIFIED" | "SUPPORTED" | "UNCERTAIN" | "REFUTED" | "UNKNOWN"); "codes": (("RG-001" | "RG-002" | "RG-003" | "RG-004" | "RG-005" | "RG-006" | "RG-007" | "RG-008" | "RG-009" | "RG-010" | "RG-011"))[] })[]; "semantic_threshold": 0.66; "limits": Record<string, number>; "splitter": { "version": string; "abbreviations": { "title": (string)[]; "number": (string)[]; "tail": (string)[]; "spaced": (string)[] }; "starters": (string)[]; "markers": (string)[]; "months": (string)[] }; "not_done": (string)[]; "operations": ({ "method": string; "path": string; "mutates": boolean; "receipt": (string | null) })[] }
  }
  /** A page of the console */
  "console.app": {
    params: { "page": string }
    query: None
    body: undefined
    reply: string
  }
  /** A script or style of the console; its name holds the digest of what is in it */
  "console.asset": {
    params: { "file": string }
    query: None
    body: undefined
    reply: string
  }
  /** One thing on a page of the console, by its id */
  "console.item": {
    params: { "page": string; "id": string }
    query: None
    body: undefined
    reply: string
  }
  /** The console; it opens with the decisions */
  "console.page": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** One document as a tree of elements */
  "docs.document": {
    params: { "rest": string }
    query: None
    body: undefined
    reply: Document
  }
  /** The documents of this build with their titles */
  "docs.documents": {
    params: None
    query: None
    body: undefined
    reply: { "items": (DocumentEntry)[] }
  }
  /** A document, or the reference of one operation */
  "docs.item": {
    params: { "rest": string }
    query: None
    body: undefined
    reply: string
  }
  /** The documentation: guides and the reference of every operation */
  "docs.page": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** A picture of the documents */
  "docs.picture": {
    params: { "file": string }
    query: None
    body: undefined
    reply: Uint8Array
  }
  /** Operations, sources, bounds, states, codes and formulas of finance, made of the tables of the code */
  "finance.contract": {
    params: None
    query: None
    body: undefined
    reply: FinanceContract
  }
  /** One reading of one public source, with its provenance, its age and its label */
  "finance.observation": {
    params: { "source": string }
    query: { "fresh"?: boolean; "limit"?: string; "offset"?: string; "token_id"?: string; "interval"?: string; "fidelity"?: string; "cursor"?: string; "series_ticker"?: string; "ticker"?: string; "depth"?: string; "product"?: string; "granularity"?: string; "count"?: string; "end"?: string; "cik"?: string; "series_id"?: string; "as_of"?: string; "symbol"?: string; "timeframe"?: string; "start"?: string; "page_token"?: string }
    body: undefined
    reply: FinanceObservation
  }
  /** Four public snapshots read in parallel; neither a join over venues nor a census */
  "finance.overview": {
    params: None
    query: None
    body: undefined
    reply: FinanceOverview
  }
  /** Risk of the caller’s own price series: covariance, contributions, drawdown and tail */
  "finance.portfolio": {
    params: None
    query: None
    body: { "holdings": Record<string, ((number | string))[]>; "periods_per_year": (252 | 365); "weights"?: Record<string, number>; "confidence"?: number } | undefined
    reply: FinancePortfolio
  }
  /** The median of group medians beside the plain median, on rows written for it */
  "finance.priceModel": {
    params: None
    query: None
    body: undefined
    reply: FinancePriceModel
  }
  /** The sixteen sources, their parameters, what is missing for them and their newest attempts; asks nobody */
  "finance.providers": {
    params: None
    query: None
    body: undefined
    reply: FinanceProviders
  }
  /** The last completed daily close, its risk figures and its beta to a benchmark */
  "finance.quote": {
    params: { "symbol_name": string }
    query: { "origin"?: ("coinbase" | "fixture"); "benchmark"?: string }
    body: undefined
    reply: FinanceQuote
  }
  /** What a result of finance is recorded with, the signer now, and the newest receipts */
  "finance.receipts": {
    params: None
    query: { "limit"?: number; "cursor"?: string }
    body: undefined
    reply: FinanceReceipts
  }
  /** Verify a reply of finance, a receipt of this ledger or a DSSE envelope */
  "finance.receiptsVerify": {
    params: None
    query: None
    body: { "envelope"?: Record<string, unknown>; "receipt_id"?: string; "dsse"?: Record<string, unknown> } | undefined
    reply: FinanceVerification
  }
  /** What can be verified here, and what is checked */
  "finance.receiptsVerifyContract": {
    params: None
    query: None
    body: undefined
    reply: FinanceVerifyContract
  }
  /** Which records of a panel may be used on a given day, and why the others may not */
  "finance.researchAudit": {
    params: None
    query: None
    body: { "records": ({ "entity": string; "period": number; "value": ((number | string) | null); "state": ("observed" | "suppressed" | "missing" | "invalid"); "available_at"?: string; "exclusion_reason"?: string; "group"?: string; "source_url"?: string })[]; "as_of": string; "expected_entities"?: (string)[]; "start_year"?: number; "end_year"?: number; "source_url"?: string; "specifications"?: ({ "label": string; "estimate": (number | string); "standard_error"?: (number | string); "n"?: number; "clusters"?: number })[] } | undefined
    reply: ResearchAudit
  }
  /** Indicators over 260 closed daily candles, and the votes of a published rule */
  "finance.signals": {
    params: { "symbol_name": string }
    query: { "origin"?: ("coinbase" | "fixture") }
    body: undefined
    reply: FinanceSignals
  }
  /** The newest signed print of a price, verified in this request, or why there is none */
  "finance.signedPrice": {
    params: { "symbol_name": string }
    query: None
    body: undefined
    reply: FinanceSignedPrice
  }
  /** The eight locked formulas, what is only checked, what is conjectured, and the checks with the time they ran at */
  "formulas.tiers": {
    params: None
    query: None
    body: undefined
    reply: FormulaTiers
  }
  /** The fields of the registry of studied projects, counted now, and its policies */
  "frontier.info": {
    params: None
    query: None
    body: undefined
    reply: FrontierInfo
  }
  /** The studied projects, the idea of each, and which operation here implements it */
  "frontier.projects": {
    params: None
    query: { "field"?: string; "cursor"?: string; "limit"?: number }
    body: undefined
    reply: FrontierProjects
  }
  /** One gate with its rules and their examples, or the policies in charge */
  "gates.get": {
    params: { "name": string }
    query: None
    body: undefined
    reply: GateDetail
  }
  /** The six gates in stage order, by what they decide and what they did */
  "gates.list": {
    params: None
    query: None
    body: undefined
    reply: GateList
  }
  /** Try one gate on a text; recorded as a test and counted nowhere */
  "gates.test": {
    params: { "name": string }
    query: None
    body: GateTestRequest | undefined
    reply: GateTest
  }
  /** Decide on a text: allow, review or deny, with a signed receipt */
  "governance.govern": {
    params: None
    query: { "envelope"?: boolean }
    body: GovernRequest | undefined
    reply: Decision
  }
  /** Source and deployment of this process, and whether their commits agree */
  "identity.deploymentSource": {
    params: None
    query: { "refresh"?: number }
    body: undefined
    reply: DeploymentSource
  }
  /** What is simulated, not signed, not accredited or not configured here, and the label of every surface */
  "identity.honest": {
    params: None
    query: None
    body: undefined
    reply: HonestRecord
  }
  /** Product, repository and signer of this service, and what it does not claim */
  "identity.productSource": {
    params: None
    query: None
    body: undefined
    reply: ProductSource
  }
  /** Source and deployment as gathered at start; the same bytes for the life of the process */
  "identity.sourceAttestation": {
    params: None
    query: None
    body: undefined
    reply: SourceDeployAttestation
  }
  /** Which build runs, its release, its provenance and who says so */
  "identity.version": {
    params: None
    query: None
    body: undefined
    reply: VersionRecord
  }
  /** The same for any OpenAI client: change its base URL and nothing else */
  "inference.chat": {
    params: None
    query: None
    body: ChatCompletionRequest
    reply: ChatCompletion
  }
  /** The model targets, their breakers and their last successes; probes nothing */
  "inference.health": {
    params: None
    query: None
    body: undefined
    reply: InferenceHealth
  }
  /** Ask a model: the request and the answer are both decided on, one receipt holds both */
  "inference.infer": {
    params: None
    query: None
    body: InferRequest
    reply: Inference
  }
  /** The models that can answer, as configured; a target that is absent is not listed */
  "inference.models": {
    params: None
    query: None
    body: undefined
    reply: ModelList
  }
  /** Train a TopK sparse autoencoder on seeded synthetic data and measure what it recovers of the truth */
  "interpretability.features": {
    params: None
    query: { "seed"?: number; "d_model"?: number; "n_features"?: number; "top_k"?: number; "batch"?: number }
    body: undefined
    reply: InterpretabilityFeatures
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
    reply: { "request": string; "order": string; "nodes": ({ "index": number; "digest": string; "parents": (string)[]; "chain": string; "seq": number; "kind": (string | null); "decision": (string | null); "signed": boolean; "keyid": (string | null); "ts_utc": (string | null) })[]; "edges": ({ "from": string; "to": string; "from_index": number; "to_index": (number | null) })[]; "count": number; "khipu_root": string; "ledger_size": number; "checks": { "F4": { "states": string; "holds": boolean }; "F22": { "states": string; "holds": boolean } } }
  }
  /** Receipts, newest first, narrowed by what they say */
  "khipu.ledger": {
    params: None
    query: { "limit"?: number; "cursor"?: string; "chain"?: string; "kind"?: ("decision" | "review" | "inference" | "agent-step" | "agent-run" | "step" | "recovery" | "organ-run" | "claim-atomize" | "claim-evaluate" | "analysis" | "price" | "anatomy" | "mint" | "sample" | "key-rotation" | "example" | "restore"); "decision"?: ("ALLOW" | "REVIEW" | "DENY"); "owner"?: string; "agent"?: string; "tool"?: string; "gate"?: ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "session"?: string; "signed"?: ("true" | "false" | "demo" | "production" | "unsigned"); "policy"?: string; "since"?: string; "until"?: string; "q"?: string }
    body: undefined
    reply: { "receipts": (ReceiptRow)[]; "count": (number | null); "scanned": number; "order": string; "next_cursor": (string | null); "ledger_size": number }
  }
  /** The chains, organ by organ, re-walked to their heads for this reply */
  "khipu.organs": {
    params: None
    query: { "rewalk"?: boolean }
    body: undefined
    reply: { "ok": boolean; "service": string; "what": string; "organ_count": number; "organs": (OrganChain)[]; "verified_to": number; "ledger_size": number; "walk": LedgerWalk; "broken": (Record<string, unknown> | null); "doctrine": Record<string, unknown>; "ts": string }
  }
  /** Mint a receipt over an object of the caller */
  "khipu.sign": {
    params: None
    query: { "envelope"?: boolean }
    body: Record<string, unknown>
    reply: { "digest": string; "node_index": number; "chain": string; "seq": number; "prev": string; "signed": boolean; "keyid": (string | null); "key_kind": (string | null); "dsse": DsseEnvelope; "inclusion": (InclusionProof | null); "checkpoint"?: (string | null); "verify_url": string; "receipt": ReceiptSummary }
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
  /** Whether the embedded model may answer: every artifact hashed, its evaluation, one forward pass repeated */
  "m1.gate": {
    params: None
    query: None
    body: undefined
    reply: M1Gate
  }
  /** Let the embedded model continue a text: tokens, log-probabilities, seeded sampling, one slot */
  "m1.infer": {
    params: None
    query: None
    body: M1InferRequest | undefined
    reply: M1InferReply
  }
  /** The embedded model as a page: gate, evaluation, training data, limits, and a box to try it */
  "m1.page": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** The script of the model page */
  "m1.script": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** Five annual figures of a company from its filings, with what else was reported */
  "markets.company": {
    params: None
    query: { "cik"?: string }
    body: undefined
    reply: MarketsCompany
  }
  /** The public debt of the United States on the newest day that was published */
  "markets.debt": {
    params: None
    query: None
    body: undefined
    reply: MarketsDebt
  }
  /** The newest 24 observations of a FRED series */
  "markets.macro": {
    params: None
    query: { "series_id"?: string }
    body: undefined
    reply: MarketsMacro
  }
  /** Company, debt and series side by side; ok only where all three are */
  "markets.summary": {
    params: None
    query: { "cik"?: string; "series_id"?: string }
    body: undefined
    reply: MarketsSummary
  }
  /** The table and the model, their calibration beside a naive baseline, and two known answers */
  "materials.health": {
    params: None
    query: None
    body: undefined
    reply: MaterialsHealth
  }
  /** Predict the formation energy of a composition with its interval, its competing phases, or a refusal */
  "materials.predict": {
    params: None
    query: None
    body: { "formula"?: string; "composition"?: Record<string, number>; "property"?: "formation_energy"; "confidence"?: (0.5 | 0.8 | 0.9 | 0.95) } | undefined
    reply: MaterialsPrediction
  }
  /** This process, checked now, and the surfaces the operator listed, as last read */
  "neighbours.constellation": {
    params: None
    query: None
    body: undefined
    reply: Constellation
  }
  /** What the configured spending authority says, and beside it what our own receipts count */
  "neighbours.spend": {
    params: None
    query: None
    body: undefined
    reply: FederatedSpend
  }
  /** The tools that run here, and those of the configured gateway as last read */
  "neighbours.spine": {
    params: None
    query: None
    body: undefined
    reply: Spine
  }
  /** The parts of this service and how each of them does, as a page */
  "operator.page": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** The script of the operator page */
  "operator.script": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** Every part checked for this request, and the calls between them as they were counted */
  "operator.topology": {
    params: None
    query: None
    body: undefined
    reply: Topology
  }
  /** Twelve roles, each checked by using it */
  "organHealth.index": {
    params: None
    query: None
    body: undefined
    reply: OrganHealth
  }
  /** One role with all its checks */
  "organHealth.role": {
    params: { "role": string }
    query: None
    body: undefined
    reply: OrganRoleHealth
  }
  /** The catalog of the 25 organs */
  "organs.catalog": {
    params: None
    query: None
    body: undefined
    reply: OrganCatalog
  }
  /** One organ: its ops, schemas, limits and example */
  "organs.describe": {
    params: { "organ_id": string }
    query: None
    body: undefined
    reply: OrganDetail
  }
  /** Organ runs of the caller, newest first, as their receipts tell them */
  "organs.history": {
    params: None
    query: { "limit"?: number; "cursor"?: string; "organ"?: string; "status"?: ("EXECUTED" | "APPROVED" | "DENIED" | "AWAITING_APPROVAL" | "LIMIT_EXCEEDED" | "NEEDS_INPUT" | "UNAVAILABLE") }
    body: undefined
    reply: OrganHistory
  }
  /** The tools of the organ N14 for clients of the Model Context Protocol */
  "organs.mcp": {
    params: None
    query: None
    body: unknown
    reply: Record<string, unknown>
  }
  /** The catalog of the organs as a page */
  "organs.page": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** Run one op of an organ, with a signed receipt */
  "organs.run": {
    params: { "organ_id": string }
    query: { "envelope"?: boolean }
    body: Record<string, unknown> | undefined
    reply: OrganRun
  }
  /** What is here, as a page */
  "pages.landing": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** The one style of all pages */
  "pages.style": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** The choice between light and dark, for all pages */
  "pages.theme": {
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
  /** Direct solvers beside a tuned network, as measured once by npm run bench:pinn; nothing is run here */
  "pinn.bench": {
    params: None
    query: None
    body: undefined
    reply: PinnBench
  }
  /** Steady Burgers by collocation, with its error against the exact solution */
  "pinn.burgers": {
    params: None
    query: { "nu"?: number; "a"?: number; "b"?: number; "N"?: number; "include_unconverged"?: boolean }
    body: undefined
    reply: PinnBurgers
  }
  /** Two known answers computed now, the systems that can be identified, and whether the comparison is intact */
  "pinn.health": {
    params: None
    query: None
    body: undefined
    reply: PinnHealth
  }
  /** Identify parameters of a differential equation or a mixture from data, and refuse those that the data cannot tell */
  "pinn.identify": {
    params: None
    query: None
    body: { "system"?: ("duffing" | "damped_oscillator" | "logistic" | "lotka_volterra" | "redlich_kister" | "burgers_viscosity"); "data"?: { "t"?: (number)[]; "x"?: (number)[]; "y": ((number | (number)[]))[] }; "unknowns"?: (string)[]; "fixed"?: Record<string, number>; "bounds"?: Record<string, (number)[]>; "case"?: ("identifiable" | "ill_posed"); "noise"?: number; "seed"?: number } | undefined
    reply: PinnIdentificationRecorded
  }
  /** The example of the identification: a Duffing oscillator with 1 % noise */
  "pinn.identifyExample": {
    params: None
    query: None
    body: undefined
    reply: PinnIdentification
  }
  /** Margins of candidates in exact decimals, with intervals, break-even points and what is unknown */
  "quantumUtility.counterfactualScore": {
    params: None
    query: None
    body: { "workload_digest": string; "baseline_candidate_id": string; "candidates": ({ "candidate_id": string; "backend_id": string; "compile_plan_id": string; "inputs": { "bounded_value_usd": { "value": (string | null); "basis": ("DECLARED" | "ASSERTED_MEASURED" | "UNKNOWN"); "low"?: string; "high"?: string; "source_ref": string; "receipt_digest"?: string }; "compute_cost_usd": { "value": (string | null); "basis": ("DECLARED" | "ASSERTED_MEASURED" | "UNKNOWN"); "low"?: string; "high"?: string; "source_ref": string; "receipt_digest"?: string }; "queue_cost_usd": { "value": (string | null); "basis": ("DECLARED" | "ASSERTED_MEASURED" | "UNKNOWN"); "low"?: string; "high"?: string; "source_ref": string; "receipt_digest"?: string }; "energy_cost_usd": { "value": (string | null); "basis": ("DECLARED" | "ASSERTED_MEASURED" | "UNKNOWN"); "low"?: string; "high"?: string; "source_ref": string; "receipt_digest"?: string }; "verification_cost_usd": { "value": (string | null); "basis": ("DECLARED" | "ASSERTED_MEASURED" | "UNKNOWN"); "low"?: string; "high"?: string; "source_ref": string; "receipt_digest"?: string }; "operational_risk_cost_usd": { "value": (string | null); "basis": ("DECLARED" | "ASSERTED_MEASURED" | "UNKNOWN"); "low"?: string; "high"?: string; "source_ref": string; "receipt_digest"?: string }; "estimated_accuracy": { "value": ((number | string) | null); "basis": ("DECLARED" | "ASSERTED_MEASURED" | "UNKNOWN"); "low"?: (number | string); "high"?: (number | string); "source_ref": string; "receipt_digest"?: string } } })[] } | undefined
    reply: QuantumCounterfactualScore
  }
  /** Operations, bounds, methods and non-goals of the quantum utility surface */
  "quantumUtility.info": {
    params: None
    query: None
    body: undefined
    reply: QuantumUtilityInfo
  }
  /** Minimise a QUBO classically: the certified minimum, or the best found with a bound and its gap */
  "quantumUtility.quboBaseline": {
    params: None
    query: None
    body: { "problem": { "kind": "QUBO"; "problem_id": string; "variables": (string)[]; "offset"?: number; "linear"?: Record<string, number>; "quadratic"?: ({ "left": string; "right": string; "coefficient": number })[] }; "work_budget"?: number; "seed"?: number } | undefined
    reply: QuantumBaseline
  }
  /** Check the digests of a replay receipt and compute its output again */
  "quantumUtility.receiptReplay": {
    params: None
    query: None
    body: QuantumReplayReceipt | undefined
    reply: QuantumReceiptReplay
  }
  /** Hold a claim of quantum advantage to twelve rules; it is never verified, authorised or published here */
  "quantumUtility.ruptureGate": {
    params: None
    query: None
    body: { "claim_id": string; "claim_type": string; "claim_owner": string; "classical_baseline_receipt": QuantumReplayReceipt; "quantum_observations": ({ "run_id": string; "problem_digest": string; "backend_id": string; "shots": number; "objective": number; "wall_seconds": number; "success_count": number; "raw_result_sha256": string; "observed_at": string })[]; "utility_margin": { "value_usd": (number | string) }; "uncertainty": { "lower": (number | string); "upper": (number | string); "confidence": number; "method": string; "source": string }; "provenance": ({ "uri": string; "sha256": string; "observed_at": string })[] } | undefined
    reply: QuantumRuptureGate
  }
  /** Divide shots among commuting groups of Pauli terms so that the variance of the energy is least */
  "quantumUtility.shotPlan": {
    params: None
    query: None
    body: { "hamiltonian": { "problem_id": string; "qubit_count": number; "terms": ({ "term_id": string; "pauli": string; "coefficient": number; "prior_expectation"?: number; "declared_priority"?: number })[] }; "shot_budget"?: number; "target_standard_error"?: number; "grouping"?: ("qubit_wise" | "general" | "none") } | undefined
    reply: QuantumShotPlan
  }
  /** Run the check behind one claim now */
  "readiness.claim": {
    params: { "claim_id": string }
    query: None
    body: undefined
    reply: { "layer": "evidence"; "claim": { "id": ("signed-receipts" | "hash-chain" | "transparency-log" | "source-provenance" | "policy-gates" | "lambda-conjecture" | "consensus-conjecture" | "liveness-conjecture" | "claim-integrity" | "offline-verification" | "energy-accounting" | "finance-readings"); "claim": string; "maturity": ("TESTED_IN_REPOSITORY" | "MEASURED_HERE" | "PUBLISHED_STANDARD" | "CONJECTURE" | "PLANNED"); "last_test_run": ({ "commit": string; "completed_at": string; "passed": (string)[] } | null); "tab": string; "artifact": { "path": (string | null); "present": boolean; "bytes": (number | null); "sha256": (string | null); "reason"?: string }; "sources": ({ "kind": ("standard" | "paper" | "repository"); "title": string; "url": string; "note": string; "liveness": { "url": string; "mode": ("live" | "cached" | "unreachable"); "checked_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "last_error_at"?: string; "reason"?: string; "reachable": (boolean | null); "http_status": (number | null) } })[]; "sources_reachable": number; "sources_total": number; "live_endpoint": string }; "mode": ("live" | "cached"); "retry_after_seconds": (number | null); "check": { "name": string; "state": ("OK" | "FAILED" | "UNKNOWN"); "checked_at": string; "latency_ms": number; "detail": Record<string, unknown> }; "receipt_minted": false }
  }
  /** One section of the panel, read now */
  "readiness.live": {
    params: { "section_id": string }
    query: None
    body: undefined
    reply: ({ "id": "deployment"; "kind": "endpoints"; "title": string; "retry_after_seconds"?: (number | null); "target": string; "endpoints": ({ "id": ("apex" | "console" | "healthz" | "api"); "role": ("site" | "app" | "health" | "api"); "title": string; "url": string; "liveness": { "url": string; "mode": ("live" | "cached" | "unreachable"); "checked_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "last_error_at"?: string; "reason"?: string; "reachable": boolean; "http_status": number; "probe_via": ("in-process" | "public-address") } })[]; "reachable": number; "total": 4 } | { "id": "identity"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "healthz_url": string; "version_url": string; "healthz_mode": ("live" | "cached" | "unreachable"); "version_mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "raw_healthz": (Record<string, unknown> | null); "raw_version": (Record<string, unknown> | null) } | { "id": "repo"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "repo": (string | null); "repo_url": (string | null); "ci": { "name": (string | null); "conclusion": (string | null); "status": (string | null); "url": (string | null); "created_at": (string | null); "head_sha": (string | null); "is_of_head": (boolean | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string }; "release": { "tag": (string | null); "url": (string | null); "published_at": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string }; "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) } | { "id": "space"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "space_url": (string | null); "stage": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) } | { "id": "parity"; "kind": "parity"; "title": string; "retry_after_seconds"?: (number | null); "build": { "deployed_git_sha": (string | null); "repo_head_sha": (string | null); "deployed_mode": ("live" | "cached" | "unreachable"); "repo_mode": ("live" | "cached" | "unreachable"); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "branch": (string | null); "status": ("current" | "behind" | "ahead" | "diverged" | "unknown"); "behind_by": (number | null); "ahead_by": (number | null); "detail": string }; "release": { "deployed_version": (string | null); "latest_release_tag": (string | null); "release_url": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "status": ("match" | "drift" | "unknown") }; "doctrine_anchor": { "deployed_kernel_commit": (string | null); "healthz_commit": (string | null); "doctrine": (string | null); "lock": (string | null); "note": string; "resolvable_in_repo": (boolean | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }; "hosted_space": { "deployed_hosted_space_sha": (string | null); "live_hosted_space_sha": (string | null); "stage": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "status": ("match" | "drift" | "unknown") }; "fetched_at": (string | null) })
  }
  /** Deployment, identity, repository, hosted space and their parity, as last read */
  "readiness.panel": {
    params: None
    query: None
    body: undefined
    reply: { "layer": "operational-readiness"; "honest": string; "organ": "orch"; "repo": (string | null); "repo_url": (string | null); "hosted_space": (string | null); "deployment": string; "summary": { "endpoints_reachable": number; "endpoints_total": 4; "build_status": ("current" | "behind" | "ahead" | "diverged" | "unknown"); "build_behind_by": number; "ci": (string | null); "hosted_stage": string; "ci_is_of_head": (boolean | null); "as_of": { "build": { "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }; "ci": { "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }; "hosted_stage": { "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) } } }; "sections": [{ "id": "deployment"; "kind": "endpoints"; "title": string; "retry_after_seconds"?: (number | null); "target": string; "endpoints": ({ "id": ("apex" | "console" | "healthz" | "api"); "role": ("site" | "app" | "health" | "api"); "title": string; "url": string; "liveness": { "url": string; "mode": ("live" | "cached" | "unreachable"); "checked_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "last_error_at"?: string; "reason"?: string; "reachable": boolean; "http_status": number; "probe_via": ("in-process" | "public-address") } })[]; "reachable": number; "total": 4 }, { "id": "identity"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "healthz_url": string; "version_url": string; "healthz_mode": ("live" | "cached" | "unreachable"); "version_mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "raw_healthz": (Record<string, unknown> | null); "raw_version": (Record<string, unknown> | null) }, { "id": "repo"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "repo": (string | null); "repo_url": (string | null); "ci": { "name": (string | null); "conclusion": (string | null); "status": (string | null); "url": (string | null); "created_at": (string | null); "head_sha": (string | null); "is_of_head": (boolean | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string }; "release": { "tag": (string | null); "url": (string | null); "published_at": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string }; "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }, { "id": "space"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "space_url": (string | null); "stage": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }, { "id": "parity"; "kind": "parity"; "title": string; "retry_after_seconds"?: (number | null); "build": { "deployed_git_sha": (string | null); "repo_head_sha": (string | null); "deployed_mode": ("live" | "cached" | "unreachable"); "repo_mode": ("live" | "cached" | "unreachable"); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "branch": (string | null); "status": ("current" | "behind" | "ahead" | "diverged" | "unknown"); "behind_by": (number | null); "ahead_by": (number | null); "detail": string }; "release": { "deployed_version": (string | null); "latest_release_tag": (string | null); "release_url": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "status": ("match" | "drift" | "unknown") }; "doctrine_anchor": { "deployed_kernel_commit": (string | null); "healthz_commit": (string | null); "doctrine": (string | null); "lock": (string | null); "note": string; "resolvable_in_repo": (boolean | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }; "hosted_space": { "deployed_hosted_space_sha": (string | null); "live_hosted_space_sha": (string | null); "stage": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "status": ("match" | "drift" | "unknown") }; "fetched_at": (string | null) }]; "checked_at": (string | null); "served_from": ("background-snapshot" | "persisted-snapshot" | "warming"); "snapshot_fetched_at": (string | null); "snapshot_age_seconds": number; "stale": boolean }
  }
  /** Ask for a round of readings and see the panel after it */
  "readiness.refresh": {
    params: None
    query: None
    body: undefined
    reply: { "layer": "operational-readiness"; "honest": string; "organ": "orch"; "repo": (string | null); "repo_url": (string | null); "hosted_space": (string | null); "deployment": string; "summary": { "endpoints_reachable": number; "endpoints_total": 4; "build_status": ("current" | "behind" | "ahead" | "diverged" | "unknown"); "build_behind_by": number; "ci": (string | null); "hosted_stage": string; "ci_is_of_head": (boolean | null); "as_of": { "build": { "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }; "ci": { "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }; "hosted_stage": { "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) } } }; "sections": [{ "id": "deployment"; "kind": "endpoints"; "title": string; "retry_after_seconds"?: (number | null); "target": string; "endpoints": ({ "id": ("apex" | "console" | "healthz" | "api"); "role": ("site" | "app" | "health" | "api"); "title": string; "url": string; "liveness": { "url": string; "mode": ("live" | "cached" | "unreachable"); "checked_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "last_error_at"?: string; "reason"?: string; "reachable": boolean; "http_status": number; "probe_via": ("in-process" | "public-address") } })[]; "reachable": number; "total": 4 }, { "id": "identity"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "healthz_url": string; "version_url": string; "healthz_mode": ("live" | "cached" | "unreachable"); "version_mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "raw_healthz": (Record<string, unknown> | null); "raw_version": (Record<string, unknown> | null) }, { "id": "repo"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "repo": (string | null); "repo_url": (string | null); "ci": { "name": (string | null); "conclusion": (string | null); "status": (string | null); "url": (string | null); "created_at": (string | null); "head_sha": (string | null); "is_of_head": (boolean | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string }; "release": { "tag": (string | null); "url": (string | null); "published_at": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string }; "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }, { "id": "space"; "kind": "kv"; "title": string; "retry_after_seconds"?: (number | null); "fields": ({ "k": string; "v": ((string | number | boolean) | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "reason"?: string })[]; "space_url": (string | null); "stage": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }, { "id": "parity"; "kind": "parity"; "title": string; "retry_after_seconds"?: (number | null); "build": { "deployed_git_sha": (string | null); "repo_head_sha": (string | null); "deployed_mode": ("live" | "cached" | "unreachable"); "repo_mode": ("live" | "cached" | "unreachable"); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "branch": (string | null); "status": ("current" | "behind" | "ahead" | "diverged" | "unknown"); "behind_by": (number | null); "ahead_by": (number | null); "detail": string }; "release": { "deployed_version": (string | null); "latest_release_tag": (string | null); "release_url": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "status": ("match" | "drift" | "unknown") }; "doctrine_anchor": { "deployed_kernel_commit": (string | null); "healthz_commit": (string | null); "doctrine": (string | null); "lock": (string | null); "note": string; "resolvable_in_repo": (boolean | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null) }; "hosted_space": { "deployed_hosted_space_sha": (string | null); "live_hosted_space_sha": (string | null); "stage": (string | null); "mode": ("live" | "cached" | "unreachable"); "fetched_at": (string | null); "age_seconds": (number | null); "last_error": (string | null); "status": ("match" | "drift" | "unknown") }; "fetched_at": (string | null) }]; "checked_at": (string | null); "served_from": ("background-snapshot" | "persisted-snapshot" | "warming"); "snapshot_fetched_at": (string | null); "snapshot_age_seconds": number; "stale": boolean; "refresh": ("DONE" | "RUNNING" | "TOO_SOON") }
  }
  /** What is claimed here, how far each claim goes and what bears it out */
  "readiness.research": {
    params: None
    query: None
    body: undefined
    reply: { "layer": "evidence"; "honest": string; "count": number; "sources_reachable": number; "sources_total": number; "claims": ({ "id": ("signed-receipts" | "hash-chain" | "transparency-log" | "source-provenance" | "policy-gates" | "lambda-conjecture" | "consensus-conjecture" | "liveness-conjecture" | "claim-integrity" | "offline-verification" | "energy-accounting" | "finance-readings"); "claim": string; "maturity": ("TESTED_IN_REPOSITORY" | "MEASURED_HERE" | "PUBLISHED_STANDARD" | "CONJECTURE" | "PLANNED"); "last_test_run": ({ "commit": string; "completed_at": string; "passed": (string)[] } | null); "tab": string; "artifact": { "path": (string | null); "present": boolean; "bytes": (number | null); "sha256": (string | null); "reason"?: string }; "sources": ({ "kind": ("standard" | "paper" | "repository"); "title": string; "url": string; "note": string; "liveness": { "url": string; "mode": ("live" | "cached" | "unreachable"); "checked_at": (string | null); "age_seconds": (number | null); "last_error"?: string; "last_error_at"?: string; "reason"?: string; "reachable": (boolean | null); "http_status": (number | null) } })[]; "sources_reachable": number; "sources_total": number; "live_endpoint": string })[] }
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
    query: { "chain"?: string; "kind"?: ("decision" | "review" | "inference" | "agent-step" | "agent-run" | "step" | "recovery" | "organ-run" | "claim-atomize" | "claim-evaluate" | "analysis" | "price" | "anatomy" | "mint" | "sample" | "key-rotation" | "example" | "restore"); "decision"?: ("ALLOW" | "REVIEW" | "DENY"); "owner"?: string; "agent"?: string; "tool"?: string; "gate"?: ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "session"?: string; "signed"?: ("true" | "false" | "demo" | "production" | "unsigned"); "policy"?: string; "since"?: string; "until"?: string; "q"?: string; "after"?: number }
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
  /** How often each outcome came in a span of time, slice by slice */
  "receipts.outcomes": {
    params: None
    query: { "chain"?: string; "kind"?: ("decision" | "review" | "inference" | "agent-step" | "agent-run" | "step" | "recovery" | "organ-run" | "claim-atomize" | "claim-evaluate" | "analysis" | "price" | "anatomy" | "mint" | "sample" | "key-rotation" | "example" | "restore"); "decision"?: ("ALLOW" | "REVIEW" | "DENY"); "owner"?: string; "agent"?: string; "tool"?: string; "gate"?: ("sensitivity-lattice" | "threat-signature-scan" | "pii-egress-guard" | "cedar-policy" | "session-risk-budget" | "lambda-floor"); "session"?: string; "signed"?: ("true" | "false" | "demo" | "production" | "unsigned"); "policy"?: string; "since"?: string; "until"?: string; "q"?: string; "slices"?: number }
    body: undefined
    reply: OutcomeCounts
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
  /** Approve or deny what waits; every verdict is a signed receipt */
  "reviews.decide": {
    params: { "review_id": string }
    query: None
    body: ReviewVerdict
    reply: { "schema": "orch.review/v1"; "review_id": string; "state": ("pending" | "approved" | "denied" | "expired" | "consumed"); "operation": string; "reviewed": ({ "receipt_id": string; "digest": string } | null); "question": (string | null); "tool": (string | null); "tool_sha256": (string | null); "agent": (string | null); "input_sha256": string; "rules_digest": string; "policy_digest": string; "reasons": (string)[]; "findings": (Finding)[]; "lambda": (number | null); "requested_by": { "owner": string; "key_id": (string | null) }; "created_at": string; "expires_at": string; "valid_until": (string | null); "required_approvals": number; "votes": ({ "verdict": ("approve" | "deny"); "reviewer": string; "key_id": (string | null); "reason": (string | null); "reason_sha256": string; "at": string; "receipt_id": (string | null) })[]; "final_receipt": (string | null); "consumed_by": (string | null); "step": (Record<string, unknown> | null); "payload_state": ("held" | "erased"); "receipt": ReceiptSummary; "approval": ({ "review_id": string; "input_sha256": string; "rules_digest": string; "policy_digest": string; "valid_until": string } | null) }
  }
  /** Decisions that wait for a person, or waited */
  "reviews.list": {
    params: None
    query: { "state"?: ("pending" | "approved" | "denied" | "expired" | "consumed" | "all"); "operation"?: string; "limit"?: number; "cursor"?: string }
    body: undefined
    reply: { "items": (ReviewItem)[]; "counts": { "pending": number; "approved": number; "denied": number; "expired": number; "consumed": number }; "counts_exact_to": number; "oldest_pending_seconds": (number | null); "four_eyes": boolean; "next_cursor": (string | null); "order": "newest first" }
  }
  /** One review; its payload only for those who may decide it */
  "reviews.read": {
    params: { "review_id": string }
    query: None
    body: undefined
    reply: { "schema": "orch.review/v1"; "review_id": string; "state": ("pending" | "approved" | "denied" | "expired" | "consumed"); "operation": string; "reviewed": ({ "receipt_id": string; "digest": string } | null); "question": (string | null); "tool": (string | null); "tool_sha256": (string | null); "agent": (string | null); "input_sha256": string; "rules_digest": string; "policy_digest": string; "reasons": (string)[]; "findings": (Finding)[]; "lambda": (number | null); "requested_by": { "owner": string; "key_id": (string | null) }; "created_at": string; "expires_at": string; "valid_until": (string | null); "required_approvals": number; "votes": ({ "verdict": ("approve" | "deny"); "reviewer": string; "key_id": (string | null); "reason": (string | null); "reason_sha256": string; "at": string; "receipt_id": (string | null) })[]; "final_receipt": (string | null); "consumed_by": (string | null); "step": (Record<string, unknown> | null); "payload_state": ("held" | "erased"); "payload"?: (Record<string, unknown> | null) }
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
  /** Whether traces are made here and whether a collector takes them */
  "runtime.otelStatus": {
    params: None
    query: None
    body: undefined
    reply: { "status": ("LIVE" | "DEGRADED" | "UNAVAILABLE"); "delivery_asserted": boolean; "in_process": { "state": ("LIVE" | "UNAVAILABLE"); "trace_propagation": ("READY" | "UNAVAILABLE"); "spans_started": number; "spans_ended": number }; "exporter": { "state": ("NOT_CONFIGURED" | "CONFIGURED" | "EXPORTING" | "FAILING"); "endpoint_origin_sha256": (string | null); "exported": number; "failed": number; "dropped": number; "last_success_at": (string | null); "last_error_code": (string | null) }; "collector": { "state": ("REACHABLE" | "UNREACHABLE" | "UNKNOWN"); "evidence": ("EXPORT_ACCEPTED" | "FRESH_PROBE" | "STALE_PROBE" | "NO_PROBE"); "age_s": (number | null) }; "checked_at": string }
  }
  /** Whether the service can do its work: every component checked for this request */
  "runtime.readyz": {
    params: None
    query: None
    body: undefined
    reply: { "status": ("READY" | "NOT_READY"); "ready": boolean; "production_ready": boolean; "draining": boolean; "components": Record<string, ComponentCheck>; "blocking_components": (string)[]; "receipt_minted": false; "checked_at": string }
  }
  /** Every part of the service in one record, from the checks of readiness and the running registries */
  "runtime.rollup": {
    params: None
    query: None
    body: undefined
    reply: { "status": ("ok" | "degraded"); "degraded_reasons": (string)[]; "degraded_since": Record<string, string>; "service": "orch"; "version": string; "interface_version": string; "base_path": string; "doctrine": string; "uptime_s": number; "rollup": { "storage": { "status": ("ok" | "pressure" | "unavailable"); "backend": ("memory" | "sqlite" | "postgres"); "durable": boolean; "free_bytes": (number | null) }; "ledger": { "size": number; "integrity": ("VERIFIED" | "VERIFYING" | "BROKEN" | "UNKNOWN"); "backlog": number }; "signer": { "status": ("LIVE" | "DEMO" | "UNSIGNED" | "UNAVAILABLE"); "signing_available": boolean; "scheme": string; "key_kind": (string | null); "tested_at": (string | null) }; "sources": { "total": number; "last_ok": number; "last_failed": number; "never_asked": number }; "organs": { "total": number; "by_class": Record<string, number>; "reason": (string | null) }; "gates": { "count": number; "evaluated": number; "fired": number; "reload_failed": (string | null) }; "background": ({ "task": string; "last_tick": (string | null); "age_seconds": number; "state": ("OK" | "LATE") })[] }; "doctrine_constants": { "lock": string; "locked_8": 8; "lambda": Record<string, unknown> }; "ts": string }
  }
  /** The states and gates of the security loop, and a run over the own lockfile */
  "securityLoop.manifest": {
    params: None
    query: None
    body: undefined
    reply: SecurityLoopManifest
  }
  /** What compute this process has, as a page */
  "sovereignCompute.page": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** What compute this process has: processor, memory, accelerators, models and arithmetic, read for this reply */
  "sovereignCompute.record": {
    params: None
    query: None
    body: undefined
    reply: SovereignCompute
  }
  /** The risk table, constants and quotas, and the committed result of the bench */
  "stepping.benchMeta": {
    params: None
    query: None
    body: undefined
    reply: SteppingTerms
  }
  /** Deliver the due effects of the caller’s namespace now, oldest first */
  "stepping.drain": {
    params: None
    query: { "limit"?: number }
    body: Record<string, never> | undefined
    reply: DrainReport
  }
  /** Whether steps can be recorded now, and what stands in the way */
  "stepping.health": {
    params: None
    query: None
    body: undefined
    reply: SteppingHealth
  }
  /** Re-walk the caller’s recorded steps with their receipts and effects, and say what holds */
  "stepping.integrity": {
    params: None
    query: None
    body: undefined
    reply: StepIntegrity
  }
  /** Re-walk everybody’s recorded steps; sessions are named by a digest alone */
  "stepping.integrityGlobal": {
    params: None
    query: None
    body: undefined
    reply: StepIntegrity
  }
  /** Decisions, receipts, effects and refusals of governed stepping as Prometheus text */
  "stepping.metrics": {
    params: None
    query: None
    body: undefined
    reply: string
  }
  /** Make effects due again that failed for a passing reason, with an audit receipt in the same commit */
  "stepping.recoverTransientEffects": {
    params: None
    query: { "limit"?: number }
    body: Record<string, never> | undefined
    reply: TransientEffectRecovery
  }
  /** Where a session stands: step, budget, effects and its latest decisions */
  "stepping.session": {
    params: { "session_id": string }
    query: None
    body: undefined
    reply: StepSession
  }
  /** Examine a request, charge its session, decide, and record the decision with its effects */
  "stepping.step": {
    params: None
    query: None
    body: StepRequest
    reply: StepDecision
  }
  /** What the findings of the audit would have somebody try; empty while everything passes */
  "steward.proposals": {
    params: None
    query: None
    body: undefined
    reply: StewardProposals
  }
  /** An audit of this service, made now: chains, routes, formulas, artifacts, load and dependencies */
  "steward.status": {
    params: None
    query: None
    body: undefined
    reply: StewardStatus
  }
  /** How unusual values are against a baseline: conformal p-values, exact quantile intervals, robust scores */
  "wirea.anomalyPercentiles": {
    params: None
    query: None
    body: { "baseline": (number)[]; "value"?: number; "values"?: (number)[]; "alpha"?: number; "tail"?: ("upper" | "lower" | "two-sided") } | undefined
    reply: WireaAnomaly
  }
  /** Proper scores of probabilities, ensembles and quantiles, with decompositions and intervals */
  "wirea.evalScores": {
    params: None
    query: None
    body: { "probs"?: (number)[]; "outcomes"?: (number)[]; "bins"?: number; "forecasts"?: ((number)[])[]; "quantiles"?: { "levels": (number)[]; "values": ((number)[])[] }; "observed"?: (number)[]; "candidates"?: ({ "model": string; "brier": number; "ece": number; "coverage": number })[]; "bootstrap"?: number; "seed"?: number } | undefined
    reply: WireaEvalScores
  }
  /** Split conformal prediction tried on data of a known law: does the band cover what it promises? */
  "wirea.forecastCoverage": {
    params: None
    query: { "target"?: number; "n"?: number; "seed"?: number; "trials"?: number; "scenario"?: ("iid" | "drift") }
    body: undefined
    reply: WireaForecastCoverage
  }
  /** Measures of a graph of this service or of a fixture: spectra, cuts, cycles, centralities */
  "wirea.graphMetrics": {
    params: None
    query: { "graph"?: ("organism" | "chain" | "ontology" | "threatgraph" | "fixture-hub9" | "fixture-path9" | "fixture-two-triangles" | "fixture-barbell6") }
    body: undefined
    reply: WireaGraphMetrics
  }
  /** Known answers recomputed now, and the routes of the analytics */
  "wirea.healthz": {
    params: None
    query: None
    body: undefined
    reply: WireaHealth
  }
  /** Means of scores side by side, under the ceiling and against the floor; it decides nothing */
  "wirea.lambdaPanel": {
    params: None
    query: { "scores"?: string; "kind"?: ("arithmetic" | "geometric" | "harmonic" | "power"); "p"?: number; "weights"?: string }
    body: undefined
    reply: WireaLambdaPanel
  }
  /** Rank models by quality, cost and latency, exactly, and say how far the weights may move */
  "wirea.routerReward": {
    params: None
    query: None
    body: { "preset"?: ("performance" | "balanced" | "cost" | "Performance-First" | "Balanced" | "Cost-First"); "weights"?: { "alpha": number; "beta": number; "gamma": number }; "candidates": ({ "model": string; "quality": number; "cost"?: number; "latency"?: number; "usd_per_1k"?: number; "latency_ms"?: number; "quality_n"?: number })[]; "normalisation"?: { "cost_max": number; "latency_max": number }; "quality_n"?: number; "constraints"?: { "min_quality"?: number; "max_cost"?: number; "max_latency"?: number } } | undefined
    reply: WireaRouterReward
  }
  /** Search operations, organs, formulas, labels, requirements, errors, limits, projects and the caller’s newest receipts */
  "wirea.search": {
    params: None
    query: { "q"?: string; "limit"?: number }
    body: undefined
    reply: WireaSearch
  }
  /** How far an observed distribution lies from a reference, with bounds and a G test */
  "wirea.trustGap": {
    params: None
    query: { "observed"?: string; "reference"?: string; "n"?: number }
    body: undefined
    reply: WireaTrustGap
  }
  /** The key that receipts are signed with, as a record or as bare PEM */
  "wow.cosignKey": {
    params: None
    query: None
    body: undefined
    reply: ({ "pem": (string | null); "keyid": (string | null); "key_kind": (("demo" | "production") | null); "algorithm": (string | null); "spki_sha256": (string | null); "verify_url": string; "label": ("MEASURED" | "UNAVAILABLE"); "read_at": (string | null); "reason": (string | null) } | string)
  }
  /** The newest receipts of the governance chain, every digest and link recomputed from the stored bytes */
  "wow.ledger": {
    params: None
    query: { "limit"?: number; "advance"?: number }
    body: undefined
    reply: { "chain_depth": number; "final_hash": string; "genesis_prev": string; "window": { "from_seq": (number | null); "to_seq": (number | null); "recomputed": number; "links_checked": number; "signatures_checked": number; "first_break_seq": (number | null) }; "window_verified": boolean; "decisions_in_window": Record<string, number>; "verticals_in_window": Record<string, number>; "receipts": (GovernanceRow)[]; "samples": (GovernanceRow)[]; "advance": { "requested": number; "appended": number; "reason": (("SAMPLE_MODE_OFF" | "REPLAYED") | null) }; "sample_mode": boolean; "order": string; "updated_at": string; "label": "MEASURED" }
  }
  /** A model of what governance saves on stated assumptions, beside what the gates really did */
  "wow.roi": {
    params: None
    query: { "vertical"?: ("defense" | "finance" | "legal" | "enterprise" | "realestate"); "cost_of_failure_usd"?: number; "annual_events"?: number; "catch_rate"?: number; "catch_rate_low"?: number; "catch_rate_high"?: number; "governance_cost_usd"?: number }
    body: undefined
    reply: { "modeled": { "label": "MODELED"; "equation": string; "interval_meaning": string; "rows": ({ "id": ("defense" | "finance" | "legal" | "enterprise" | "realestate" | "custom"); "illustrative": boolean; "inputs": { "cost_of_failure_usd": { "value": string; "source": ("DEFAULT" | "CALLER") }; "annual_events": { "value": number; "source": ("DEFAULT" | "CALLER") }; "catch_rate": { "value": number; "source": ("DEFAULT" | "CALLER") }; "catch_rate_low": { "value": number; "source": ("DEFAULT" | "CALLER") }; "catch_rate_high": { "value": number; "source": ("DEFAULT" | "CALLER") } }; "exposure": string; "avoided": string; "avoided_low": string; "avoided_high": string })[]; "total": { "exposure": string; "avoided": string; "avoided_low": string; "avoided_high": string; "governance_cost": string; "governance_cost_source": ("DEFAULT" | "CALLER"); "net": string; "net_low": string; "net_high": string } }; "measured": { "label": "MEASURED"; "read_at": string; "reviews": Record<string, number>; "reviews_exact_to": number; "since_start": { "since": string; "decisions": Record<string, number>; "verdicts": Record<string, number>; "output_scans": Record<string, number>; "reviews_opened": number; "fired_by_gate": Record<string, number>; "first_seq": (number | null); "last_seq": (number | null) } } }
  }
  /** How long operations and upstream targets took, as timed in this process */
  "wow.routerLatency": {
    params: None
    query: None
    body: undefined
    reply: { "routes": (LatencyRow)[]; "decisions": LatencyRow; "targets": (LatencyRow)[]; "window_limit": number; "read_at": string }
  }
}

export const OPERATIONS = {
  "agent.loop": { method: "POST", path: "/api/orch/v1/agent/loop", query: [], hasBody: true, labels: ["MEASURED","MODELED","STRUCTURAL-ONLY"], scopes: ["agent:run"], summary: "Run an agent loop in which every step is decided, recorded and verifiable" },
  "anatomy.evaluate": { method: "POST", path: "/api/orch/v1/anatomy-ledger/{operation}", query: [], hasBody: true, labels: ["MODELED","STRUCTURAL-ONLY"], scopes: ["anatomy:write"], summary: "Evaluate an intent, evidence, both bound together, counterfactuals, or a replay; nothing is executed" },
  "anatomy.ledger": { method: "GET", path: "/api/orch/v1/anatomy-ledger/ledger", query: ["limit","cursor"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:read"], summary: "The caller’s chain of evidence records, newest first, recomputed for this reply" },
  "anatomy.prove": { method: "GET", path: "/api/orch/v1/anatomy-ledger/prove", query: [], hasBody: false, labels: ["SIMULATED"], scopes: [], summary: "Synthetic cases through the real evaluators, with throw-away keys; nothing is recorded" },
  "anatomy.status": { method: "GET", path: "/api/orch/v1/anatomy-ledger/healthz", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Whether store and policies answered now, and what this surface can do" },
  "assets.item": { method: "GET", path: "/api/orch/v1/assets/{key}", query: ["raw"], hasBody: false, labels: ["MEASURED","UNAVAILABLE"], scopes: [], summary: "One artifact: its digest and how it begins, or its bytes" },
  "assets.manifest": { method: "GET", path: "/api/orch/v1/assets/manifest", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "The artifacts of this build with their digests, read now" },
  "assurance.evidencePack": { method: "GET", path: "/api/orch/v1/assurance/evidence-pack", query: ["receipts","indexes"], hasBody: false, labels: ["LIVE","ROADMAP","MEASURED"], scopes: ["receipts:read"], summary: "The evidence pack: matrix, chains, doctrine and keys, with a digest and, where there is a key, signed" },
  "assurance.fit": { method: "GET", path: "/api/orch/v1/assurance/fit", query: [], hasBody: false, labels: ["LIVE","ROADMAP"], scopes: [], summary: "Which sets of requirements this deployment meets now, and what each of the others lacks" },
  "assurance.matrix": { method: "GET", path: "/api/orch/v1/assurance/matrix", query: [], hasBody: false, labels: ["LIVE","MEASURED","ROADMAP"], scopes: [], summary: "Eight requirements, each with the check behind it and when it ran; a failing one is never LIVE" },
  "attest.byHash": { method: "GET", path: "/api/orch/v1/attest/{receipt_hash}", query: [], hasBody: false, labels: ["MEASURED","STRUCTURAL-ONLY","UNAVAILABLE","ROADMAP"], scopes: [], summary: "One receipt by its hash under six heads; a hash that is not known here is an answer, not an error" },
  "attest.manifest": { method: "GET", path: "/api/orch/v1/attest/manifest", query: ["require_transparency"], hasBody: false, labels: ["MEASURED","MODELED","UNAVAILABLE"], scopes: [], summary: "The chain-of-title statement of at most ten seconds ago, checked and disclosed field by field for this request" },
  "attest.verify": { method: "GET", path: "/api/orch/v1/attest/verify", query: ["require_transparency"], hasBody: false, labels: ["MEASURED","MODELED"], scopes: [], summary: "The policy verdict on the chain-of-title statement as it would be served now" },
  "attest.verifyPresented": { method: "POST", path: "/api/orch/v1/attest/verify", query: ["require_transparency"], hasBody: true, labels: ["MODELED"], scopes: [], summary: "The policy verdict on a statement that somebody brings; nothing is appended" },
  "brain.pulse": { method: "GET", path: "/api/orch/v1/brain/pulse", query: [], hasBody: false, labels: ["MEASURED","UNAVAILABLE"], scopes: [], summary: "Heartbeat of this process and its stores, each number read for this request" },
  "brain.subscribe": { method: "GET", path: "/api/orch/v1/brain/subscribe/{surface_id}", query: [], hasBody: false, labels: ["MODELED","UNAVAILABLE"], scopes: [], summary: "The fair share of the request capacity that a surface gets, by its demand of the last five minutes" },
  "claims.atomize": { method: "POST", path: "/api/orch/v1/claim-integrity/atomize", query: [], hasBody: true, labels: ["STRUCTURAL-ONLY"], scopes: ["claims:write"], summary: "Split prose into claim candidates that nobody has reviewed" },
  "claims.evaluate": { method: "POST", path: "/api/orch/v1/claim-integrity/evaluate", query: [], hasBody: true, labels: ["STRUCTURAL-ONLY"], scopes: ["claims:write"], summary: "Hold explicit claims to the evidence and the signals that come with them" },
  "claims.info": { method: "GET", path: "/api/orch/v1/claim-integrity/info", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "What the gate does, by the tables it runs on, and what it does not do" },
  "console.app": { method: "GET", path: "/console/{page}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "A page of the console" },
  "console.asset": { method: "GET", path: "/console/assets/{file}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "A script or style of the console; its name holds the digest of what is in it" },
  "console.item": { method: "GET", path: "/console/{page}/{id}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "One thing on a page of the console, by its id" },
  "console.page": { method: "GET", path: "/console", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The console; it opens with the decisions" },
  "docs.document": { method: "GET", path: "/api/orch/v1/documents/{rest}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "One document as a tree of elements" },
  "docs.documents": { method: "GET", path: "/api/orch/v1/documents", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The documents of this build with their titles" },
  "docs.item": { method: "GET", path: "/docs/{rest}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "A document, or the reference of one operation" },
  "docs.page": { method: "GET", path: "/docs", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The documentation: guides and the reference of every operation" },
  "docs.picture": { method: "GET", path: "/docs/pictures/{file}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "A picture of the documents" },
  "finance.contract": { method: "GET", path: "/api/orch/v1/finance/contract", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Operations, sources, bounds, states, codes and formulas of finance, made of the tables of the code" },
  "finance.observation": { method: "GET", path: "/api/orch/v1/finance/observations/{source}", query: ["fresh","limit","offset","token_id","interval","fidelity","cursor","series_ticker","ticker","depth","product","granularity","count","end","cik","series_id","as_of","symbol","timeframe","start","page_token"], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "One reading of one public source, with its provenance, its age and its label" },
  "finance.overview": { method: "GET", path: "/api/orch/v1/finance/overview", query: [], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "Four public snapshots read in parallel; neither a join over venues nor a census" },
  "finance.portfolio": { method: "POST", path: "/api/orch/v1/finance/analytics/v2/portfolio", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Risk of the caller’s own price series: covariance, contributions, drawdown and tail" },
  "finance.priceModel": { method: "GET", path: "/api/orch/v1/finance/signed-prices/model", query: [], hasBody: false, labels: ["SIMULATED"], scopes: [], summary: "The median of group medians beside the plain median, on rows written for it" },
  "finance.providers": { method: "GET", path: "/api/orch/v1/finance/providers", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The sixteen sources, their parameters, what is missing for them and their newest attempts; asks nobody" },
  "finance.quote": { method: "GET", path: "/api/orch/v1/finance/analytics/v2/quote/{symbol_name}", query: ["origin","benchmark"], hasBody: false, labels: ["MODELED","SIMULATED","LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "The last completed daily close, its risk figures and its beta to a benchmark" },
  "finance.receipts": { method: "GET", path: "/api/orch/v1/finance/analytics/v2/receipts", query: ["limit","cursor"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:read"], summary: "What a result of finance is recorded with, the signer now, and the newest receipts" },
  "finance.receiptsVerify": { method: "POST", path: "/api/orch/v1/finance/analytics/v2/receipts/verify", query: [], hasBody: true, labels: ["STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Verify a reply of finance, a receipt of this ledger or a DSSE envelope" },
  "finance.receiptsVerifyContract": { method: "GET", path: "/api/orch/v1/finance/analytics/v2/receipts/verify", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "What can be verified here, and what is checked" },
  "finance.researchAudit": { method: "POST", path: "/api/orch/v1/finance/research/audit", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Which records of a panel may be used on a given day, and why the others may not" },
  "finance.signals": { method: "GET", path: "/api/orch/v1/finance/analytics/v2/signals/{symbol_name}", query: ["origin"], hasBody: false, labels: ["MODELED","SIMULATED","LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "Indicators over 260 closed daily candles, and the votes of a published rule" },
  "finance.signedPrice": { method: "GET", path: "/api/orch/v1/finance/signed-prices/{symbol_name}", query: [], hasBody: false, labels: ["MODELED","LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "The newest signed print of a price, verified in this request, or why there is none" },
  "formulas.tiers": { method: "GET", path: "/api/orch/v1/formula-tiers", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY","MEASURED"], scopes: [], summary: "The eight locked formulas, what is only checked, what is conjectured, and the checks with the time they ran at" },
  "frontier.info": { method: "GET", path: "/api/orch/v1/frontier/projects/info", query: [], hasBody: false, labels: ["SAMPLE"], scopes: [], summary: "The fields of the registry of studied projects, counted now, and its policies" },
  "frontier.projects": { method: "GET", path: "/api/orch/v1/frontier/projects", query: ["field","cursor","limit"], hasBody: false, labels: ["SAMPLE","LIVE","ROADMAP","MEASURED","UNAVAILABLE"], scopes: [], summary: "The studied projects, the idea of each, and which operation here implements it" },
  "gates.get": { method: "GET", path: "/api/orch/v1/gates/{name}", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "One gate with its rules and their examples, or the policies in charge" },
  "gates.list": { method: "GET", path: "/api/orch/v1/gates", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "The six gates in stage order, by what they decide and what they did" },
  "gates.test": { method: "POST", path: "/api/orch/v1/gates/{name}/test", query: [], hasBody: true, labels: ["MEASURED","MODELED","STRUCTURAL-ONLY"], scopes: ["decisions:write"], summary: "Try one gate on a text; recorded as a test and counted nowhere" },
  "governance.govern": { method: "POST", path: "/api/orch/v1/wow/govern", query: ["envelope"], hasBody: true, labels: ["MEASURED","MODELED","STRUCTURAL-ONLY","UNAVAILABLE"], scopes: ["decisions:write"], summary: "Decide on a text: allow, review or deny, with a signed receipt" },
  "identity.deploymentSource": { method: "GET", path: "/.well-known/orch-source.json", query: ["refresh"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Source and deployment of this process, and whether their commits agree" },
  "identity.honest": { method: "GET", path: "/api/orch/v1/honest", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "What is simulated, not signed, not accredited or not configured here, and the label of every surface" },
  "identity.productSource": { method: "GET", path: "/.well-known/source.json", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Product, repository and signer of this service, and what it does not claim" },
  "identity.sourceAttestation": { method: "GET", path: "/.well-known/orch-source-v2.json", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY","UNAVAILABLE"], scopes: [], summary: "Source and deployment as gathered at start; the same bytes for the life of the process" },
  "identity.version": { method: "GET", path: "/api/orch/v1/version", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Which build runs, its release, its provenance and who says so" },
  "inference.chat": { method: "POST", path: "/v1/chat/completions", query: [], hasBody: true, labels: ["STRUCTURAL-ONLY"], scopes: ["inference:write"], summary: "The same for any OpenAI client: change its base URL and nothing else" },
  "inference.health": { method: "GET", path: "/api/orch/v1/govern/health", query: [], hasBody: false, labels: ["MEASURED","UNAVAILABLE"], scopes: ["inference:write"], summary: "The model targets, their breakers and their last successes; probes nothing" },
  "inference.infer": { method: "POST", path: "/api/orch/v1/govern/infer", query: [], hasBody: true, labels: ["MEASURED","MODELED","STRUCTURAL-ONLY","UNAVAILABLE"], scopes: ["inference:write"], summary: "Ask a model: the request and the answer are both decided on, one receipt holds both" },
  "inference.models": { method: "GET", path: "/v1/models", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["inference:write"], summary: "The models that can answer, as configured; a target that is absent is not listed" },
  "interpretability.features": { method: "GET", path: "/api/orch/v1/interpretability/features", query: ["seed","d_model","n_features","top_k","batch"], hasBody: false, labels: ["SIMULATED"], scopes: ["analysis:run"], summary: "Train a TopK sparse autoencoder on seeded synthetic data and measure what it recovers of the truth" },
  "keys.cosign": { method: "GET", path: "/cosign.pub", query: ["keyid"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The verification key in use as PEM, or one of the ring by its keyid" },
  "keys.demoCosign": { method: "GET", path: "/demo-cosign.pub", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The demo verification key as PEM, where a demo key is in use" },
  "keys.list": { method: "GET", path: "/api/orch/v1/keys", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The trust ring: every key that ever signed here" },
  "keys.rotate": { method: "POST", path: "/api/orch/v1/keys/rotate", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["keys:rotate"], summary: "Turn the demo key: the old one signs the receipt that names the new one" },
  "khipu.chain": { method: "GET", path: "/api/orch/v1/khipu/chain/{organ}", query: ["limit","cursor"], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "One chain: its head, what the re-walk found, its receipts newest first" },
  "khipu.dag": { method: "GET", path: "/api/orch/khipu/dag", query: ["request"], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "The newest receipts, or the neighbourhood of one, as a graph" },
  "khipu.ledger": { method: "GET", path: "/api/orch/khipu/ledger", query: ["limit","cursor","chain","kind","decision","owner","agent","tool","gate","session","signed","policy","since","until","q"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:read"], summary: "Receipts, newest first, narrowed by what they say" },
  "khipu.organs": { method: "GET", path: "/api/orch/v1/khipu/organs", query: ["rewalk"], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "The chains, organ by organ, re-walked to their heads for this reply" },
  "khipu.sign": { method: "POST", path: "/api/orch/khipu/sign", query: ["envelope"], hasBody: true, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:write"], summary: "Mint a receipt over an object of the caller" },
  "khipu.verify": { method: "POST", path: "/api/orch/khipu/verify", query: [], hasBody: true, labels: ["MEASURED"], scopes: [], summary: "Verify a DSSE envelope" },
  "khipu.verifyById": { method: "GET", path: "/api/orch/v1/khipu/verify/{digest}", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "Verify a receipt of this ledger" },
  "lake.heads": { method: "GET", path: "/api/lake/v1/chain/head", query: ["organ"], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "Heads of the lake chains, or of one organ" },
  "lake.health": { method: "GET", path: "/api/lake/v1/health", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "The lake chains: how many receipts, where their heads are" },
  "lake.log": { method: "GET", path: "/api/lake/v1/log", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "The transparency log over all receipts: name, key, size, root, newest checkpoint" },
  "lake.proof": { method: "GET", path: "/api/lake/v1/proof/{id}", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "The lake link of one receipt, recomputed, with its proof of inclusion in the log" },
  "lake.receipts": { method: "GET", path: "/api/lake/v1/receipts", query: ["limit","cursor","organ"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:read"], summary: "Links of the lake chains, newest first" },
  "log.anchor": { method: "POST", path: "/api/orch/v1/log/anchor", query: [], hasBody: true, labels: ["MEASURED","MODELED"], scopes: ["log:anchor"], summary: "Submits the newest checkpoint of the log to the configured external log and verifies the proof it returns" },
  "log.checkpoint": { method: "GET", path: "/log/checkpoint", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The newest signed checkpoint of the log" },
  "log.consistency": { method: "GET", path: "/api/orch/v1/log/proof/consistency", query: ["from","to"], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Proof that the log at one size is a beginning of the log at another" },
  "log.entries": { method: "GET", path: "/log/tile/entries/{rest}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["log:entries"], summary: "A bundle of log entries: the exact receipt bodies under a tile of level 0" },
  "log.inclusion": { method: "GET", path: "/api/orch/v1/log/proof/inclusion", query: ["digest","tree_size"], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Proof that a receipt is in the log" },
  "log.key": { method: "GET", path: "/log/key", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The verification key of the log, as signed notes spell it" },
  "log.tile": { method: "GET", path: "/log/tile/{rest}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "A tile of hashes of the log’s tree" },
  "m1.gate": { method: "GET", path: "/api/orch/v1/models/m1", query: [], hasBody: false, labels: ["MEASURED","SAMPLE"], scopes: [], summary: "Whether the embedded model may answer: every artifact hashed, its evaluation, one forward pass repeated" },
  "m1.infer": { method: "POST", path: "/api/orch/v1/models/m1/infer", query: [], hasBody: true, labels: ["MODELED","STRUCTURAL-ONLY"], scopes: ["inference:write"], summary: "Let the embedded model continue a text: tokens, log-probabilities, seeded sampling, one slot" },
  "m1.page": { method: "GET", path: "/models/m1", query: [], hasBody: false, labels: ["MEASURED","SAMPLE"], scopes: [], summary: "The embedded model as a page: gate, evaluation, training data, limits, and a box to try it" },
  "m1.script": { method: "GET", path: "/models/m1/app.js", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The script of the model page" },
  "markets.company": { method: "GET", path: "/api/orch/v1/markets/company", query: ["cik"], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "Five annual figures of a company from its filings, with what else was reported" },
  "markets.debt": { method: "GET", path: "/api/orch/v1/markets/debt", query: [], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "The public debt of the United States on the newest day that was published" },
  "markets.macro": { method: "GET", path: "/api/orch/v1/markets/macro", query: ["series_id"], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "The newest 24 observations of a FRED series" },
  "markets.summary": { method: "GET", path: "/api/orch/v1/markets/summary", query: ["cik","series_id"], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "Company, debt and series side by side; ok only where all three are" },
  "materials.health": { method: "GET", path: "/api/orch/v1/materials/health", query: [], hasBody: false, labels: ["MODELED"], scopes: [], summary: "The table and the model, their calibration beside a naive baseline, and two known answers" },
  "materials.predict": { method: "POST", path: "/api/orch/v1/materials/predict", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Predict the formation energy of a composition with its interval, its competing phases, or a refusal" },
  "neighbours.constellation": { method: "GET", path: "/api/orch/v1/constellation", query: [], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "This process, checked now, and the surfaces the operator listed, as last read" },
  "neighbours.spend": { method: "GET", path: "/api/orch/v1/spend/federated", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE"], scopes: [], summary: "What the configured spending authority says, and beside it what our own receipts count" },
  "neighbours.spine": { method: "GET", path: "/api/orch/v1/spine", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE"], scopes: [], summary: "The tools that run here, and those of the configured gateway as last read" },
  "operator.page": { method: "GET", path: "/operator-organ", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "The parts of this service and how each of them does, as a page" },
  "operator.script": { method: "GET", path: "/operator-organ/app.js", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The script of the operator page" },
  "operator.topology": { method: "GET", path: "/operator-organ/topology.json", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Every part checked for this request, and the calls between them as they were counted" },
  "organHealth.index": { method: "GET", path: "/api/orch/v1/organ-health", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE"], scopes: [], summary: "Twelve roles, each checked by using it" },
  "organHealth.role": { method: "GET", path: "/api/orch/v1/organ-health/{role}", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE"], scopes: [], summary: "One role with all its checks" },
  "organs.catalog": { method: "GET", path: "/api/orch/v1/organs", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY","SIMULATED","MEASURED","MODELED","UNAVAILABLE"], scopes: [], summary: "The catalog of the 25 organs" },
  "organs.describe": { method: "GET", path: "/api/orch/v1/organs/{organ_id}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY","SIMULATED","MEASURED","MODELED","UNAVAILABLE"], scopes: [], summary: "One organ: its ops, schemas, limits and example" },
  "organs.history": { method: "GET", path: "/api/orch/v1/organs/history", query: ["limit","cursor","organ","status"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["organs:read"], summary: "Organ runs of the caller, newest first, as their receipts tell them" },
  "organs.mcp": { method: "POST", path: "/api/orch/v1/mcp", query: [], hasBody: true, labels: ["MEASURED"], scopes: ["organs:run"], summary: "The tools of the organ N14 for clients of the Model Context Protocol" },
  "organs.page": { method: "GET", path: "/organs", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The catalog of the organs as a page" },
  "organs.run": { method: "POST", path: "/api/orch/v1/organs/{organ_id}", query: ["envelope"], hasBody: true, labels: ["STRUCTURAL-ONLY","SIMULATED","MEASURED","MODELED","UNAVAILABLE"], scopes: ["organs:run"], summary: "Run one op of an organ, with a signed receipt" },
  "pages.landing": { method: "GET", path: "/", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "What is here, as a page" },
  "pages.style": { method: "GET", path: "/pages/style.css", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The one style of all pages" },
  "pages.theme": { method: "GET", path: "/pages/theme.js", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "The choice between light and dark, for all pages" },
  "pages.verify": { method: "GET", path: "/verify", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Check receipts, exports and evidence packs in the browser, with no connection to anything" },
  "pinn.bench": { method: "GET", path: "/api/orch/v1/pinn/bench", query: [], hasBody: false, labels: ["SAMPLE","ROADMAP"], scopes: [], summary: "Direct solvers beside a tuned network, as measured once by npm run bench:pinn; nothing is run here" },
  "pinn.burgers": { method: "GET", path: "/api/orch/v1/pinn/burgers", query: ["nu","a","b","N","include_unconverged"], hasBody: false, labels: ["MODELED"], scopes: [], summary: "Steady Burgers by collocation, with its error against the exact solution" },
  "pinn.health": { method: "GET", path: "/api/orch/v1/pinn/health", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Two known answers computed now, the systems that can be identified, and whether the comparison is intact" },
  "pinn.identify": { method: "POST", path: "/api/orch/v1/pinn/identify", query: [], hasBody: true, labels: ["SIMULATED","MODELED","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Identify parameters of a differential equation or a mixture from data, and refuse those that the data cannot tell" },
  "pinn.identifyExample": { method: "GET", path: "/api/orch/v1/pinn/identify", query: [], hasBody: false, labels: ["SIMULATED"], scopes: [], summary: "The example of the identification: a Duffing oscillator with 1 % noise" },
  "quantumUtility.counterfactualScore": { method: "POST", path: "/api/orch/v1/quantum-utility/counterfactual/score", query: [], hasBody: true, labels: ["MODELED","SAMPLE","SIMULATED","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Margins of candidates in exact decimals, with intervals, break-even points and what is unknown" },
  "quantumUtility.info": { method: "GET", path: "/api/orch/v1/quantum-utility/info", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Operations, bounds, methods and non-goals of the quantum utility surface" },
  "quantumUtility.quboBaseline": { method: "POST", path: "/api/orch/v1/quantum-utility/qubo/baseline", query: [], hasBody: true, labels: ["MEASURED","MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Minimise a QUBO classically: the certified minimum, or the best found with a bound and its gap" },
  "quantumUtility.receiptReplay": { method: "POST", path: "/api/orch/v1/quantum-utility/receipt/replay", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Check the digests of a replay receipt and compute its output again" },
  "quantumUtility.ruptureGate": { method: "POST", path: "/api/orch/v1/quantum-utility/claim/rupture-gate", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Hold a claim of quantum advantage to twelve rules; it is never verified, authorised or published here" },
  "quantumUtility.shotPlan": { method: "POST", path: "/api/orch/v1/quantum-utility/hamiltonian/shot-plan", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Divide shots among commuting groups of Pauli terms so that the variance of the energy is least" },
  "readiness.claim": { method: "GET", path: "/api/orch/v1/evidence/research/{claim_id}/live", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE"], scopes: [], summary: "Run the check behind one claim now" },
  "readiness.live": { method: "GET", path: "/api/orch/v1/readiness/{section_id}/live", query: [], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "One section of the panel, read now" },
  "readiness.panel": { method: "GET", path: "/api/orch/v1/readiness", query: [], hasBody: false, labels: ["SAMPLE","UNAVAILABLE"], scopes: [], summary: "Deployment, identity, repository, hosted space and their parity, as last read" },
  "readiness.refresh": { method: "GET", path: "/api/orch/v1/readiness/refresh", query: [], hasBody: false, labels: ["LIVE","SAMPLE","UNAVAILABLE"], scopes: [], summary: "Ask for a round of readings and see the panel after it" },
  "readiness.research": { method: "GET", path: "/api/orch/v1/evidence/research", query: [], hasBody: false, labels: ["SAMPLE","UNAVAILABLE"], scopes: [], summary: "What is claimed here, how far each claim goes and what bears it out" },
  "receipts.canonical": { method: "GET", path: "/api/orch/v1/receipts/{digest}/canonical", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:read"], summary: "The exact bytes that were hashed, signed and logged" },
  "receipts.events": { method: "GET", path: "/api/orch/v1/events", query: ["chain","kind","decision","owner","agent","tool","gate","session","signed","policy","since","until","q","after"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:read"], summary: "Receipts as server-sent events, one each, `id` is the node index" },
  "receipts.export": { method: "GET", path: "/api/orch/v1/receipt/export", query: ["digest"], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "A receipt with everything needed to check it without this service" },
  "receipts.exportLedger": { method: "GET", path: "/api/orch/v1/ledger/export", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["log:entries"], summary: "The whole ledger as lines: a header, one line per receipt, a footer" },
  "receipts.get": { method: "GET", path: "/api/orch/v1/receipts/{digest}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["receipts:read"], summary: "One receipt with its envelope and its proof, as a file that verifies by itself" },
  "receipts.outcomes": { method: "GET", path: "/api/orch/v1/ledger/outcomes", query: ["chain","kind","decision","owner","agent","tool","gate","session","signed","policy","since","until","q","slices"], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "How often each outcome came in a span of time, slice by slice" },
  "receipts.verify": { method: "POST", path: "/api/orch/v1/verify/receipt", query: [], hasBody: true, labels: ["MEASURED"], scopes: [], summary: "Verify an envelope, a receipt, an export or a receipt of this ledger by its id" },
  "receipts.verifyById": { method: "GET", path: "/api/orch/v1/verify/receipt/{receipt_id}", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["receipts:read"], summary: "Re-walk the chain and report on one receipt of this ledger" },
  "receipts.verifyManifest": { method: "GET", path: "/api/orch/v1/verify/receipt", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "What can be verified here, and how the answer reads" },
  "reviews.decide": { method: "POST", path: "/api/orch/v1/reviews/{review_id}/decide", query: [], hasBody: true, labels: ["STRUCTURAL-ONLY"], scopes: ["review:decide"], summary: "Approve or deny what waits; every verdict is a signed receipt" },
  "reviews.list": { method: "GET", path: "/api/orch/v1/reviews", query: ["state","operation","limit","cursor"], hasBody: false, labels: ["MEASURED"], scopes: ["review:read"], summary: "Decisions that wait for a person, or waited" },
  "reviews.read": { method: "GET", path: "/api/orch/v1/reviews/{review_id}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["review:read"], summary: "One review; its payload only for those who may decide it" },
  "runtime.buildInfo": { method: "GET", path: "/api/build-info", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY","UNAVAILABLE"], scopes: [], summary: "Which build runs, and who says so" },
  "runtime.health": { method: "GET", path: "/api/orch/v1/health", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Health in one word, with the components behind it" },
  "runtime.healthz": { method: "GET", path: "/healthz", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Liveness record: doctrine, lock and what the signer can do" },
  "runtime.livez": { method: "GET", path: "/api/livez", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Whether the process answers; touches no store" },
  "runtime.metrics": { method: "GET", path: "/metrics", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["metrics:read"], summary: "Prometheus text, or the same readings as JSON when asked for application/json" },
  "runtime.openapi": { method: "GET", path: "/openapi.json", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "This interface as OpenAPI 3.1" },
  "runtime.otelStatus": { method: "GET", path: "/api/orch/v1/otel/status", query: [], hasBody: false, labels: ["MEASURED","UNAVAILABLE"], scopes: [], summary: "Whether traces are made here and whether a collector takes them" },
  "runtime.readyz": { method: "GET", path: "/api/readyz", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Whether the service can do its work: every component checked for this request" },
  "runtime.rollup": { method: "GET", path: "/api/orch/healthz", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Every part of the service in one record, from the checks of readiness and the running registries" },
  "securityLoop.manifest": { method: "GET", path: "/api/orch/v1/waqay/security-loop/manifest", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY","SAMPLE","UNAVAILABLE"], scopes: [], summary: "The states and gates of the security loop, and a run over the own lockfile" },
  "sovereignCompute.page": { method: "GET", path: "/sovereign-compute", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE","ROADMAP"], scopes: [], summary: "What compute this process has, as a page" },
  "sovereignCompute.record": { method: "GET", path: "/api/orch/v1/sovereign-compute", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE","ROADMAP"], scopes: [], summary: "What compute this process has: processor, memory, accelerators, models and arithmetic, read for this reply" },
  "stepping.benchMeta": { method: "GET", path: "/api/orch/v1/gdw/bench/meta", query: [], hasBody: false, labels: ["SAMPLE","UNAVAILABLE","MODELED"], scopes: ["bench:read"], summary: "The risk table, constants and quotas, and the committed result of the bench" },
  "stepping.drain": { method: "POST", path: "/api/orch/v1/gdw/drain", query: ["limit"], hasBody: true, labels: ["MEASURED","STRUCTURAL-ONLY"], scopes: ["effects:drain"], summary: "Deliver the due effects of the caller’s namespace now, oldest first" },
  "stepping.health": { method: "GET", path: "/api/orch/v1/gdw/healthz", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Whether steps can be recorded now, and what stands in the way" },
  "stepping.integrity": { method: "GET", path: "/api/orch/v1/gdw/integrity", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["integrity:read"], summary: "Re-walk the caller’s recorded steps with their receipts and effects, and say what holds" },
  "stepping.integrityGlobal": { method: "GET", path: "/api/orch/v1/gdw/integrity/global", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["integrity:global"], summary: "Re-walk everybody’s recorded steps; sessions are named by a digest alone" },
  "stepping.metrics": { method: "GET", path: "/api/orch/v1/gdw/metrics", query: [], hasBody: false, labels: ["MEASURED"], scopes: ["metrics:read"], summary: "Decisions, receipts, effects and refusals of governed stepping as Prometheus text" },
  "stepping.recoverTransientEffects": { method: "POST", path: "/api/orch/v1/gdw/recovery/transient-effects", query: ["limit"], hasBody: true, labels: ["MEASURED","STRUCTURAL-ONLY"], scopes: ["effects:recover","integrity:global"], summary: "Make effects due again that failed for a passing reason, with an audit receipt in the same commit" },
  "stepping.session": { method: "GET", path: "/api/orch/v1/gdw/sessions/{session_id}", query: [], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: ["session:read"], summary: "Where a session stands: step, budget, effects and its latest decisions" },
  "stepping.step": { method: "POST", path: "/api/orch/v1/gdw/step", query: [], hasBody: true, labels: ["MODELED","STRUCTURAL-ONLY"], scopes: ["step:write"], summary: "Examine a request, charge its session, decide, and record the decision with its effects" },
  "steward.proposals": { method: "GET", path: "/api/orch/v1/steward/proposals", query: [], hasBody: false, labels: ["MODELED"], scopes: [], summary: "What the findings of the audit would have somebody try; empty while everything passes" },
  "steward.status": { method: "GET", path: "/api/orch/v1/steward/status", query: [], hasBody: false, labels: ["MEASURED","SAMPLE","UNAVAILABLE"], scopes: [], summary: "An audit of this service, made now: chains, routes, formulas, artifacts, load and dependencies" },
  "wirea.anomalyPercentiles": { method: "POST", path: "/api/orch/v1/wirea/anomaly/percentiles", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "How unusual values are against a baseline: conformal p-values, exact quantile intervals, robust scores" },
  "wirea.evalScores": { method: "POST", path: "/api/orch/v1/wirea/eval/scores", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Proper scores of probabilities, ensembles and quantiles, with decompositions and intervals" },
  "wirea.forecastCoverage": { method: "GET", path: "/api/orch/v1/wirea/forecast/coverage", query: ["target","n","seed","trials","scenario"], hasBody: false, labels: ["SIMULATED"], scopes: [], summary: "Split conformal prediction tried on data of a known law: does the band cover what it promises?" },
  "wirea.graphMetrics": { method: "GET", path: "/api/orch/v1/wirea/graph/metrics", query: ["graph"], hasBody: false, labels: ["MEASURED","SAMPLE"], scopes: [], summary: "Measures of a graph of this service or of a fixture: spectra, cuts, cycles, centralities" },
  "wirea.healthz": { method: "GET", path: "/api/orch/v1/wirea/healthz", query: [], hasBody: false, labels: ["MEASURED"], scopes: [], summary: "Known answers recomputed now, and the routes of the analytics" },
  "wirea.lambdaPanel": { method: "GET", path: "/api/orch/v1/wirea/lambda/panel", query: ["scores","kind","p","weights"], hasBody: false, labels: ["MODELED","SAMPLE"], scopes: [], summary: "Means of scores side by side, under the ceiling and against the floor; it decides nothing" },
  "wirea.routerReward": { method: "POST", path: "/api/orch/v1/wirea/router/reward", query: [], hasBody: true, labels: ["MODELED","SAMPLE","STRUCTURAL-ONLY"], scopes: ["analysis:run"], summary: "Rank models by quality, cost and latency, exactly, and say how far the weights may move" },
  "wirea.search": { method: "GET", path: "/api/orch/v1/wirea/search", query: ["q","limit"], hasBody: false, labels: ["STRUCTURAL-ONLY"], scopes: [], summary: "Search operations, organs, formulas, labels, requirements, errors, limits, projects and the caller’s newest receipts" },
  "wirea.trustGap": { method: "GET", path: "/api/orch/v1/wirea/trust/gap", query: ["observed","reference","n"], hasBody: false, labels: ["MODELED","SAMPLE"], scopes: [], summary: "How far an observed distribution lies from a reference, with bounds and a G test" },
  "wow.cosignKey": { method: "GET", path: "/api/orch/v1/wow/cosign.pub", query: [], hasBody: false, labels: ["MEASURED","UNAVAILABLE"], scopes: [], summary: "The key that receipts are signed with, as a record or as bare PEM" },
  "wow.ledger": { method: "GET", path: "/api/orch/v1/wow/ledger", query: ["limit","advance"], hasBody: false, labels: ["MEASURED","STRUCTURAL-ONLY","SIMULATED"], scopes: ["receipts:read"], summary: "The newest receipts of the governance chain, every digest and link recomputed from the stored bytes" },
  "wow.roi": { method: "GET", path: "/api/orch/v1/wow/roi", query: ["vertical","cost_of_failure_usd","annual_events","catch_rate","catch_rate_low","catch_rate_high","governance_cost_usd"], hasBody: false, labels: ["MODELED","MEASURED"], scopes: ["metrics:read"], summary: "A model of what governance saves on stated assumptions, beside what the gates really did" },
  "wow.routerLatency": { method: "GET", path: "/api/orch/v1/wow/router-latency", query: [], hasBody: false, labels: ["MEASURED","UNAVAILABLE"], scopes: ["metrics:read"], summary: "How long operations and upstream targets took, as timed in this process" },
} as const
