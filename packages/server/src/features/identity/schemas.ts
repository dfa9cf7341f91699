/** What this surface answers with. */

import { LABELS } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Count, Nullable, Text, Timestamp, words } from '../../domain/wire.ts'
import { closed } from '../../platform/shape.ts'

const Mode = words(['live', 'cached', 'unreachable'])
const Age = Nullable(Type.Number({ minimum: 0 }))
const Commit = Type.String({ pattern: '^[0-9a-f]{40}$' })
const CommitOrUnknown = Type.String({ pattern: '^(?:[0-9a-f]{40}|unknown)$' })
const Alignment = words(['MATCH', 'CONFLICT', 'UNKNOWN'])
const Limits = Type.Array(Type.String(), { minItems: 1 })
const NotClaimed = Type.Literal('NOT_CLAIMED')
const SignerWord = words(['LIVE', 'DEMO', 'UNSIGNED', 'UNAVAILABLE'])
const KeyKind = Nullable(words(['demo', 'production']))

const doi = { value: Text, url: Text }

export const VersionRecord = closed(
  {
    name: Type.Literal('orch'),
    version: Type.String(),
    expected_release_tag: Type.String(),
    release_state: words(['VERIFIED', 'CONFIGURED_UNVERIFIED', 'CANDIDATE']),
    release_tag: Text,
    release_url: Type.String(),
    surfaces: closed({
      canonical: Type.String(),
      registry: Type.String(),
      legacy_alias: Type.String(),
      legacy_alias_policy: Type.Literal('SEPARATE_REGISTRY_ORIGIN'),
      repository: Type.String(),
    }),
    doi: closed({
      concept: closed({ ...doi, role: Type.Literal('ASSOCIATED_RESEARCH_PROGRAM') }),
      formal_artifacts: closed({ ...doi, role: Type.Literal('FORMAL_ARTIFACT_RECORD') }),
      software_version: closed({
        ...doi,
        status: words(['PENDING_ARCHIVE_READBACK', 'CONFIGURED_UNVERIFIED', 'VERIFIED']),
        readback: Nullable(closed({ doi: Type.String(), read_at: Timestamp })),
      }),
    }),
    honesty: closed({
      configured_is_operational: Type.Boolean(),
      conjecture_promoted: Type.Boolean(),
      doi_invented: Type.Boolean(),
    }),
    git_sha: CommitOrUnknown,
    hosted_space_sha: CommitOrUnknown,
    hosted_space_sha_readback: closed({
      sha: Nullable(Commit),
      status: words(['OBSERVED', 'UNREACHABLE', 'NOT_CONFIGURED']),
      source: Text,
      space: Text,
      configured_env: Nullable(Commit),
      env_matches_live: Type.Boolean(),
      mode: Mode,
      age_seconds: Age,
    }),
    build_time: Type.String(),
    doctrine: Type.String(),
    kernel_commit: Type.String(),
    p6_status: words(['SIGNED_OFF', 'NOT_SIGNED_OFF']),
    p6_grader_score: Type.String({ pattern: '^\\d+/\\d+$' }),
    verify: closed({
      release_assets_status: words(['PENDING_RELEASE', 'CONFIGURED_UNVERIFIED', 'VERIFIED']),
      cosign: Text,
      sbom: Text,
      honest: Type.String(),
    }),
    changelog: Type.String(),
    capabilities: Type.Array(closed({ name: Type.String(), label: words(LABELS), prs: Type.Array(Count) })),
    lambda: Type.String(),
    locked_8: Type.Literal(8),
    sources: Type.Record(Type.String(), Type.String()),
    readings: closed({
      hosted_space: closed({ mode: Mode, fetched_at: Nullable(Timestamp), age_seconds: Age }),
    }),
    ts: Timestamp,
  },
  { $id: 'VersionRecord' },
)
export type VersionRecord = Static<typeof VersionRecord>

export const RefreshQuery = Type.Object({
  refresh: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1,
      default: 0,
      description: '1: ask the background reader for a round, at most one per 30 s; the reply does not wait for it',
    }),
  ),
})

export const DeploymentSource = closed(
  {
    schema: Type.Literal('orch.deployment-source/v1'),
    observed_at: Timestamp,
    transport_state: Type.Literal('REACHABLE'),
    evidence_state: words(['COMPUTED', 'UNAVAILABLE']),
    verification_state: Type.Literal('STRUCTURAL_ONLY'),
    authority_state: Type.Literal('READ_ONLY'),
    source: closed({
      repository: Text,
      commit: Nullable(Commit),
      commit_source: Type.String(),
      state: words(['OBSERVED', 'CONFIGURED', 'CONFLICT', 'UNKNOWN']),
    }),
    deployment: closed({
      hosted_space: Text,
      hosted_revision: Nullable(Commit),
      mode: Mode,
      fetched_at: Nullable(Timestamp),
    }),
    alignment_state: Alignment,
    attestation_state: Type.Literal('UNSIGNED_STRUCTURAL'),
    claims: closed({ repository_parity: NotClaimed, reproducible_build: NotClaimed, build_provenance: NotClaimed }),
    refresh: Nullable(words(['QUEUED', 'TOO_SOON'])),
    limits: Limits,
  },
  { $id: 'DeploymentSource' },
)
export type DeploymentSource = Static<typeof DeploymentSource>

const Stated = closed({
  value: Text,
  evidence_class: words(['STRUCTURAL-ONLY', 'UNAVAILABLE']),
  source: Type.String(),
  read_at: Timestamp,
})

export const SourceDeployAttestation = closed(
  {
    schema_version: Type.Literal('orch.source-deploy-attestation/v2'),
    immutable_for_process: Type.Literal(true),
    repository_url: Stated,
    source_commit: Stated,
    deployed_commit: Stated,
    build_digest: Stated,
    image_digest: Stated,
    deploy_timestamp: Stated,
    deployment_target: Text,
    alignment_state: Alignment,
    claims: closed({ reproducible_build: NotClaimed, artifact_equivalence: NotClaimed, slsa_level: NotClaimed }),
    limits: Limits,
  },
  { $id: 'SourceDeployAttestation' },
)
export type SourceDeployAttestation = Static<typeof SourceDeployAttestation>

export const ProductSource = closed(
  {
    schema: Type.Literal('orch.product-source/v1'),
    origin: Text,
    repository_url: Text,
    git_sha: Nullable(Commit),
    git_sha_source: Type.String(),
    doctrine: Type.String(),
    doctrine_lock: closed({
      doctrine: Type.String(),
      state: Type.Literal('LOCKED'),
      commit: Type.String(),
      note: Type.String(),
    }),
    signer: SignerWord,
    signer_key_kind: KeyKind,
    certified: Type.Literal(false),
    proven_trust: Type.Literal(false),
    publication_eligible: Type.Literal(false),
    receipt_minted: Type.Literal(false),
    limits: Limits,
  },
  { $id: 'ProductSource' },
)
export type ProductSource = Static<typeof ProductSource>

export const HonestRecord = closed(
  {
    organ: Type.Literal('orch'),
    git_sha: Nullable(Commit),
    doctrine_lock: closed({
      doctrine: Type.String(),
      state: Type.Literal('LOCKED'),
      declarations: Count,
      axioms: Count,
      sorries: Count,
      commit: Type.String(),
      lambda: closed({
        status: Type.Literal('Conjecture 1'),
        is_theorem: Type.Literal(false),
        trust_ceiling: Type.Number(),
        floor: Type.Number(),
      }),
      locked_formula_count: Type.Literal(8),
      locked_formula_ids: Type.Array(Type.String(), { minItems: 8, maxItems: 8 }),
      constants_source: Type.String(),
    }),
    labels: Type.Record(Type.String(), closed({ label: words(LABELS), why: Type.String() })),
    signing: closed({ status: SignerWord, key_kind: KeyKind, note: Type.String() }),
    persistence: closed({
      mode: Type.String(),
      production_ready: Type.Boolean(),
      survives_restart: Type.Boolean(),
    }),
    outbound: closed({
      enabled: Type.Boolean(),
      configured_sources: Type.Array(Type.String()),
      overridden_sources: Type.Array(Type.String()),
    }),
    disclosures: Type.Array(closed({ code: Type.String(), text: Type.String(), since: Nullable(Timestamp) })),
    slsa: closed({
      level: Type.Literal('L1'),
      l2: Type.Literal('NOT_ESTABLISHED'),
      l3: Type.Literal('NOT_ESTABLISHED'),
    }),
    accreditation: closed({
      ato: Type.Literal(false),
      il5: Type.Literal(false),
      fedramp_high: Type.Literal(false),
    }),
  },
  { $id: 'HonestRecord' },
)
export type HonestRecord = Static<typeof HonestRecord>
