/** The registry of studied projects as it is committed, and the rows that are answered from it. */
import Type, { type Static } from 'typebox'
import { InputError } from '../../errors.ts'
import { closed } from '../../platform/shape.ts'
import type { FrontierInfo, FrontierProjects, LiveMetadata } from './schemas.ts'

export const FRONTIER_SCHEMA = 'orch.frontier-projects/v1'

const Line = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })
const Url = Type.String({ pattern: '^https://[^\\s"<>]+$', maxLength: 200 })
const Slug = Type.String({ pattern: '^[a-z0-9_]+$', maxLength: 64 })

export const FrontierRegistry = closed({
  version: Type.String(),
  as_of: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
  attribution: Type.Literal('STUDIED_NOT_COPIED'),
  fields: Type.Array(closed({ id: Slug, title: Line }), { minItems: 1 }),
  projects: Type.Array(
    closed({
      id: Type.String({ pattern: '^[a-z0-9_]+/[a-z0-9-]+$' }),
      field: Slug,
      project: Line,
      organization: Line,
      canonical_repo_url: Type.String({ pattern: '^https://github\\.com/[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$' }),
      license_expected: Line,
      license_source: Type.Union([
        closed({ path: Line, commit: Type.String({ pattern: '^[0-9a-f]{40}$' }) }),
        Type.Null(),
      ]),
      docs: Type.Array(Url, { minItems: 1 }),
      idea: Line,
      implemented_by: closed({
        operation: Type.Union([Line, Type.Null()]),
        test: Type.Union([Type.String({ pattern: '^[a-z0-9/.-]+\\.test\\.ts$' }), Type.Null()]),
      }),
    }),
    { minItems: 1 },
  ),
})
export type FrontierRegistry = Static<typeof FrontierRegistry>
type Project = FrontierRegistry['projects'][number]

/** `owner/name`. */
export const repositoryOf = ({ canonical_repo_url: url }: Pick<Project, 'canonical_repo_url'>): string =>
  url.slice('https://github.com/'.length)

/** What the shape alone does not say: ids once each, every row in a field, and a test for every operation. */
export function registryFault({ fields, projects }: FrontierRegistry): string | null {
  const ids = new Set(fields.map(({ id }) => id))
  if (ids.size !== fields.length) return 'a field is listed twice'
  if (new Set(projects.map(({ id }) => id)).size !== projects.length) return 'a project is listed twice'
  if (projects.some(({ field }) => !ids.has(field))) return 'a project lies in no field'
  const half = projects.some(({ implemented_by: { operation, test } }) => (operation === null) !== (test === null))
  if (half) return 'a project names an operation without a test, or the other way round'
  return projects.some((one) => (one.license_expected === 'UNKNOWN') !== (one.license_source === null))
    ? 'a licence was not looked up and is not UNKNOWN, or the other way round'
    : null
}

/** As the search over the service finds them. */
export const projectDocuments = ({ projects }: FrontierRegistry) =>
  projects.map(({ id, project, organization, field, idea }) => ({
    ...{ key: `project:${id}`, kind: 'project', id: project, title: `${project}, ${organization}`, body: idea },
    url: `/api/orch/v1/frontier/projects?field=${field}`,
  }))

export function toInfo(
  { fields, projects, version, as_of, attribution }: FrontierRegistry,
  digest: string,
): FrontierInfo {
  return {
    ok: true,
    schema: 'orch.frontier-projects-info/v1',
    version,
    label: 'SAMPLE',
    as_of,
    attribution,
    ranking: 'NONE',
    scope: 'open projects whose ideas were studied while this service was built; neither complete nor an endorsement',
    source_policy: 'ideas alone: no code or text of these projects is part of this repository',
    license_policy: 'as the licence file of the named commit says; a licence that nobody has looked up is UNKNOWN',
    live_metadata_policy:
      'asked of the GitHub API only where ORCH_FRONTIER_METADATA is on, for at most 5 s and 2 MiB, and kept for 900 s; otherwise unreachable',
    field_count: fields.length,
    project_count: projects.length,
    unique_repository_count: new Set(projects.map(repositoryOf)).size,
    fields: fields.map(({ id, title }) => ({
      id,
      title,
      project_count: projects.filter(({ field }) => field === id).length,
    })),
    registry_digest: digest,
  }
}

interface Asked {
  field?: string | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

const DEFAULT_LIMIT = 60

interface Page {
  rows: readonly Project[]
  total: number
  nextCursor: string | null
}

/** In the order of the registry. A cursor names the place the page before ended at. */
export function pageOf({ fields, projects }: FrontierRegistry, { field, cursor, limit = DEFAULT_LIMIT }: Asked): Page {
  if (field !== undefined && !fields.some(({ id }) => id === field))
    throw fault('field', `must be one of ${fields.map(({ id }) => id).join(', ')}`)
  const listed = field === undefined ? projects : projects.filter((one) => one.field === field)
  const from = cursor === undefined ? 0 : Number(cursor.slice(1))
  if (from >= listed.length && cursor !== undefined)
    throw fault('cursor', 'names no place in this list; begin without one')
  const end = from + limit
  return {
    rows: listed.slice(from, end),
    total: listed.length,
    nextCursor: end < listed.length ? `p${end}` : null,
  }
}

const fault = (name: string, msg: string) => new InputError([{ loc: ['query', name], msg, type: 'value' }])

interface Served {
  ids: ReadonlySet<string>
  /** When the router was asked. */
  at: string
}

export const toProjects = (
  { rows, total, nextCursor }: Page,
  { ids, at }: Served,
  live_metadata: Record<string, LiveMetadata>,
  digest: string,
): FrontierProjects => ({
  schema: 'orch.frontier-projects/v1',
  label: 'SAMPLE',
  ranking: 'NONE',
  order: 'registry',
  checked_at: at,
  total,
  count: rows.length,
  projects: rows.map(({ implemented_by: { operation, test }, ...row }) => ({
    ...row,
    implemented_by: toImplementation(operation, test, ids),
    live_metadata_ref: repositoryOf(row),
  })),
  live_metadata,
  next_cursor: nextCursor,
  registry_digest: digest,
})

function toImplementation(operation: string | null, test: string | null, served: ReadonlySet<string>) {
  const registered = operation !== null && served.has(operation)
  return { operation, test, registered, label: registered ? ('LIVE' as const) : ('ROADMAP' as const) }
}
