/** Whether what is deployed is what the repository and the hosted space hold. A pure function of the readings: where one
 *  is missing the answer is `unknown`, never a guess. */
import type {
  CompareFacts,
  DeploymentReadings,
  ReadingMode,
  RepositoryReadings,
  SpaceReading,
  Stored,
} from '../readings/contract.ts'
import type { ParitySection } from './schemas.ts'
import type { Panel } from './sections.ts'

type BuildParity = ParitySection['build']

const STRENGTH: readonly ReadingMode[] = ['unreachable', 'cached', 'live']

export const weakest = (...modes: ReadingMode[]): ReadingMode =>
  STRENGTH.find((mode) => modes.includes(mode)) ?? 'unreachable'

/** What says of a reading how old it is and whether it still comes in. */
export type Look = Pick<Stored<object>, 'mode' | 'fetched_at' | 'age_seconds' | 'last_error' | 'reason'>

/** The oldest of the times at which something was read; null where nothing was. */
const oldest = (...readings: Look[]): string | null =>
  readings
    .map(({ fetched_at }) => fetched_at)
    .filter((at) => at !== null)
    .sort()[0] ?? null

/** What is made of several readings is as weak and as old as the weakest and the oldest, and fails with the first. */
export function combine(...readings: Look[]) {
  const fetched_at = oldest(...readings)
  return {
    mode: weakest(...readings.map(({ mode }) => mode)),
    fetched_at,
    age_seconds: readings.find((one) => one.fetched_at !== null && one.fetched_at === fetched_at)?.age_seconds ?? null,
    last_error: readings.find(({ last_error }) => last_error !== null)?.last_error?.code ?? null,
  }
}

export const compareAll = ({
  deployed,
  repository,
  space,
}: Pick<Panel, 'deployed' | 'repository' | 'space'>): Omit<ParitySection, 'id' | 'kind' | 'title'> => ({
  build: buildParity(deployed, repository),
  release: releaseParity(deployed, repository),
  doctrine_anchor: describeAnchor(deployed, repository),
  hosted_space: spaceParity(deployed, space),
  fetched_at: oldest(repository.head, repository.release, repository.anchor, space),
})

function buildParity({ sha }: Deployed, { repository, head, compare }: RepositoryReadings): BuildParity {
  const compared = fittingCompare(sha, head.value?.sha ?? null, compare)
  return {
    deployed_git_sha: sha.value,
    repo_head_sha: head.value?.sha ?? null,
    deployed_mode: sha.mode,
    repo_mode: head.mode,
    ...combine(sha, head, ...(compared === null ? [] : [compare])),
    last_error: combine(sha, head, compare).last_error,
    branch: repository.value?.default_branch ?? null,
    ...(sha.reason === CONTESTED ? UNKNOWN : distance(sha.value, head.value?.sha ?? null, compared)),
    detail: `${sha.reason === CONTESTED ? CONTESTED_NOTE : ''}${describeComparison(sha, head, compare, compared !== null)}`,
  }
}

const CONTESTED_NOTE = 'CONFLICT: the sources of the build disagree about its commit; '

type Distance = Pick<BuildParity, 'status' | 'behind_by' | 'ahead_by'>

const UNKNOWN: Distance = { status: 'unknown', behind_by: null, ahead_by: null }
const STATUS: Readonly<Record<CompareFacts['status'], BuildParity['status']>> = {
  identical: 'current',
  // The head is ahead of what is deployed, and so on: the reading looks from the other side.
  ahead: 'behind',
  behind: 'ahead',
  diverged: 'diverged',
}

function distance(deployed: string | null, head: string | null, compared: CompareFacts | null): Distance {
  if (deployed === null || head === null) return UNKNOWN
  if (deployed === head) return { status: 'current', behind_by: 0, ahead_by: 0 }
  if (compared === null) return UNKNOWN
  return { status: STATUS[compared.status], behind_by: compared.ahead_by, ahead_by: compared.behind_by }
}

/** A comparison of another pair says nothing about this one: either side may have moved since. */
function fittingCompare(
  { value: deployed }: Said,
  head: string | null,
  { value }: Stored<CompareFacts>,
): CompareFacts | null {
  return value !== null && deployed !== head && value.base === deployed && value.head === head ? value : null
}

const aged = ({ mode, age_seconds, last_error }: Look): string => {
  const age = mode === 'live' || age_seconds === null ? mode : `${mode}, ${age_seconds} s old`
  return last_error === null ? age : `${age}, then ${last_error.code}`
}

function describeComparison(sha: Said, head: RepositoryReadings['head'], compare: Look, isCompared: boolean): string {
  const ours =
    sha.value === null ? 'the deployed commit is not known' : `deployed ${sha.value.slice(0, 12)} (${aged(sha)})`
  const theirs =
    head.value === null
      ? `the head is not known (${head.reason ?? head.mode})`
      : `head ${head.value.sha.slice(0, 12)} (${aged(head)})`
  if (sha.value === null || head.value === null || sha.value === head.value.sha) return `${ours}; ${theirs}`
  const why = compare.last_error?.code ?? compare.reason
  const together = isCompared ? `compared (${aged(compare)})` : `not compared${why === null ? '' : ` (${why})`}`
  return `${ours}; ${theirs}; ${together}`
}

const compareTexts = (a: string | null, b: string | null): ParitySection['release']['status'] =>
  a === null || b === null ? 'unknown' : a === b ? 'match' : 'drift'

function releaseParity({ version }: Deployed, { release }: RepositoryReadings) {
  const latest = release.value?.release ?? null
  return {
    deployed_version: version.value,
    latest_release_tag: latest?.tag ?? null,
    release_url: latest?.url ?? null,
    ...combine(version, release),
    status: compareTexts(version.value, latest?.tag.replace(/^v/, '') ?? null),
  }
}

const ANCHOR_NOTE =
  'the kernel commit is an anchor of the doctrine: whether the repository knows it is read, and it is never compared with the head'

function describeAnchor({ kernelCommit, healthzCommit, doctrine, lock }: Deployed, { anchor }: RepositoryReadings) {
  return {
    deployed_kernel_commit: kernelCommit.value,
    healthz_commit: healthzCommit.value,
    doctrine: doctrine.value,
    lock: lock.value,
    note: ANCHOR_NOTE,
    resolvable_in_repo: anchor.value?.found ?? null,
    ...combine(kernelCommit, healthzCommit, anchor),
  }
}

function spaceParity({ spaceSha }: Deployed, space: SpaceReading) {
  return {
    deployed_hosted_space_sha: spaceSha.value,
    live_hosted_space_sha: space.sha,
    stage: space.value?.stage ?? null,
    ...combine(spaceSha, space),
    status: compareTexts(spaceSha.value, space.sha),
  }
}

/** What the deployment says of itself. Its records may come over the network from whoever answers at our address, so every
 *  value is checked before it is shown or compared. */
export interface Said extends Omit<OwnRecord, 'value' | 'bytes_sha256'> {
  value: string | null
  /** Why the record it would stand in could not be read, or that its sources disagree; null where neither is so. */
  reason: string | null
}

type OwnRecord = Stored<Record<string, unknown>>

const MAX = 128

/** Unknown is said with a word where a record must hold a string. */
function said({ value, bytes_sha256: _, ...look }: OwnRecord, ...path: string[]): Said {
  const found = path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as never] : null),
    value,
  )
  const fits = typeof found === 'string' && found !== '' && found !== 'unknown' && !/\p{Cc}/u.test(found)
  return { value: fits ? [...found].slice(0, MAX).join('') : null, ...look }
}

const COMMIT = /^(?!0{40})[0-9a-f]{40}$/
const commit = (from: Said): Said => (from.value !== null && COMMIT.test(from.value) ? from : { ...from, value: null })

/** The word of the version record where the sources of the build disagree about a field: its value is one of several. */
const CONTESTED = 'CONFLICT'

export type Deployed = ReturnType<typeof readDeployed>

export function readDeployed({ healthz, version }: Pick<DeploymentReadings, 'healthz' | 'version'>) {
  const versionSha = commit(said(version, 'git_sha'))
  const isContested = said(version, 'sources', `git_sha.${CONTESTED}`).value !== null
  return {
    organ: said(healthz, 'organ'),
    status: said(healthz, 'status'),
    doctrine: said(healthz, 'doctrine'),
    lock: said(healthz, 'lock'),
    healthzCommit: said(healthz, 'commit'),
    /** Both records name the build; the version record is the one made for it. */
    sha: {
      ...(versionSha.value === null ? commit(said(healthz, 'git_sha')) : versionSha),
      ...(isContested ? { reason: CONTESTED } : {}),
    },
    version: said(version, 'version'),
    buildTime: said(version, 'build_time'),
    kernelCommit: said(version, 'kernel_commit'),
    checks: said(version, 'p6_status'),
    checksScore: said(version, 'p6_grader_score'),
    release: said(version, 'release_state'),
    /** The commit this deployment was configured as. What the record read back from the space itself is a reading of the
     *  same space: comparing the two would always match. */
    spaceSha: commit(said(version, 'hosted_space_sha_readback', 'configured_env')),
  }
}
