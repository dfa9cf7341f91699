/** The port: one look at what is kept, and the ways to have it read now. */
import type { Clock } from '../../ports.ts'
import type {
  NeighbourFacts,
  Probe,
  ReadingSection,
  Readings,
  ReadingsView,
  SnapshotState,
  SpaceFacts,
  SpendFacts,
  SpineFacts,
  Stored,
} from '../../readings-contract.ts'
import { keptDeployment, type OwnPath, ownDeployment } from './deployment.ts'
import { type Kept, nothing } from './kept.ts'
import { spendKey, spineKey, surfaceKey } from './neighbours.ts'
import { type RepositoryPart, repositoryKey } from './repository.ts'
import type { Rounds } from './rounds.ts'
import { type GroupId, linkKey, type ReadingSettings } from './sources.ts'
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
/** A snapshot older than this many intervals is stale. */
const STALE_AFTER = 3
const NEVER = Number.POSITIVE_INFINITY

interface Deps {
  settings: ReadingSettings
  intervalMs: number
  kept: Kept
  rounds: Rounds
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
function within(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false)
    work.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}

/** `since`: readings that came in after this mark are `live`. */
function viewOf({ settings, intervalMs, kept, rounds, own, clock }: Deps, since: number): ReadingsView {
  const { repository, space, probe, spine, constellation, spend, links } = settings
  const stored = <T extends object>(key: string | null): Stored<T> =>
    key === null ? nothing('NOT_CONFIGURED') : kept.stored<T>(key, since)
  const part = <T extends object>(name: RepositoryPart) =>
    stored<T>(repository === null ? null : repositoryKey(repository, name))
  return {
    snapshot: () => snapshotState(rounds, intervalMs, clock.now()),
    repository: () => ({
      name: repository?.name ?? null,
      repository: part('repository'),
      head: part('head'),
      ci: part('ci'),
      release: part('release'),
      compare: part('compare'),
      anchor: part('anchor'),
    }),
    space() {
      const reading = stored<SpaceFacts>(space === null ? null : spaceKey(space))
      const source = space === null ? null : spaceUrl(space)
      return { ...reading, name: space?.name ?? null, sha: reading.value?.sha ?? null, source }
    },
    deployment: async () => (probe === null ? ownDeployment(own, clock) : keptDeployment(probe, kept, since)),
    spine: () => (spine === null ? null : { ...stored<SpineFacts>(spineKey(spine)), origin: new URL(spine).origin }),
    constellation: () =>
      constellation.map((surface) => ({ ...surface, reading: stored<NeighbourFacts>(surfaceKey(surface.url)) })),
    spend: () =>
      spend === null ? null : { ...stored<SpendFacts>(spendKey(spend.url)), origin: new URL(spend.url).origin },
    link: (url) => (links.includes(url) ? stored<Probe>(linkKey(url)) : nothing('NOT_PROBED')),
  }
}

function snapshotState({ servedFrom, roundAt }: Rounds, intervalMs: number, now: number): SnapshotState {
  if (roundAt === null) return { served_from: 'warming', fetched_at: null, age_seconds: null, stale: true }
  const age = Math.max(0, now - Date.parse(roundAt))
  return {
    served_from: servedFrom,
    fetched_at: roundAt,
    age_seconds: Math.round(age / 1000),
    stale: age > STALE_AFTER * intervalMs,
  }
}
