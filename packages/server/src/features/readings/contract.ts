/** Facts of the outside: the repository, the hosted space, our own public address, configured peers, the links of the
 *  evidence. A background reader takes them through the one way out and remembers them; whoever asks gets what was read
 *  last and opens no socket. What another side answered is the other side's text: every value here was read from an
 *  allow-list of fields, checked and clipped. */

/** `live`: taken while this very request was served. `cached`: read before. `unreachable`: there is no value. */
export type ReadingMode = 'live' | 'cached' | 'unreachable'

/** One reading. The value is the last good one: a failure after it leaves it in place and says so in `last_error`. */
export interface Stored<T> {
  /** Null where it was never read; `mode` is then `unreachable` and `reason` says why. */
  value: T | null
  mode: ReadingMode
  /** When the value was read, and how long ago that was at the time of asking; no age where the time lies in the
   *  future: the clock was set back, and how long ago it was is not known. */
  fetched_at: string | null
  age_seconds: number | null
  /** Of the bytes the value was read from; null where there is no value, or nothing but a status was read. */
  bytes_sha256: string | null
  /** What the newest attempt failed with, in a closed code; null where it did not. A request that was never sent is no
   *  attempt. */
  last_error: { code: string; at: string } | null
  /** NOT_CONFIGURED, NOT_PROBED, NOT_NEEDED, NOT_READ, or the code of the failure; null where there is a value. */
  reason: string | null
}

/** A status line and nothing else. */
export interface Probe {
  http_status: number
  latency_ms: number
}

export interface RepositoryFacts {
  full_name: string
  html_url: string
  default_branch: string
  pushed_at: string | null
  license: string | null
  archived: boolean
  open_issues: number
}

export interface HeadFacts {
  sha: string
  date: string | null
}

/** The newest workflow run of the default branch; null in place of it: the branch has none. */
export interface CiFacts {
  run: {
    name: string
    status: string
    conclusion: string | null
    url: string
    created_at: string
    head_sha: string
  } | null
}

/** The latest release; null in place of it: there is none yet. */
export interface ReleaseFacts {
  release: { tag: string; url: string; published_at: string | null } | null
}

/** How the head stands to the deployed commit; both are in it, for either may have moved since. */
export interface CompareFacts {
  base: string
  head: string
  status: 'identical' | 'ahead' | 'behind' | 'diverged'
  /** Commits of the head that the base lacks, and the other way round. */
  ahead_by: number
  behind_by: number
}

export interface AnchorFacts {
  commit: string
  found: boolean
}

export interface RepositoryReadings {
  /** `owner/name`; null where none is configured. */
  name: string | null
  repository: Stored<RepositoryFacts>
  head: Stored<HeadFacts>
  ci: Stored<CiFacts>
  release: Stored<ReleaseFacts>
  compare: Stored<CompareFacts>
  anchor: Stored<AnchorFacts>
}

export interface SpaceFacts {
  id: string
  sha: string
  stage: string | null
  sdk: string | null
  last_modified: string | null
  private: boolean | null
}

export interface SpaceReading extends Stored<SpaceFacts> {
  /** `owner/name`; null where none is configured. */
  name: string | null
  sha: string | null
  /** Where it was read: the origin of the provider and the path, null where none is configured. */
  source: string | null
}

export type EndpointId = 'apex' | 'console' | 'healthz' | 'api'

/** Our own paths. `in-process`: called in this process for this very request, so `live`, with relative addresses. */
export interface DeploymentReadings {
  probe_via: 'in-process' | 'public-address'
  /** The public address; null where none is configured. */
  base: string | null
  endpoints: Record<EndpointId, Stored<Probe> & { url: string }>
  /** Our own public records as they were read. */
  healthz: Stored<Record<string, unknown>> & { url: string }
  version: Stored<Record<string, unknown>> & { url: string }
}

/** A gateway that asks for a credential was read: its status says so, and nothing else of it is known. */
export interface SpineFacts {
  http_status: number
  auth_required: boolean
  server: string | null
  tools: { name: string; description: string | null }[]
  resources: string[]
}

export interface PeerFacts {
  http_status: number
  latency_ms: number
  report: Record<'version' | 'commit' | 'doctrine' | 'service' | 'signer', string | null>
}

export interface Peer {
  name: string
  kind: string
  group: 'Core' | 'Applications' | 'Showcase' | 'Public'
  /** Without its query, which may hold a credential. */
  url: string
  reading: Stored<PeerFacts>
}

/** Money as decimal strings. A figure the other side did not give is null. */
export interface SpendFacts {
  cap_usd: string | null
  spent_usd: string | null
  remaining_usd: string | null
  pct_used: string | null
  armed: boolean | null
  tripped: boolean | null
  entries: number | null
  chain_intact: boolean | null
  tail: { ts: string | null; actor: string | null; model: string | null; usd: string | null; digest: string | null }[]
}

/** Where the readings come from, and how old the oldest of them is: a source that is dead makes the whole old, for
 *  a round that read nothing of it has made nothing younger. */
export interface SnapshotState {
  served_from: 'background-snapshot' | 'persisted-snapshot' | 'warming'
  fetched_at: string | null
  /** Null where nothing was read, or the time of it lies in the future and says nothing. */
  age_seconds: number | null
  /** Something of it is older than three intervals, of unknown age, or was never read. */
  stale: boolean
}

/** Who is asked. One address may serve several of them; each is counted and left alone on its own. */
export type Provider =
  | 'repository'
  | 'space'
  | 'public-address'
  | 'spine'
  | 'spend'
  | 'constellation'
  | 'evidence-links'

export interface SourceState {
  provider: Provider
  /** How the newest attempts ended: `failed` where one of them did. */
  end: 'ok' | 'failed' | 'never'
  /** It failed and has not answered since; it is asked again only after a rest. */
  resting: boolean
}

/** One look at what was read last. Opens no socket; without a public address `deployment` calls our own operations. */
export interface ReadingsView {
  snapshot(): SnapshotState
  repository(): RepositoryReadings
  space(): SpaceReading
  deployment(): Promise<DeploymentReadings>
  /** The origin is null where no gateway is configured. */
  spine(): Stored<SpineFacts> & { origin: string | null }
  /** Empty where none are configured. */
  constellation(): Peer[]
  /** The origin is null where no authority is configured. */
  spend(): Stored<SpendFacts> & { origin: string | null }
  /** A link of the evidence; never probed unless the operator switched that on. */
  link(url: string): Stored<Probe>
  /** Each configured source once; each surface of the constellation is one. */
  sources(): SourceState[]
}

export type ReadingSection = 'deployment' | 'identity' | 'repo' | 'space' | 'parity'

export interface Readings extends ReadingsView {
  /** Takes what a section needs now, 12 s in all, and stores it. In the view that comes back the readings this call took
   *  are `live`. At most one run per section in 10 s: inside that time nothing is taken and `retry_after_seconds` says
   *  when it may be. Never rejects for what the other side does. */
  take(section: ReadingSection): Promise<{ view: ReadingsView; retry_after_seconds: number | null }>
  /** A full round, at most one begun per 30 s; waits up to 15 s for it. `RUNNING`: it goes on without the caller. */
  refresh(): Promise<{ view: ReadingsView; refresh: 'DONE' | 'RUNNING' | 'TOO_SOON' }>
  /** The same, without waiting for it. */
  queueRound(): 'QUEUED' | 'TOO_SOON'
}
