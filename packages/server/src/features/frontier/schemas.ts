import Type, { type Static } from 'typebox'
import { Count, closed, Hex64, Nullable, named, Text, Texts, Timestamp, words } from '../../domain/wire.ts'

export const FrontierQuery = Type.Object({
  field: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'an id of the info operation' })),
  cursor: Type.Optional(
    Type.String({ pattern: '^p[1-9][0-9]{0,5}$', description: '`next_cursor` of the page before', examples: ['p20'] }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 60 })),
})

export const FrontierInfo = named('FrontierInfo', {
  ok: Type.Literal(true),
  schema: Type.Literal('orch.frontier-projects-info/v1'),
  version: Type.String(),
  label: Type.Literal('SAMPLE'),
  as_of: Type.String({ format: 'date' }),
  attribution: Type.Literal('STUDIED_NOT_COPIED'),
  ranking: Type.Literal('NONE'),
  scope: Type.String(),
  source_policy: Type.String(),
  license_policy: Type.String(),
  live_metadata_policy: Type.String(),
  field_count: Count,
  project_count: Count,
  unique_repository_count: Count,
  fields: Type.Array(closed({ id: Type.String(), title: Type.String(), project_count: Count })),
  registry_digest: Hex64,
})
export type FrontierInfo = Static<typeof FrontierInfo>

/** What the host of the repository said of it. Nothing in it compares projects. */
export const RepositoryMetadata = closed({
  full_name: Type.String(),
  default_branch: Type.String(),
  license: Text,
  archived: Type.Boolean(),
  open_issues: Count,
  pushed_at: Nullable(Timestamp),
})
export type RepositoryMetadata = Static<typeof RepositoryMetadata>

const LiveMetadata = named('FrontierMetadata', {
  mode: words(['live', 'cached', 'unreachable']),
  label: words(['MEASURED', 'SAMPLE', 'UNAVAILABLE']),
  reason: Text,
  source: Text,
  fetched_at: Nullable(Timestamp),
  age_seconds: Nullable(Count),
  value: Nullable(RepositoryMetadata),
})
export type LiveMetadata = Static<typeof LiveMetadata>

const Project = closed({
  id: Type.String(),
  field: Type.String(),
  project: Type.String(),
  organization: Type.String(),
  canonical_repo_url: Type.String(),
  license_expected: Type.String(),
  license_source: Nullable(closed({ path: Type.String(), commit: Type.String() })),
  docs: Texts,
  idea: Type.String(),
  implemented_by: closed({
    operation: Text,
    test: Text,
    registered: Type.Boolean(),
    label: words(['LIVE', 'ROADMAP']),
  }),
  live_metadata_ref: Type.String({ description: 'key of `live_metadata`' }),
})

export const FrontierProjects = named('FrontierProjects', {
  schema: Type.Literal('orch.frontier-projects/v1'),
  label: Type.Literal('SAMPLE'),
  ranking: Type.Literal('NONE'),
  order: Type.Literal('registry'),
  checked_at: Type.Union([Timestamp], { description: 'when the router was asked which operations it answers' }),
  total: Count,
  count: Count,
  projects: Type.Array(Project, { maxItems: 100 }),
  live_metadata: Type.Record(Type.String(), LiveMetadata),
  next_cursor: Text,
  registry_digest: Hex64,
})
export type FrontierProjects = Static<typeof FrontierProjects>
