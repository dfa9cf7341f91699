/** What is configured to be read, in groups: each is read as a whole, within its limit, by one run at a time. */

import { readFileSync } from 'node:fs'
import Type from 'typebox'
import { isLoopbackHost } from '../../../adapters/outbound/addresses.ts'
import type { Outbound, Provider } from '../../../adapters/outbound/contract.ts'
import { configured, provider } from '../../../adapters/outbound/providers.ts'
import { mapLimit } from '../../../platform/map-limit.ts'
import { closed, readJson } from '../../../platform/shape.ts'
import type { Peer } from '../contract.ts'
import { deploymentKeys, readDeployment, recordKey } from './deployment.ts'
import { type LatestReadings, type Reach, readingKey, readProbe, readSource } from './latest.ts'
import { readSurface, type SpaceSettings, spaceSource, spendSource, spineSource, surfaceKey } from './peers.ts'
import {
  REPOSITORY_HEADERS,
  REPOSITORY_PARTS,
  type RepositorySettings,
  readRepository,
  repositoryKey,
} from './repository.ts'

export interface ReadingSettings {
  repository: RepositorySettings | null
  space: SpaceSettings | null
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

/** What `make` gives of a setting; nothing of one that is not there. */
const given = <S, T>(setting: S | null, make: (setting: S) => readonly T[]): readonly T[] =>
  setting === null ? [] : make(setting)

/** The rows of the providers. One without an origin may be asked for nothing. */
export function readingProviders(settings: ReadingSettings): Provider[] {
  const { repository, space, probe, spine, spend, constellation, links } = settings
  const peer = { maxBytes: MAX_PEER_BYTES }
  const bearer = (token: string | null): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` }
  const surfaces = constellation.map(({ url }) => url)
  return [
    ...given(repository, ({ origin, token }) => [
      provider({ id: 'repository', origins: [origin], headers: { ...REPOSITORY_HEADERS, ...bearer(token) } }),
    ]),
    ...given(space, ({ origin }) => [provider({ id: 'space', origins: [origin] })]),
    ...given(probe, (url) => [configured('public-address', [url], { maxBytes: MAX_OWN_BYTES })]),
    ...given(spine, (url) => [configured('spine', [url], peer)]),
    ...given(spend, ({ url, token }) => [configured('spend', [url], { ...peer, headers: bearer(token) })]),
    configured('constellation', surfaces, peer),
    configured('evidence-links', links),
  ]
}

/** The keys of everything that is configured to be read. */
export const readingKeys = (settings: ReadingSettings): string[] => [
  ...given(settings.repository, (repository) => REPOSITORY_PARTS.map((part) => repositoryKey(repository, part))),
  ...given(settings.space, (space) => [spaceSource(space).key]),
  ...given(settings.probe, deploymentKeys),
  ...given(settings.spine, (url) => [spineSource(url).key]),
  ...given(settings.spend, ({ url }) => [spendSource(url).key]),
  ...settings.constellation.map(({ url }) => surfaceKey(url)),
  ...settings.links.map(linkKey),
]

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
  type Read = (reach: Reach) => Promise<unknown>
  const peers: Read[] = [
    ...given(spine, (url): Read[] => [(reach) => readSource(spineSource(url), reach)]),
    ...given(spend, ({ url }): Read[] => [(reach) => readSource(spendSource(url), reach)]),
    ...constellation.map(
      ({ url }): Read =>
        (reach) =>
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

const MAX_SURFACES = 16
const MAX_BYTES = 65_536
const Word = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })
const Surface = closed({
  name: Word,
  kind: Word,
  group: Type.Union(['Core', 'Applications', 'Showcase', 'Public'].map((group) => Type.Literal(group))),
  url: Type.String({ maxLength: 512 }),
})
const File = closed({ surfaces: Type.Array(Surface, { maxItems: MAX_SURFACES }) })

type ConfiguredSurface = Omit<Peer, 'reading'>

/** The surfaces the operator listed. Read once; a file that holds anything else refuses the start. */
export function readConstellation(path: string | null): ConfiguredSurface[] {
  if (path === null) return []
  const rule = `ORCH_CONSTELLATION_FILE must name a file of {"surfaces":[{name, kind, group, url}]} with at most ${MAX_SURFACES} different https addresses and nothing else`
  const text = readFileSync(path, 'utf8')
  const file = text.length > MAX_BYTES ? null : readJson(File, text)
  if (!file?.ok) throw new Error(rule)
  const surfaces = file.value.surfaces as ConfiguredSurface[]
  const urls = surfaces.map(({ url }) => url)
  if (!urls.every(isSecure) || new Set(urls).size !== urls.length) throw new Error(rule)
  return surfaces
}

function isSecure(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url))
}
