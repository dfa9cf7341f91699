/** What is configured to be read, in groups: each is read as a whole, within its limit, by one run at a time. */

import type { Outbound, Provider } from '../../../adapters/outbound/contract.ts'
import { configured, provider } from '../../../adapters/outbound/providers.ts'
import { mapLimit } from '../../../platform/map-limit.ts'
import type { ConfiguredSurface } from './constellation-file.ts'
import { deploymentKeys, readDeployment, recordKey } from './deployment.ts'
import { type LatestReadings, readingKey } from './latest.ts'
import { readSurface, spendSource, spineSource, surfaceKey } from './peers.ts'
import {
  REPOSITORY_PARTS,
  type RepositorySettings,
  readRepository,
  repositoryHeaders,
  repositoryKey,
} from './repository.ts'
import { type Reach, readProbe, readSource } from './source.ts'
import { type SpaceSettings, spaceSource } from './space.ts'

export interface ReadingSettings {
  repository: RepositorySettings | null
  space: SpaceSettings | null
  /** Our public address. */
  probe: string | null
  spine: string | null
  constellation: readonly ConfiguredSurface[]
  spend: { url: string; token: string | null } | null
  /** The links of the evidence; empty where they are not to be probed. */
  links: readonly string[]
  /** The commit this process was built from, as far as it is known. */
  builtFrom: string | null
}

const MAX_PEER_BYTES = 262_144
const MAX_OWN_BYTES = 65_536

/** The rows of the providers that are configured. */
export function readingProviders(settings: ReadingSettings): Provider[] {
  const { repository, space, probe, spine, spend, constellation, links } = settings
  const peer = { maxBytes: MAX_PEER_BYTES }
  const spendHeaders: Record<string, string> = spend?.token ? { authorization: `Bearer ${spend.token}` } : {}
  return [
    ...(repository === null
      ? []
      : [provider({ id: 'repository', origins: [repository.origin], headers: repositoryHeaders(repository.token) })]),
    ...(space === null ? [] : [provider({ id: 'space', origins: [space.origin] })]),
    ...(probe === null ? [] : [configured('public-address', [probe], { maxBytes: MAX_OWN_BYTES })]),
    ...(spine === null ? [] : [configured('spine', [spine], peer)]),
    ...(spend === null ? [] : [configured('spend', [spend.url], { ...peer, headers: spendHeaders })]),
    ...(constellation.length === 0
      ? []
      : [
          configured(
            'constellation',
            constellation.map(({ url }) => url),
            peer,
          ),
        ]),
    ...(links.length === 0 ? [] : [configured('evidence-links', links)]),
  ]
}

/** The keys of everything that is configured to be read. */
export function readingKeys({
  repository,
  space,
  probe,
  spine,
  spend,
  constellation,
  links,
}: ReadingSettings): string[] {
  return [
    ...(repository === null ? [] : REPOSITORY_PARTS.map((part) => repositoryKey(repository, part))),
    ...(space === null ? [] : [spaceSource(space).key]),
    ...(probe === null ? [] : deploymentKeys(probe)),
    ...(spine === null ? [] : [spineSource(spine).key]),
    ...(spend === null ? [] : [spendSource(spend.url).key]),
    ...constellation.map(({ url }) => surfaceKey(url)),
    ...links.map(linkKey),
  ]
}

export type GroupId = 'deployment' | 'repo' | 'space' | 'peers' | 'links'

export interface Group {
  limitMs: number
  read(signal: AbortSignal): Promise<void>
}

const SECTION_MS = 12_000
const PEERS_MS = 30_000
const LINKS_MS = 120_000
const LINK_INTERVAL_MS = 86_400_000
const AT_ONCE = 4

export const linkKey = (url: string): string => readingKey('link', url)

/** Null where nothing of the group is configured. */
export function readingGroups(
  settings: ReadingSettings,
  outbound: Outbound,
  latest: LatestReadings,
): Record<GroupId, Group | null> {
  const { probe, repository, space, spine, spend, constellation, links } = settings
  const group = (limitMs: number, read: (reach: Reach) => Promise<unknown>): Group => ({
    limitMs,
    read: async (signal) => void (await read({ outbound, latest, signal })),
  })
  const peers: ((reach: Reach) => Promise<unknown>)[] = [
    ...(spine === null ? [] : [(reach: Reach) => readSource(spineSource(spine), reach)]),
    ...(spend === null ? [] : [(reach: Reach) => readSource(spendSource(spend.url), reach)]),
    ...constellation.map(
      ({ url }) =>
        (reach: Reach) =>
          readSurface(url, reach),
    ),
  ]
  return {
    deployment: probe === null ? null : group(SECTION_MS, (reach) => readDeployment(probe, reach)),
    repo:
      repository === null
        ? null
        : group(SECTION_MS, (reach) => readRepository(repository, reach, deployedCommit(settings, latest))),
    space: space === null ? null : group(SECTION_MS, (reach) => readSource(spaceSource(space), reach)),
    peers: peers.length === 0 ? null : group(PEERS_MS, (reach) => mapLimit(peers, AT_ONCE, (read) => read(reach))),
    links: links.length === 0 ? null : group(LINKS_MS, (reach) => readLinks(links, reach)),
  }
}

/** What runs at the public address where one is configured; else this very process. */
export function deployedCommit({ probe, builtFrom }: ReadingSettings, latest: LatestReadings): string | null {
  if (probe === null) return builtFrom
  const { git_sha: sha, sources } = latest.value<Record<string, unknown>>(recordKey(probe, 'version')) ?? {}
  // Where the sources of that build disagree, its commit is one of several and is compared with nothing.
  if (typeof sources === 'object' && sources !== null && 'git_sha.CONFLICT' in sources) return null
  return typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha) ? sha : null
}

/** Once a day each, however often the round comes and the process is started. */
async function readLinks(links: readonly string[], reach: Reach): Promise<void> {
  const due = links.filter((url) => !reach.latest.isYounger(linkKey(url), LINK_INTERVAL_MS))
  await mapLimit(due, AT_ONCE, (url) => readProbe({ provider: 'evidence-links', path: url, key: linkKey(url) }, reach))
}
