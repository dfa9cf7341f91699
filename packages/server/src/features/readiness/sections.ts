/** The five sections of the panel from the readings. A field without a value stays in its list. */
import type {
  DeploymentReadings,
  EndpointId,
  Probe,
  ReadingSection,
  ReadingsView,
  RepositoryReadings,
  SpaceReading,
  Stored,
} from '../readings/contract.ts'
import { combine, compareAll, type Deployed, type Look, readDeployed, type Said } from './parity.ts'
import type {
  DeploymentSection,
  IdentitySection,
  LiveSection,
  ParitySection,
  RepoSection,
  SpaceSection,
} from './schemas.ts'

export const SECTION_IDS: readonly ReadingSection[] = ['deployment', 'identity', 'repo', 'space', 'parity']
export const isSection = (id: string): id is ReadingSection => (SECTION_IDS as readonly string[]).includes(id)

export interface Panel {
  deployment: DeploymentReadings
  deployed: Deployed
  repository: RepositoryReadings
  space: SpaceReading
  /** Where this deployment is, as far as it is known. */
  target: string
}

/** One look at everything the sections are made of. `origin` is what a caller reached us under. */
export async function panelReadings(view: ReadingsView, origin: string | null): Promise<Panel> {
  const deployment = await view.deployment()
  return {
    deployment,
    deployed: readDeployed(deployment),
    repository: view.repository(),
    space: view.space(),
    target: deployment.base ?? origin ?? 'unknown',
  }
}

type Field = IdentitySection['fields'][number]

/** A value that was looked for and is not there has the mode of the look; one that could not be read says why. */
const field = (k: string, look: Look, v: Field['v'] | undefined): Field => ({ k, v: v ?? null, ...freshness(look) })

/** How old what is shown is, and what the newest attempt at it failed with. */
const freshness = ({ mode, fetched_at, age_seconds, last_error, reason }: Look) => ({
  mode,
  fetched_at,
  age_seconds,
  ...(last_error === null ? {} : { last_error: last_error.code }),
  ...(reason === null ? {} : { reason }),
})
const said = (k: string, { value, ...look }: Said): Field => field(k, look, value)

const ROLES: readonly [id: EndpointId, role: DeploymentSection['endpoints'][number]['role'], title: string][] = [
  ['apex', 'site', 'Start page'],
  ['console', 'app', 'Console'],
  ['healthz', 'health', 'Liveness record'],
  ['api', 'api', 'Evidence'],
]

/** What the newest attempt did not reach is not reachable, whatever it answered before. */
export const isReachable = ({ value, last_error }: Stored<Probe>): boolean =>
  value !== null && last_error === null && value.http_status >= 200 && value.http_status < 400

/** The status goes with the time at which it was seen; what failed since has a time of its own. */
export const describeProbe = (url: string, probe: Stored<Probe>) => ({
  url,
  reachable: isReachable(probe),
  http_status: probe.value?.http_status ?? 0,
  mode: probe.mode,
  checked_at: probe.fetched_at ?? probe.last_error?.at ?? null,
  age_seconds: probe.age_seconds,
  ...(probe.last_error === null ? {} : { last_error: probe.last_error.code, last_error_at: probe.last_error.at }),
  ...(probe.reason === null ? {} : { reason: probe.reason }),
})

export function endpointsSection({ deployment: { endpoints, probe_via }, target }: Panel): DeploymentSection {
  const items = ROLES.map(([id, role, title]) => {
    const { url, ...probe } = endpoints[id]
    return { id, role, title, url, liveness: { ...describeProbe(url, probe), probe_via } }
  })
  return {
    id: 'deployment',
    kind: 'endpoints',
    title: 'Deployment',
    target,
    endpoints: items,
    reachable: items.filter(({ liveness }) => liveness.reachable).length,
    total: 4,
  }
}

export function identitySection({ deployment: { healthz, version }, deployed }: Panel): IdentitySection {
  const { checks, checksScore } = deployed
  const { mode: _, ...together } = combine(healthz, version)
  const passed =
    checks.value === null ? null : [checks.value, checksScore.value].filter((part) => part !== null).join(' ')
  return {
    id: 'identity',
    kind: 'kv',
    title: 'Deployed identity',
    fields: [
      said('organ', deployed.organ),
      said('status', deployed.status),
      said('version', deployed.version),
      said('build commit', deployed.sha),
      said('build time', deployed.buildTime),
      said('doctrine', deployed.doctrine),
      said('doctrine lock', deployed.lock),
      said('kernel commit', deployed.kernelCommit),
      said('release checks', { ...checks, value: passed }),
      said('release', deployed.release),
    ],
    healthz_url: healthz.url,
    version_url: version.url,
    healthz_mode: healthz.mode,
    version_mode: version.mode,
    ...together,
    raw_healthz: healthz.value,
    raw_version: version.value,
  }
}

/** Null where either is not known: the newest run of a branch may be of a commit before its head. */
export function isOfHead({ ci, head }: Pick<RepositoryReadings, 'ci' | 'head'>): boolean | null {
  const run = ci.value?.run ?? null
  return run === null || head.value === null ? null : run.head_sha === head.value.sha
}

export function repoSection({ repository: { name, repository, head, ci, release } }: Panel): RepoSection {
  const run = ci.value?.run ?? null
  const latest = release.value?.release ?? null
  const facts = repository.value
  return {
    id: 'repo',
    kind: 'kv',
    title: 'Repository',
    fields: [
      field('repository', repository, facts?.full_name),
      field('default branch', repository, facts?.default_branch),
      field('HEAD commit', head, head.value?.sha),
      field('HEAD date', head, head.value?.date),
      field('last push', repository, facts?.pushed_at),
      field('license', repository, facts?.license),
      field('archived', repository, facts?.archived),
      field('open issues', repository, facts?.open_issues),
      field('latest CI', ci, run === null ? null : (run.conclusion ?? run.status)),
      field('latest release', release, latest?.tag),
    ],
    repo: name,
    repo_url: facts?.html_url ?? null,
    ci: {
      name: run?.name ?? null,
      conclusion: run?.conclusion ?? null,
      status: run?.status ?? null,
      url: run?.url ?? null,
      created_at: run?.created_at ?? null,
      head_sha: run?.head_sha ?? null,
      is_of_head: isOfHead({ ci, head }),
      ...freshness(ci),
    },
    release: {
      tag: latest?.tag ?? null,
      url: latest?.url ?? null,
      published_at: latest?.published_at ?? null,
      ...freshness(release),
    },
    ...combine(repository, head, ci, release),
  }
}

const visibility = (hidden: boolean | null | undefined): string | null =>
  hidden === null || hidden === undefined ? null : hidden ? 'private' : 'public'

export function spaceSection({ space }: Panel): SpaceSection {
  const facts = space.value
  return {
    id: 'space',
    kind: 'kv',
    title: 'Hosted space',
    fields: [
      field('space', space, facts?.id),
      field('runtime stage', space, facts?.stage),
      field('sdk', space, facts?.sdk),
      field('last modified', space, facts?.last_modified),
      field('space commit', space, facts?.sha),
      field('visibility', space, visibility(facts?.private)),
    ],
    space_url: space.name === null ? null : `https://huggingface.co/spaces/${space.name}`,
    stage: facts?.stage ?? null,
    ...combine(space),
  }
}

export const paritySection = (panel: Panel): ParitySection => ({
  id: 'parity',
  kind: 'parity',
  title: 'Parity',
  ...compareAll(panel),
})

export const SECTIONS: Readonly<Record<ReadingSection, (panel: Panel) => LiveSection>> = {
  deployment: endpointsSection,
  identity: identitySection,
  repo: repoSection,
  space: spaceSection,
  parity: paritySection,
}
