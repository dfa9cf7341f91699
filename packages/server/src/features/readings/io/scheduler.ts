/** When what is read: rounds of the background, rounds that were asked for, and single sections. A group is read by one
 *  run at a time; whoever comes while it runs waits for the same answer. */
import type { ReadingCache } from '../../../adapters/outbound/contract.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { ServiceError } from '../../../errors.ts'
import { isoNow } from '../../../platform/clock.ts'
import { read } from '../../../platform/shape.ts'
import { SingleFlight } from '../../../platform/single-flight.ts'
import type { Background, Clock, Ledger, Log } from '../../../ports.ts'
import { isNewer, LatestReading, type LatestReadings } from './latest.ts'
import type { Group, GroupId } from './sources.ts'

const FIRST_AFTER_MS = 2_000
const PEERS_MS = 60_000
const LINKS_MS = 3_600_000
const ADOPT_MS = 10_000
const REFRESH_INTERVAL_MS = 30_000
const READINESS: readonly GroupId[] = ['deployment', 'space', 'repo']
const SPACE = 'readings'
const CACHE_PREFIX = 'readings '
const ROUND_KEY = `${CACHE_PREFIX}round`

export interface RoundSettings {
  intervalMs: number
  /** Other nodes use the same store: of each round one of them reads, and the others take over what it stored. */
  shared: boolean
}

interface Deps {
  groups: Record<GroupId, Group | null>
  keys: readonly string[]
  latest: LatestReadings
  cache: ReadingCache
  ledger: Pick<Ledger, 'reader' | 'writeDocuments'>
  background: Background
  clock: Clock
  log: Log
}

export class Scheduler {
  readonly #deps: Deps
  readonly #settings: RoundSettings
  readonly #flights = new SingleFlight<GroupId>()
  readonly #stop = new AbortController()
  #round: Promise<void> | null = null
  #saving: Promise<void> = Promise.resolve()
  #requestedAt: number | null = null
  #first: NodeJS.Timeout | null = null
  /** When the newest full round ended, whatever it read. */
  roundAt: string | null = null
  servedFrom: 'background-snapshot' | 'persisted-snapshot' | 'warming' = 'warming'

  constructor(deps: Deps, settings: RoundSettings) {
    this.#deps = deps
    this.#settings = settings
  }

  /** Serves what an earlier process stored, then begins to read. */
  async start(): Promise<void> {
    const { background } = this.#deps
    if (this.#configured()) await this.#noted('snapshot', this.#adopt('persisted-snapshot'))
    background.every('readiness-round', this.#settings.intervalMs, () => this.#readinessRound())
    if (this.#has('peers')) background.every('neighbour-round', PEERS_MS, () => this.#otherRound('peers', PEERS_MS))
    if (this.#has('links')) background.every('evidence-links', LINKS_MS, () => this.#otherRound('links', LINKS_MS))
    if (this.#settings.shared && this.#configured()) background.every('readings-adopt', ADOPT_MS, () => this.#adopt())
    this.#first = setTimeout(() => this.#firstRound(), FIRST_AFTER_MS)
    this.#first.unref()
  }

  /** Breaks off what is being read; nothing is written once it is through. */
  async stop(): Promise<void> {
    if (this.#first !== null) clearTimeout(this.#first)
    this.#stop.abort()
    await Promise.allSettled([...this.#flights.running(), this.#round, this.#saving])
  }

  /** Null where a round was requested less than 30 s ago. Never rejects. */
  requestRound(): Promise<void> | null {
    const now = this.#deps.clock.monotonic()
    if (this.#requestedAt !== null && now - this.#requestedAt < REFRESH_INTERVAL_MS) return null
    this.#requestedAt = now
    return this.#noted('readiness-round', this.#readinessRound(REFRESH_INTERVAL_MS))
  }

  /** Reads the groups that are configured and stores what they gave. Never rejects. */
  refresh(ids: readonly GroupId[]): Promise<void> {
    return this.#noted(
      'section',
      this.#inOrder(ids).then(() => this.#save()),
    )
  }

  isConfigured = (ids: readonly GroupId[]): boolean => ids.some((id) => this.#has(id))

  #has = (id: GroupId): boolean => this.#deps.groups[id] !== null
  #configured = (): boolean => this.isConfigured(Object.keys(this.#deps.groups) as GroupId[])

  #firstRound(): void {
    this.#noted('readiness-round', this.#readinessRound())
    if (this.#has('peers')) this.#noted('neighbour-round', this.#otherRound('peers', PEERS_MS))
    if (this.#has('links')) this.#noted('evidence-links', this.#otherRound('links', LINKS_MS))
  }

  /** For work no task of the background stands behind: what was read serves, also where it could not be stored. */
  #noted(task: string, work: Promise<void>): Promise<void> {
    return work.catch((error: { code?: string }) => {
      this.#deps.log.warn({ task, code: error.code ?? 'TASK_FAILED' }, 'a reading of the outside could not be stored')
    })
  }

  #readinessRound(minAgeMs: number = this.#settings.intervalMs * 0.9): Promise<void> {
    this.#round ??= this.#readiness(minAgeMs).finally(() => {
      this.#round = null
    })
    return this.#round
  }

  async #readiness(minAgeMs: number): Promise<void> {
    if (!(await this.#isOurs('readiness', minAgeMs))) return
    await this.#inOrder(READINESS)
    this.roundAt = isoNow(this.#deps.clock)
    this.servedFrom = 'background-snapshot'
    if (this.isConfigured(READINESS)) await this.#save()
  }

  async #otherRound(id: GroupId, everyMs: number): Promise<void> {
    if (!(await this.#isOurs(id, everyMs * 0.9))) return
    await this.#read(id)
    await this.#save()
  }

  /** The repository is compared with what is deployed, so that comes first. */
  async #inOrder(ids: readonly GroupId[]): Promise<void> {
    const wanted = READINESS.filter((id) => ids.includes(id))
    if (wanted.includes('deployment')) await this.#read('deployment')
    await Promise.all(wanted.filter((id) => id !== 'deployment').map((id) => this.#read(id)))
  }

  #read(id: GroupId): Promise<void> {
    const group = this.#deps.groups[id]
    if (group === null || this.#stop.signal.aborted) return Promise.resolve()
    const limit = () => AbortSignal.any([this.#stop.signal, AbortSignal.timeout(group.limitMs)])
    return this.#flights.run(id, () => group.read(limit()))
  }

  /** Nodes on one store agree by a compare-and-set; who comes second takes over what the first stored. */
  async #isOurs(round: string, minAgeMs: number): Promise<boolean> {
    if (!this.#settings.shared || !this.#configured()) return true
    if (await this.#claim(round, minAgeMs)) return true
    await this.#adopt()
    return false
  }

  /** True for one node of those that ask within `minAgeMs` of each other. */
  async #claim(round: string, minAgeMs: number): Promise<boolean> {
    const { ledger, clock } = this.#deps
    const id = { space: SPACE, key: documentKey(SPACE, round) }
    const claimed = await ledger.reader.document(id.space, id.key)
    const age = claimed === null ? Number.POSITIVE_INFINITY : clock.now() - claimed.rank
    // A claim from the future comes from a node with a wrong clock: it must not stop all the others.
    if (age >= 0 && age < minAgeMs) return false
    const write = { ...id, expect: claimed?.version ?? 0, owner: 'system/readings', state: 'CLAIMED', value: '{}' }
    try {
      await ledger.writeDocuments([{ ...write, rank: clock.now() }])
      return true
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'state_conflict') return false
      throw error
    }
  }

  /** Takes over what another node or an earlier process stored. */
  async #adopt(from: 'background-snapshot' | 'persisted-snapshot' = 'background-snapshot'): Promise<void> {
    const { keys, latest, cache, clock } = this.#deps
    const stored = await Promise.all(
      keys.map(async (key): Promise<[string, LatestReading][]> => {
        const reading = read(LatestReading, (await cache.read(CACHE_PREFIX + key))?.value)
        return reading.ok ? [[key, reading.value]] : []
      }),
    )
    latest.restore(new Map(stored.flat()))
    const roundAt = (await cache.read(ROUND_KEY))?.value
    if (typeof roundAt !== 'string' || !isNewer(roundAt, this.roundAt ?? '', clock.now())) return
    this.roundAt = roundAt
    this.servedFrom = from
  }

  /** One at a time, so that a node never competes with itself. */
  #save(): Promise<void> {
    const save = async () => {
      if (this.#stop.signal.aborted) return
      const { latest, cache } = this.#deps
      const changed = latest.takeChanged()
      const entries = changed.map(([key, value]) => ({
        key: CACHE_PREFIX + key,
        at: Date.parse(value.attempted_at),
        value,
      }))
      const round = this.roundAt === null ? [] : [{ key: ROUND_KEY, at: Date.parse(this.roundAt), value: this.roundAt }]
      try {
        await cache.write([...entries, ...round])
      } catch (error) {
        latest.markChanged(changed.map(([key]) => key))
        throw error
      }
    }
    const next = this.#saving.then(save, save)
    this.#saving = next
    return next
  }
}
