/** The repository, read in the form of the GitHub REST API. */
import { OutboundFault } from '../../../adapters/outbound/contract.ts'
import type { AnchorFacts, CiFacts, CompareFacts, HeadFacts, ReleaseFacts, RepositoryFacts } from '../contract.ts'
import { commit, count, type Fields, fieldsOf, flag, instant, link, listOf, optional, text } from './fields.ts'
import { type LatestReadings, type Reach, readingKey, readSource, type Source } from './latest.ts'

export interface RepositorySettings {
  /** `owner/name`. */
  name: string
  origin: string
  token: string | null
  /** The doctrine's commit, by its first digits. */
  anchor: string
}

export type RepositoryPart = 'repository' | 'head' | 'ci' | 'release' | 'compare' | 'anchor'

export const repositoryKey = ({ name, origin }: RepositorySettings, part: RepositoryPart): string =>
  readingKey(`repository.${part}`, `${origin}/repos/${name}`)

/** A commit does not leave a repository between two rounds: asking once a day spares its budget of requests. */
const ANCHOR_INTERVAL_MS = 86_400_000

export const REPOSITORY_HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }

const part =
  (settings: RepositorySettings) =>
  <T extends object>(name: RepositoryPart, path: string, toFacts: (reply: unknown) => T, absent?: T): Source<T> => ({
    provider: 'repository',
    path: `${settings.origin}/repos/${settings.name}${path}`,
    key: repositoryKey(settings, name),
    toFacts,
    ...(absent === undefined ? {} : { absent }),
  })

export async function readRepository(
  settings: RepositorySettings,
  reach: Reach,
  deployed: string | null,
): Promise<void> {
  const { latest } = reach
  const { name, anchor } = settings
  const of = part(settings)
  const repository = await readSource(
    of('repository', '', (reply) => repositoryFacts(reply, name)),
    reach,
  )
  const branch = latest.value<RepositoryFacts>(repositoryKey(settings, 'repository'))?.default_branch
  // Without the repository a 404 of its parts says nothing: it may be the repository that is not there.
  if (!repository.ok || branch === undefined) {
    const failure = repository.ok ? ({ ok: false, code: 'NOT_READ' } as const) : repository
    for (const rest of REST) latest.record(repositoryKey(settings, rest), failure)
    return
  }
  const at = encodeURIComponent(branch)
  const sources: Source[] = [
    of('head', `/commits/${at}`, headFacts),
    of('ci', `/actions/runs?branch=${at}&per_page=1`, ciFacts),
    of('release', '/releases/latest', releaseFacts, { release: null }),
    ...(isAnchorFresh(settings, latest)
      ? []
      : [of('anchor', `/commits/${anchor}`, anchorFacts(anchor), { commit: anchor, found: false })]),
  ]
  await Promise.all(sources.map((source) => readSource(source, reach)))
  const head = latest.value<HeadFacts>(repositoryKey(settings, 'head'))?.sha
  if (deployed === null || head === undefined || head === deployed) return
  const path = `/compare/${deployed}...${head}?per_page=1&page=2`
  await readSource(of('compare', path, compareFacts(deployed, head)), reach)
}

const REST = ['head', 'ci', 'release', 'compare', 'anchor'] as const
export const REPOSITORY_PARTS: readonly RepositoryPart[] = ['repository', ...REST]

function isAnchorFresh(settings: RepositorySettings, latest: LatestReadings): boolean {
  const key = repositoryKey(settings, 'anchor')
  return latest.value<AnchorFacts>(key)?.found === true && latest.isFresh(key, ANCHOR_INTERVAL_MS)
}

const anchorFacts =
  (anchor: string) =>
  (reply: unknown): AnchorFacts => {
    if (!commit(fieldsOf(reply), 'sha').startsWith(anchor)) throw new OutboundFault('IDENTITY_MISMATCH')
    return { commit: anchor, found: true }
  }

/** A repository of another name is refused, also where it is the same one renamed: the setting must say what is read. */
function repositoryFacts(value: unknown, name: string): RepositoryFacts {
  const from = fieldsOf(value)
  const full_name = text(201)(from, 'full_name')
  if (full_name.toLowerCase() !== name.toLowerCase()) throw new OutboundFault('IDENTITY_MISMATCH')
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
    if (commit(fieldsOf(from.base_commit), 'sha') !== base) throw new OutboundFault('IDENTITY_MISMATCH')
    const status = text(16)(from, 'status') as CompareFacts['status']
    const [ahead_by, behind_by] = [count(from, 'ahead_by'), count(from, 'behind_by')]
    if (!Object.hasOwn(AGREES, status) || !AGREES[status](ahead_by, behind_by))
      throw new OutboundFault('INVALID_SOURCE_SCHEMA')
    return { base, head, status, ahead_by, behind_by }
  }
