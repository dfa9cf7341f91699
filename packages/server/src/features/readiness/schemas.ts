import Type, { type Static } from 'typebox'
import { Count, Hex64, Nullable, Text, Timestamp, tuple, words } from '../../domain/wire.ts'
import type { Readable } from '../../operation.ts'
import { closed } from '../../platform/shape.ts'
import { CLAIM_IDS, claimSource, MATURITIES } from './claims.ts'

const Time = Nullable(Timestamp)
const Mode = words(['live', 'cached', 'unreachable'] as const)
const Own = Nullable(Type.Record(Type.String(), Type.Unknown()))
const Reason = Type.Optional(Type.String({ description: 'Why there is no value' }))

const Age = Nullable(Count)
const Failing = Type.Optional(Type.String({ description: 'What the newest attempt failed with' }))
const freshness = { mode: Mode, fetched_at: Time, age_seconds: Age, last_error: Failing, reason: Reason }
const together = { mode: Mode, fetched_at: Time, age_seconds: Age, last_error: Text }

const liveness = {
  url: Type.String(),
  mode: Mode,
  checked_at: Time,
  age_seconds: Age,
  last_error: Failing,
  last_error_at: Type.Optional(Timestamp),
  reason: Reason,
}
const Endpoint = closed({
  id: words(['apex', 'console', 'healthz', 'api'] as const),
  role: words(['site', 'app', 'health', 'api'] as const),
  title: Type.String(),
  url: Type.String(),
  liveness: closed({
    ...liveness,
    reachable: Type.Boolean({ description: 'False also where nothing was read; http_status is then 0' }),
    http_status: Count,
    probe_via: words(['in-process', 'public-address'] as const),
  }),
})
const head = <T extends string, K extends string>(id: T, kind: K) => ({
  id: Type.Literal(id),
  kind: Type.Literal(kind),
  title: Type.String(),
  retry_after_seconds: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, description: 'Nothing was taken: when it may be again' })),
  ),
})
const fields = Type.Array(
  closed({
    k: Type.String(),
    v: Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    ...freshness,
  }),
)

export const DeploymentSection = closed({
  ...head('deployment', 'endpoints'),
  target: Type.String(),
  endpoints: Type.Array(Endpoint),
  reachable: Count,
  total: Type.Literal(4),
})
export type DeploymentSection = Readable<Static<typeof DeploymentSection>>
export const IdentitySection = closed({
  ...head('identity', 'kv'),
  fields,
  healthz_url: Type.String(),
  version_url: Type.String(),
  healthz_mode: Mode,
  version_mode: Mode,
  fetched_at: Time,
  age_seconds: Age,
  last_error: Text,
  raw_healthz: Own,
  raw_version: Own,
})
export type IdentitySection = Readable<Static<typeof IdentitySection>>
const IsOfHead = Nullable(Type.Boolean({ description: 'False: the newest run is of a commit before the head' }))
export const RepoSection = closed({
  ...head('repo', 'kv'),
  fields,
  repo: Text,
  repo_url: Text,
  ci: closed({
    name: Text,
    conclusion: Text,
    status: Text,
    url: Text,
    created_at: Time,
    head_sha: Text,
    is_of_head: IsOfHead,
    ...freshness,
  }),
  release: closed({ tag: Text, url: Text, published_at: Time, ...freshness }),
  ...together,
})
export type RepoSection = Readable<Static<typeof RepoSection>>
export const SpaceSection = closed({
  ...head('space', 'kv'),
  fields,
  space_url: Text,
  stage: Text,
  ...together,
})
export type SpaceSection = Readable<Static<typeof SpaceSection>>
const Match = words(['match', 'drift', 'unknown'] as const)
const BuildStatus = words(['current', 'behind', 'ahead', 'diverged', 'unknown'] as const)
export const ParitySection = closed({
  ...head('parity', 'parity'),
  build: closed({
    deployed_git_sha: Text,
    repo_head_sha: Text,
    deployed_mode: Mode,
    repo_mode: Mode,
    ...together,
    branch: Text,
    status: BuildStatus,
    behind_by: Nullable(Count),
    ahead_by: Nullable(Count),
    detail: Type.String(),
  }),
  release: closed({
    deployed_version: Text,
    latest_release_tag: Text,
    release_url: Text,
    ...together,
    status: Match,
  }),
  doctrine_anchor: closed({
    deployed_kernel_commit: Text,
    healthz_commit: Text,
    doctrine: Text,
    lock: Text,
    note: Type.String(),
    resolvable_in_repo: Nullable(Type.Boolean()),
    ...together,
  }),
  hosted_space: closed({
    deployed_hosted_space_sha: Text,
    live_hosted_space_sha: Text,
    stage: Text,
    ...together,
    status: Match,
  }),
  fetched_at: Time,
})
export type ParitySection = Readable<Static<typeof ParitySection>>

const panel = {
  layer: Type.Literal('operational-readiness'),
  honest: Type.String(),
  organ: Type.Literal('orch'),
  repo: Text,
  repo_url: Text,
  hosted_space: Text,
  deployment: Type.String(),
  summary: closed({
    endpoints_reachable: Count,
    endpoints_total: Type.Literal(4),
    build_status: BuildStatus,
    build_behind_by: Type.Integer({ minimum: -1, description: '-1: not known' }),
    ci: Text,
    hosted_stage: Type.String({ description: 'unknown: not read' }),
    ci_is_of_head: IsOfHead,
    as_of: closed({ build: closed(together), ci: closed(together), hosted_stage: closed(together) }),
  }),
  sections: tuple(DeploymentSection, IdentitySection, RepoSection, SpaceSection, ParitySection),
  checked_at: Time,
  served_from: words(['background-snapshot', 'persisted-snapshot', 'warming'] as const),
  snapshot_fetched_at: Time,
  snapshot_age_seconds: Type.Number({
    minimum: -1,
    description: 'Of the oldest reading each round takes; -1: nothing was read, or when is not known',
  }),
  stale: Type.Boolean(),
}
export const ReadinessPanel = closed(panel)
export type ReadinessPanel = Readable<Static<typeof ReadinessPanel>>
export const RefreshedPanel = closed({ ...panel, refresh: words(['DONE', 'RUNNING', 'TOO_SOON'] as const) })

export const SectionPath = Type.Object({ section_id: Type.String({ maxLength: 64 }) })
export const LiveSection = Type.Union([DeploymentSection, IdentitySection, RepoSection, SpaceSection, ParitySection])
export type LiveSection = Readable<Static<typeof LiveSection>>

const Claim = closed({
  id: words(CLAIM_IDS),
  claim: Type.String(),
  maturity: words(MATURITIES),
  last_test_run: Nullable(
    closed({ commit: Type.String(), completed_at: Timestamp, passed: Type.Array(Type.String()) }),
  ),
  tab: Type.String(),
  artifact: closed({
    path: Text,
    present: Type.Boolean(),
    bytes: Nullable(Count),
    sha256: Nullable(Hex64),
    reason: Reason,
  }),
  sources: Type.Array(
    closed({
      ...claimSource,
      liveness: closed({
        ...liveness,
        reachable: Nullable(Type.Boolean({ description: 'Null: nobody looked' })),
        http_status: Nullable(Count),
      }),
    }),
  ),
  sources_reachable: Count,
  sources_total: Count,
  live_endpoint: Type.String(),
})
export const Research = closed({
  layer: Type.Literal('evidence'),
  honest: Type.String(),
  count: Count,
  sources_reachable: Count,
  sources_total: Count,
  claims: Type.Array(Claim),
})
export type Research = Readable<Static<typeof Research>>
export const ClaimPath = Type.Object({ claim_id: Type.String({ maxLength: 64 }) })
export const LiveClaim = closed({
  layer: Type.Literal('evidence'),
  claim: Claim,
  mode: words(['live', 'cached'] as const),
  retry_after_seconds: Nullable(Type.Integer({ minimum: 1, description: 'Nothing was run: when it may be again' })),
  check: closed({
    name: Type.String(),
    state: words(['OK', 'FAILED', 'UNKNOWN'] as const),
    checked_at: Timestamp,
    latency_ms: Type.Number({ minimum: 0 }),
    detail: Type.Record(Type.String(), Type.Unknown()),
  }),
  receipt_minted: Type.Literal(false),
})
export type LiveClaim = Readable<Static<typeof LiveClaim>>
