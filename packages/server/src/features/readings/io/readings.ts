/** The port: one look at what is kept, and the ways to have it read now. */
import { withDeadline } from '../../../platform/deadline.ts'
import type { Clock } from '../../../ports.ts'
import type {
  HeadFacts,
  PeerFacts,
  Probe,
  ReadingSection,
  Readings,
  ReadingsView,
  RepositoryReadings,
  SourceState,
  SpaceFacts,
  SpendFacts,
  SpineFacts,
  Stored,
} from '../contract.ts'
import { type Kept, nothing } from './cache.ts'
import type { Outside } from './client.ts'
import { keptDeployment, type OwnPath, ownDeployment } from './deployment.ts'
import { spendKey, spineKey, surfaceKey } from './peers.ts'
import { type RepositoryPart, repositoryKey } from './repository.ts'
import type { Rounds } from './scheduler.ts'
import { endOf, endOfLinks, endOfProbes, snapshotState } from './source-status.ts'
import { deployedCommit, type GroupId, linkKey, type ReadingSettings } from './sources.ts'
import { spaceKey, spaceUrl } from './space.ts'

const SECTIONS: Readonly<Record<ReadingSection, readonly GroupId[]>> = {
  deployment: ['deployment'],
  identity: ['deployment'],
  repo: ['repo'],
  space: ['space'],
  parity: ['deployment', 'repo', 'space'],
}
const SECTION_REST_MS = 10_000
const SECTION_MS = 12_000
const REFRESH_WAIT_MS = 15_000
const NEVER = Number.POSITIVE_INFINITY

interface Deps {
  settings: ReadingSettings
  intervalMs: number
  kept: Kept
  rounds: Rounds
  outside: Pick<Outside, 'isOff' | 'isResting'>
  own: OwnPath
  clock: Clock
}

export function readingsOf(deps: Deps): Readings {
  const { kept, rounds, clock } = deps
  const taken = new Map<ReadingSection, number>()
  const restOf = (section: ReadingSection): number =>
    SECTION_REST_MS - (clock.monotonic() - (taken.get(section) ?? Number.NEGATIVE_INFINITY))
  return {
    ...viewOf(deps, NEVER),
    async take(section) {
      const groups = SECTIONS[section]
      const rest = restOf(section)
      if (!rounds.isConfigured(groups)) return { view: viewOf(deps, NEVER), retry_after_seconds: null }
      if (rest > 0) return { view: viewOf(deps, NEVER), retry_after_seconds: Math.ceil(rest / 1000) }
      taken.set(section, clock.monotonic())
      const since = kept.mark()
      await within(rounds.take(groups), SECTION_MS)
      return { view: viewOf(deps, since), retry_after_seconds: null }
    },
    async refresh() {
      const since = kept.mark()
      const round = rounds.ask()
      if (round === null) return { view: viewOf(deps, NEVER), refresh: 'TOO_SOON' }
      const done = await within(round, REFRESH_WAIT_MS)
      return { view: viewOf(deps, since), refresh: done ? 'DONE' : 'RUNNING' }
    },
    queueRound() {
      return rounds.ask() === null ? 'TOO_SOON' : 'QUEUED'
    },
  }
}

/** Whether the work ended in time; where it did not, it goes on. */
const within = (work: Promise<void>, ms: number): Promise<boolean> =>
  withDeadline(
    ms,
    () => work.then(() => true),
    () => false,
  )

/** `since`: readings that came in after this mark are `live`. */
function viewOf(deps: Deps, since: number): ReadingsView {
  const { settings, intervalMs, kept, rounds, own, clock } = deps
  const { space, probe, spine, constellation, spend, links } = settings
  const stored = <T extends object>(key: string | null): Stored<T> =>
    key === null ? nothing('NOT_CONFIGURED') : kept.stored<T>(key, since)
  const view: ReadingsView = {
    snapshot: () => snapshotState(rounds, snapshotReadings(deps, since), intervalMs, clock.now()),
    repository: () => repositoryReadings(deps, since),
    space() {
      const reading = stored<SpaceFacts>(space === null ? null : spaceKey(space))
      const source = space === null ? null : spaceUrl(space)
      return { ...reading, name: space?.name ?? null, sha: reading.value?.sha ?? null, source }
    },
    deployment: async () => (probe === null ? ownDeployment(own, clock) : keptDeployment(probe, kept, since)),
    spine: () => ({ ...stored<SpineFacts>(spine === null ? null : spineKey(spine)), origin: originOf(spine) }),
    constellation: () =>
      constellation.map((surface) => ({
        ...surface,
        url: withoutQuery(surface.url),
        reading: stored<PeerFacts>(surfaceKey(surface.url)),
      })),
    spend: () => ({
      ...stored<SpendFacts>(spend === null ? null : spendKey(spend.url)),
      origin: originOf(spend?.url ?? null),
    }),
    link: (url) => (links.includes(url) ? stored<Probe>(linkKey(url)) : nothing('NOT_PROBED')),
    sources: () => sourcesOf(deps, view),
  }
  return view
}

const originOf = (url: string | null): string | null => (url === null ? null : new URL(url).origin)

/** The operator may have put a credential into the query: what is asked with it is not what is shown. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function repositoryReadings({ settings, kept }: Deps, since: number): RepositoryReadings {
  const { repository } = settings
  const part = <T extends object>(name: RepositoryPart): Stored<T> =>
    repository === null ? nothing('NOT_CONFIGURED') : kept.stored<T>(repositoryKey(repository, name), since)
  const head = part<HeadFacts>('head')
  const deployed = deployedCommit(settings, kept)
  // What an earlier pair came to, or failed with, says nothing where there is no pair to compare.
  const isMoot = repository !== null && (deployed === null || deployed === head.value?.sha)
  return {
    name: repository?.name ?? null,
    repository: part('repository'),
    head,
    ci: part('ci'),
    release: part('release'),
    compare: isMoot ? nothing('NOT_NEEDED') : part('compare'),
    anchor: part('anchor'),
  }
}

/** What each round reads anew. The anchor is not among it: it is asked for once a day. */
function snapshotReadings({ settings, kept }: Deps, since: number): Stored<object>[] {
  const { repository, space, probe } = settings
  const parts = ['repository', 'head', 'ci', 'release'] as const
  const own = probe === null ? null : keptDeployment(probe, kept, since)
  return [
    ...(own === null ? [] : [...Object.values(own.endpoints), own.healthz, own.version]),
    ...(repository === null ? [] : parts.map((part) => kept.stored(repositoryKey(repository, part), since))),
    ...(space === null ? [] : [kept.stored(spaceKey(space), since)]),
  ]
}

function sourcesOf({ settings, kept, outside }: Deps, view: ReadingsView): SourceState[] {
  const { repository, space, probe, links } = settings
  const state = (provider: SourceState['provider'], end: SourceState['end']): SourceState => ({
    provider,
    // What nobody is allowed to ask has not failed, whatever it was before.
    end: outside.isOff ? 'never' : end,
    resting: outside.isResting(provider),
  })
  const { name: _, ...parts } = view.repository()
  const own = probe === null ? null : keptDeployment(probe, kept, NEVER)
  return [
    ...(repository === null ? [] : [state('repository', endOf(Object.values(parts)))]),
    ...(space === null ? [] : [state('space', endOf([view.space()]))]),
    ...(own === null
      ? []
      : [state('public-address', endOfProbes(Object.values(own.endpoints), [own.healthz, own.version]))]),
    ...(settings.spine === null ? [] : [state('spine', endOf([view.spine()]))]),
    ...(settings.spend === null ? [] : [state('spend', endOf([view.spend()]))]),
    ...view.constellation().map(({ reading }) => state('constellation', endOfProbes([reading]))),
    ...(links.length === 0 ? [] : [state('evidence-links', endOfLinks(links.map(view.link)))]),
  ]
}
