/** What is configured to be read, in groups: each is read as a whole, within its limit, by one run at a time. */

import { mapLimit } from '../../../platform/map-limit.ts'
import { type Kept, readingKey } from './cache.ts'
import type { Outside } from './client.ts'
import type { ConfiguredSurface } from './constellation-file.ts'
import { probeRead, readDeployment, recordKey } from './deployment.ts'
import { readSpend, readSpine, readSurface } from './peers.ts'
import { type RepositorySettings, readRepository } from './repository.ts'
import { readSpace, type SpaceSettings } from './space.ts'

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

export type GroupId = 'deployment' | 'repo' | 'space' | 'neighbours' | 'links'

export interface Group {
  limitMs: number
  read(signal: AbortSignal): Promise<void>
}

const SECTION_MS = 12_000
const PEERS_MS = 30_000
const LINKS_MS = 120_000
const LINK_REST_MS = 86_400_000
const AT_ONCE = 4

export const linkKey = (url: string): string => readingKey('link', url)

/** Null where nothing of the group is configured. */
export function groupsOf(settings: ReadingSettings, outside: Outside, kept: Kept): Record<GroupId, Group | null> {
  const { probe, repository, space, links } = settings
  return {
    deployment: probe === null ? null : section((signal) => readDeployment(probe, outside, kept, signal)),
    repo:
      repository === null
        ? null
        : section((signal) => readRepository(repository, outside, kept, deployedCommit(settings, kept), signal)),
    space: space === null ? null : section((signal) => readSpace(space, outside, kept, signal)),
    neighbours: peerGroup(settings, outside, kept),
    links: links.length === 0 ? null : { limitMs: LINKS_MS, read: (signal) => readLinks(links, outside, kept, signal) },
  }
}

const section = (read: Group['read']): Group => ({ limitMs: SECTION_MS, read })

/** What runs at the public address where one is configured; else this very process. */
export function deployedCommit({ probe, builtFrom }: ReadingSettings, kept: Kept): string | null {
  if (probe === null) return builtFrom
  const { git_sha: sha, sources } = kept.value<Record<string, unknown>>(recordKey(probe, 'version')) ?? {}
  // Where the sources of that build disagree, its commit is one of several and is compared with nothing.
  if (typeof sources === 'object' && sources !== null && 'git_sha.CONFLICT' in sources) return null
  return typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha) ? sha : null
}

function peerGroup({ spine, constellation, spend }: ReadingSettings, outside: Outside, kept: Kept): Group | null {
  const requestHeaders: Group['read'][] = [
    ...(spine === null ? [] : [(signal: AbortSignal) => readSpine(spine, outside, kept, signal)]),
    ...(spend === null ? [] : [(signal: AbortSignal) => readSpend(spend, outside, kept, signal)]),
    ...constellation.map(
      ({ url }) =>
        (signal: AbortSignal) =>
          readSurface(url, outside, kept, signal),
    ),
  ]
  const readAll = async (signal: AbortSignal) => void (await mapLimit(requestHeaders, AT_ONCE, (one) => one(signal)))
  return requestHeaders.length === 0 ? null : { limitMs: PEERS_MS, read: readAll }
}

/** Once a day each, however often the round comes and the process is started. */
async function readLinks(links: readonly string[], outside: Outside, kept: Kept, signal: AbortSignal): Promise<void> {
  const due = links.filter((url) => !kept.isYounger(linkKey(url), LINK_REST_MS))
  await mapLimit(due, AT_ONCE, async (url) => {
    const found = await outside.probe({ provider: 'evidence-links', url }, signal)
    kept.keep(linkKey(url), probeRead(found))
  })
}
