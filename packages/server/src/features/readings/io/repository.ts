/** The repository, read in the form of the GitHub REST API. */
import type { AnchorFacts, CiFacts, CompareFacts, HeadFacts, ReleaseFacts, RepositoryFacts } from '../contract.ts'
import { factsOf, type Kept, type Read, readingKey } from './cache.ts'
import type { Outside } from './client.ts'
import { commit, count, type Fields, fieldsOf, flag, instant, link, listOf, optional, text, Unfit } from './fields.ts'

export interface RepositorySettings {
  /** `owner/name`. */
  name: string
  origin: string
  token: string | null
  /** The doctrine’s commit, by its first digits. */
  anchor: string
}

export type RepositoryPart = 'repository' | 'head' | 'ci' | 'release' | 'compare' | 'anchor'

export const repositoryKey = ({ name, origin }: RepositorySettings, part: RepositoryPart): string =>
  readingKey(`repository.${part}`, `${origin}/repos/${name}`)

/** A commit does not leave a repository between two rounds: asking once a day spares its budget of requests. */
const ANCHOR_REST_MS = 86_400_000

export async function readRepository(
  settings: RepositorySettings,
  outside: Outside,
  kept: Kept,
  deployed: string | null,
  signal: AbortSignal,
): Promise<void> {
  const [root, headers] = [`${settings.origin}/repos/${settings.name}`, headersOf(settings)]
  const get = (path: string) => outside.json({ provider: 'repository', url: `${root}${path}`, headers }, signal)
  const keep = (part: RepositoryPart, read: Read) => kept.keep(repositoryKey(settings, part), read)
  const repository = factsOf(await get(''), (value) => repositoryFacts(value, settings.name))
  keep('repository', repository)
  const branch = kept.value<RepositoryFacts>(repositoryKey(settings, 'repository'))?.default_branch
  // Without the repository a 404 of its parts says nothing: it may be the repository that is not there.
  if (!repository.ok || branch === undefined) return failRest(keep, repository.ok ? NOT_READ : repository)
  const at = encodeURIComponent(branch)
  await Promise.all([
    get(`/commits/${at}`).then((found) => keep('head', factsOf(found, headFacts))),
    get(`/actions/runs?branch=${at}&per_page=1`).then((found) => keep('ci', factsOf(found, ciFacts))),
    get('/releases/latest').then((found) => keep('release', orNone(factsOf(found, releaseFacts), { release: null }))),
    readAnchor(settings, kept, get).then((read) => read && keep('anchor', read)),
  ])
  const head = kept.value<HeadFacts>(repositoryKey(settings, 'head'))?.sha
  if (deployed !== null && head !== undefined && head !== deployed)
    keep(
      'compare',
      factsOf(await get(`/compare/${deployed}...${head}?per_page=1&page=2`), compareFacts(deployed, head)),
    )
}

const NOT_READ = { ok: false, code: 'NOT_READ' } as const

function failRest(keep: (part: RepositoryPart, read: Read) => void, failure: Read & { ok: false }): void {
  for (const part of ['head', 'ci', 'release', 'compare', 'anchor'] as const) keep(part, failure)
}

const headersOf = ({ token }: RepositorySettings): Record<string, string> => ({
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
  ...(token === null ? {} : { authorization: `Bearer ${token}` }),
})

/** Not there is a finding. */
const orNone = <T extends object>(read: Read<T>, none: T): Read<T> =>
  !read.ok && /^UPSTREAM_HTTP_(?:404|422)$/.test(read.code) ? { ok: true, value: none, bytes_sha256: null } : read

async function readAnchor(
  settings: RepositorySettings,
  kept: Kept,
  get: (path: string) => ReturnType<Outside['json']>,
): Promise<Read<AnchorFacts> | null> {
  const key = repositoryKey(settings, 'anchor')
  if (kept.value<AnchorFacts>(key)?.found && kept.isFresh(key, ANCHOR_REST_MS)) return null
  const read = factsOf(await get(`/commits/${settings.anchor}`), (value) => {
    if (!commit(fieldsOf(value), 'sha').startsWith(settings.anchor)) throw new Unfit('IDENTITY_MISMATCH')
    return { commit: settings.anchor, found: true }
  })
  return orNone(read, { commit: settings.anchor, found: false })
}

/** A repository of another name is refused, also where it is the same one renamed: the setting must say what is read. */
function repositoryFacts(value: unknown, name: string): RepositoryFacts {
  const from = fieldsOf(value)
  const full_name = text(201)(from, 'full_name')
  if (full_name.toLowerCase() !== name.toLowerCase()) throw new Unfit('IDENTITY_MISMATCH')
  const license = optional(from, 'license', (at, field) => fieldsOf(at[field]))
  return {
    full_name,
    html_url: link(from, 'html_url'),
    default_branch: text(255)(from, 'default_branch'),
    pushed_at: optional(from, 'pushed_at', instant),
    license: license === null ? null : optional(license, 'spdx_id', text(64)),
    archived: flag(from, 'archived'),
    open_issues: count(from, 'open_issues_count'),
  }
}

function headFacts(value: unknown): HeadFacts {
  const from = fieldsOf(value)
  const committer = optional(fieldsOf(from.commit), 'committer', (at, field) => fieldsOf(at[field]))
  return { sha: commit(from, 'sha'), date: committer === null ? null : optional(committer, 'date', instant) }
}

function ciFacts(value: unknown): CiFacts {
  const [newest] = listOf(fieldsOf(value).workflow_runs, 100)
  return { run: newest === undefined ? null : runFacts(fieldsOf(newest)) }
}

const runFacts = (from: Fields): CiFacts['run'] => ({
  name: optional(from, 'name', text(128)) ?? 'unnamed',
  status: text(32)(from, 'status'),
  conclusion: optional(from, 'conclusion', text(32)),
  url: link(from, 'html_url'),
  created_at: instant(from, 'created_at'),
  head_sha: commit(from, 'head_sha'),
})

function releaseFacts(value: unknown): ReleaseFacts {
  const from = fieldsOf(value)
  const published_at = optional(from, 'published_at', instant)
  return { release: { tag: text(128)(from, 'tag_name'), url: link(from, 'html_url'), published_at } }
}

const AGREES: Record<CompareFacts['status'], (ahead: number, behind: number) => boolean> = {
  identical: (ahead, behind) => ahead === 0 && behind === 0,
  ahead: (ahead, behind) => ahead > 0 && behind === 0,
  behind: (ahead, behind) => ahead === 0 && behind > 0,
  diverged: (ahead, behind) => ahead > 0 && behind > 0,
}

/** The word and the counts must say the same, and the base be the commit that was asked about. */
const compareFacts =
  (base: string, head: string) =>
  (value: unknown): CompareFacts => {
    const from = fieldsOf(value)
    if (commit(fieldsOf(from.base_commit), 'sha') !== base) throw new Unfit('IDENTITY_MISMATCH')
    const status = text(16)(from, 'status') as CompareFacts['status']
    const [ahead_by, behind_by] = [count(from, 'ahead_by'), count(from, 'behind_by')]
    if (!Object.hasOwn(AGREES, status) || !AGREES[status](ahead_by, behind_by)) throw new Unfit('INVALID_SOURCE_SCHEMA')
    return { base, head, status, ahead_by, behind_by }
  }
