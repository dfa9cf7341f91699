/** The port: one look at what was read last, and the ways to have it read now. */

import type { Outbound } from '../../../adapters/outbound/contract.ts'
import { withDeadline } from '../../../platform/deadline.ts'
import type { Background, Clock, Ledger, Log } from '../../../ports.ts'
import type {
  HeadFacts,
  PeerFacts,
  Probe,
  ReadingSection,
  Readings,
  ReadingsView,
  RepositoryReadings,
  SnapshotState,
  SourceState,
  SpaceFacts,
  SpendFacts,
  SpineFacts,
  Stored,
} from '../contract.ts'
import { type OwnPath, ownDeployment, publicDeployment } from './deployment.ts'
import { ageOf, LatestReadings, unavailable } from './latest.ts'
import { spaceSource, spaceUrl, spendSource, spineSource, surfaceKey } from './peers.ts'
import { type RepositoryPart, repositoryKey } from './repository.ts'
import { type RoundSettings, Scheduler } from './scheduler.ts'
import { deployedCommit, type GroupId, linkKey, type ReadingSettings, readingGroups, readingKeys } from './sources.ts'

const SECTIONS: Readonly<Record<ReadingSection, readonly GroupId[]>> = {
  deployment: ['deployment'],
  identity: ['deployment'],
  repo: ['repo'],
  space: ['space'],
  parity: ['deployment', 'repo', 'space'],
}
const SECTION_INTERVAL_MS = 10_000
const SECTION_MS = 12_000
const REFRESH_WAIT_MS = 15_000
const NEVER = Number.POSITIVE_INFINITY

interface Needs {
  ledger: Pick<Ledger, 'reader' | 'writeDocuments'>
  /** Its table holds the rows of `readingProviders`. */
  outbound: Outbound
  background: Background
  clock: Clock
  log: Log
  own: OwnPath
}

export interface OpenReadings {
  port: Readings
  stop(): Promise<void>
}

export async function openReadings(settings: ReadingSettings & RoundSettings, needs: Needs): Promise<OpenReadings> {
  const { outbound, clock, own, ...rest } = needs
  const latest = new LatestReadings(clock)
  const groups = readingGroups(settings, outbound, latest)
  const keys = readingKeys(settings)
  const scheduler = new Scheduler({ groups, keys, latest, cache: outbound.cache, clock, ...rest }, settings)
  await scheduler.start()
  return {
    port: createReadings({ settings, latest, scheduler, outbound, own, clock }),
    stop: () => scheduler.stop(),
  }
}

interface Deps extends Pick<Needs, 'outbound' | 'own' | 'clock'> {
  settings: ReadingSettings & RoundSettings
  latest: LatestReadings
  scheduler: Scheduler
}

function createReadings(deps: Deps): Readings {
  const { latest, scheduler, clock } = deps
  const taken = new Map<ReadingSection, number>()
  const untilAllowed = (section: ReadingSection): number =>
    SECTION_INTERVAL_MS - (clock.monotonic() - (taken.get(section) ?? Number.NEGATIVE_INFINITY))
  return {
    ...viewOf(deps, NEVER),
    async take(section) {
      const groups = SECTIONS[section]
      const waitMs = untilAllowed(section)
      if (!scheduler.isConfigured(groups)) return { view: viewOf(deps, NEVER), retry_after_seconds: null }
      if (waitMs > 0) return { view: viewOf(deps, NEVER), retry_after_seconds: Math.ceil(waitMs / 1000) }
      taken.set(section, clock.monotonic())
      const since = latest.mark()
      await within(scheduler.refresh(groups), SECTION_MS)
      return { view: viewOf(deps, since), retry_after_seconds: null }
    },
    async refresh() {
      const since = latest.mark()
      const round = scheduler.requestRound()
      if (round === null) return { view: viewOf(deps, NEVER), refresh: 'TOO_SOON' }
      const done = await within(round, REFRESH_WAIT_MS)
      return { view: viewOf(deps, since), refresh: done ? 'DONE' : 'RUNNING' }
    },
    queueRound() {
      return scheduler.requestRound() === null ? 'TOO_SOON' : 'QUEUED'
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
  const { settings, latest, scheduler, own, clock } = deps
  const { space, probe, spine, constellation, spend, links, intervalMs } = settings
  const stored = <T extends object>(key: string | null): Stored<T> =>
    key === null ? unavailable('NOT_CONFIGURED') : latest.find<T>(key, since)
  const view: ReadingsView = {
    snapshot: () => snapshotState(scheduler, snapshotReadings(deps, since), intervalMs, clock.now()),
    repository: () => repositoryReadings(deps, since),
    space() {
      const reading = stored<SpaceFacts>(space === null ? null : spaceSource(space).key)
      const source = space === null ? null : spaceUrl(space)
      return { ...reading, name: space?.name ?? null, sha: reading.value?.sha ?? null, source }
    },
    deployment: async () => (probe === null ? ownDeployment(own, clock) : publicDeployment(probe, latest, since)),
    spine: () => ({ ...stored<SpineFacts>(spine === null ? null : spineSource(spine).key), origin: originOf(spine) }),
    constellation: () =>
      constellation.map((surface) => ({
        ...surface,
        url: withoutQuery(surface.url),
        reading: stored<PeerFacts>(surfaceKey(surface.url)),
      })),
    spend: () => ({
      ...stored<SpendFacts>(spend === null ? null : spendSource(spend.url).key),
      origin: originOf(spend?.url ?? null),
    }),
    link: (url) => (links.includes(url) ? stored<Probe>(linkKey(url)) : unavailable('NOT_PROBED')),
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

function repositoryReadings({ settings, latest }: Deps, since: number): RepositoryReadings {
  const { repository } = settings
  const part = <T extends object>(name: RepositoryPart): Stored<T> =>
    repository === null ? unavailable('NOT_CONFIGURED') : latest.find<T>(repositoryKey(repository, name), since)
  const head = part<HeadFacts>('head')
  const deployed = deployedCommit(settings, latest)
  // What an earlier pair came to, or failed with, says nothing where there is no pair to compare.
  const isMoot = repository !== null && (deployed === null || deployed === head.value?.sha)
  return {
    name: repository?.name ?? null,
    repository: part('repository'),
    head,
    ci: part('ci'),
    release: part('release'),
    compare: isMoot ? unavailable('NOT_NEEDED') : part('compare'),
    anchor: part('anchor'),
  }
}

/** What each round reads anew. The anchor is not among it: it is asked for once a day. */
function snapshotReadings({ settings, latest }: Deps, since: number): Stored<object>[] {
  const { repository, space, probe } = settings
  const parts = ['repository', 'head', 'ci', 'release'] as const
  const own = probe === null ? null : publicDeployment(probe, latest, since)
  return [
    ...(own === null ? [] : [...Object.values(own.endpoints), own.healthz, own.version]),
    ...(repository === null ? [] : parts.map((part) => latest.find(repositoryKey(repository, part), since))),
    ...(space === null ? [] : [latest.find(spaceSource(space).key, since)]),
  ]
}

function sourcesOf({ settings, latest, outbound }: Deps, view: ReadingsView): SourceState[] {
  const { repository, space, probe, links } = settings
  const state = (provider: SourceState['provider'], end: SourceState['end']): SourceState => ({
    provider,
    // What may not be asked has not failed, whatever it was before.
    end: outbound.isOff ? 'never' : end,
    resting: outbound.isCoolingDown(provider),
  })
  const { name: _, ...parts } = view.repository()
  const own = probe === null ? null : publicDeployment(probe, latest, NEVER)
  return [
    ...(repository === null ? [] : [state('repository', outcome(Object.values(parts)))]),
    ...(space === null ? [] : [state('space', outcome([view.space()]))]),
    ...(own === null
      ? []
      : [state('public-address', probesOutcome(Object.values(own.endpoints), [own.healthz, own.version]))]),
    ...(settings.spine === null ? [] : [state('spine', outcome([view.spine()]))]),
    ...(settings.spend === null ? [] : [state('spend', outcome([view.spend()]))]),
    ...view.constellation().map(({ reading }) => state('constellation', probesOutcome([reading]))),
    ...(links.length === 0 ? [] : [state('evidence-links', linksOutcome(links.map(view.link)))]),
  ]
}

/** A snapshot older than this many intervals is stale. */
const STALE_AFTER = 3

type Kind = Stored<object>
type SourceOutcome = SourceState['end']

const isFailed = ({ last_error }: Kind): boolean => last_error !== null
const isTried = (reading: Kind): boolean => isFailed(reading) || reading.value !== null

/** A part that failed is a failure of the whole. */
function outcome(readings: readonly Kind[]): SourceOutcome {
  if (readings.some(isFailed)) return 'failed'
  return readings.some(isTried) ? 'ok' : 'never'
}

/** For what is to be up: an answer that says it is not is a failure too. */
const probesOutcome = (probes: readonly Stored<Probe>[], rest: readonly Kind[] = []): SourceOutcome =>
  probes.some(({ value }) => value !== null && !(value.http_status >= 200 && value.http_status < 400))
    ? 'failed'
    : outcome([...probes, ...rest])

/** Links lead to many places that have nothing to do with each other: the source fails where none of them is reached. */
function linksOutcome(links: readonly Kind[]): SourceOutcome {
  const tried = links.filter(isTried)
  if (tried.length === 0) return 'never'
  return tried.every(isFailed) ? 'failed' : 'ok'
}

/** As old as the oldest reading in it. Without a round nothing is a snapshot yet, and without a source nothing ever is. */
function snapshotState(
  { servedFrom, roundAt }: Pick<Scheduler, 'servedFrom' | 'roundAt'>,
  readings: readonly Kind[],
  intervalMs: number,
  now: number,
): SnapshotState {
  if (roundAt === null) return { served_from: 'warming', fetched_at: null, age_seconds: null, stale: true }
  const [fetched_at = null] = readings.flatMap(({ fetched_at: at }) => at ?? []).sort()
  const age_seconds = fetched_at === null ? null : ageOf(fetched_at, now)
  const isOld = ({ age_seconds: age }: Kind) => age === null || age * 1000 > STALE_AFTER * intervalMs
  return { served_from: servedFrom, fetched_at, age_seconds, stale: readings.length === 0 || readings.some(isOld) }
}
