/** When what is read: rounds of the background, rounds that were asked for, and single sections. A group is read by one
 *  run at a time; whoever comes while it runs waits for the same answer. */
import type { Background, Clock, Log } from '../../../ports.ts'
import { isNewer, type Kept } from './cache.ts'
import type { Snapshot, SnapshotStore } from './snapshot.ts'
import type { Group, GroupId } from './sources.ts'

const FIRST_AFTER_MS = 2_000
const PEERS_MS = 60_000
const LINKS_MS = 3_600_000
const ADOPT_MS = 10_000
const REFRESH_REST_MS = 30_000
const READINESS: readonly GroupId[] = ['deployment', 'space', 'repo']

export interface RoundSettings {
  intervalMs: number
  /** Other nodes use the same store: of each round one of them reads, and the others take over what it kept. */
  shared: boolean
}

interface Deps {
  groups: Record<GroupId, Group | null>
  kept: Kept
  store: SnapshotStore
  background: Background
  clock: Clock
  log: Log
}

export class Rounds {
  readonly #deps: Deps
  readonly #settings: RoundSettings
  readonly #flights = new Map<GroupId, Promise<void>>()
  readonly #stop = new AbortController()
  #round: Promise<void> | null = null
  #saving: Promise<void> = Promise.resolve()
  #asked: number | null = null
  #first: NodeJS.Timeout | null = null
  /** When the newest full round ended, whatever it read. */
  roundAt: string | null = null
  servedFrom: 'background-snapshot' | 'persisted-snapshot' | 'warming' = 'warming'

  constructor(deps: Deps, settings: RoundSettings) {
    this.#deps = deps
    this.#settings = settings
  }

  /** Serves what an earlier process kept, then begins to read. */
  async start(): Promise<void> {
    const { background } = this.#deps
    if (this.#configured()) await this.#noted('snapshot', this.#restore())
    background.every('readiness-round', this.#settings.intervalMs, () => this.#readinessRound())
    if (this.#has('neighbours'))
      background.every('neighbour-round', PEERS_MS, () => this.#otherRound('neighbours', PEERS_MS))
    if (this.#has('links')) background.every('evidence-links', LINKS_MS, () => this.#otherRound('links', LINKS_MS))
    if (this.#settings.shared && this.#configured())
      background.every('readings-adopt', ADOPT_MS, async () => this.#adopt(await this.#deps.store.load()))
    this.#first = setTimeout(() => this.#firstRound(), FIRST_AFTER_MS)
    this.#first.unref()
  }

  /** Breaks off what is being read; nothing is written once it is through. */
  async stop(): Promise<void> {
    if (this.#first !== null) clearTimeout(this.#first)
    this.#stop.abort()
    await Promise.allSettled([...this.#flights.values(), this.#round, this.#saving])
  }

  /** Null where a round was begun less than 30 s ago by somebody who asked for one. Never rejects. */
  ask(): Promise<void> | null {
    const now = this.#deps.clock.monotonic()
    if (this.#asked !== null && now - this.#asked < REFRESH_REST_MS) return null
    this.#asked = now
    return this.#noted('readiness-round', this.#readinessRound(REFRESH_REST_MS))
  }

  /** Reads the groups that are configured and keeps what they gave. Never rejects. */
  take(ids: readonly GroupId[]): Promise<void> {
    return this.#noted(
      'section',
      this.#inOrder(ids).then(() => this.#save()),
    )
  }

  isConfigured = (ids: readonly GroupId[]): boolean => ids.some((id) => this.#has(id))

  #has = (id: GroupId): boolean => this.#deps.groups[id] !== null
  #configured = (): boolean => this.isConfigured(Object.keys(this.#deps.groups) as GroupId[])

  async #restore(): Promise<void> {
    this.#adopt(await this.#deps.store.load(), 'persisted-snapshot')
  }

  #firstRound(): void {
    this.#noted('readiness-round', this.#readinessRound())
    if (this.#has('neighbours')) this.#noted('neighbour-round', this.#otherRound('neighbours', PEERS_MS))
    if (this.#has('links')) this.#noted('evidence-links', this.#otherRound('links', LINKS_MS))
  }

  /** For work no task of the background stands behind: what was read serves, also where it could not be stored. */
  #noted(task: string, work: Promise<void>): Promise<void> {
    return work.catch((error: { code?: string }) => {
      this.#deps.log.warn({ task, code: error.code ?? 'TASK_FAILED' }, 'a reading of the outside could not be kept')
    })
  }

  #readinessRound(restMs: number = this.#settings.intervalMs * 0.9): Promise<void> {
    this.#round ??= this.#readiness(restMs).finally(() => {
      this.#round = null
    })
    return this.#round
  }

  async #readiness(restMs: number): Promise<void> {
    if (!(await this.#isOurs('readiness', restMs))) return
    await this.#inOrder(READINESS)
    this.roundAt = new Date(this.#deps.clock.now()).toISOString()
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
    const flying = this.#flights.get(id)
    if (flying !== undefined) return flying
    const limit = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(group.limitMs)])
    const flight = group.read(limit).finally(() => this.#flights.delete(id))
    this.#flights.set(id, flight)
    return flight
  }

  /** Nodes on one store agree by a compare-and-set; who comes second takes over what the first kept. */
  async #isOurs(round: string, restMs: number): Promise<boolean> {
    if (!this.#settings.shared || !this.#configured()) return true
    if (await this.#deps.store.claim(round, restMs)) return true
    this.#adopt(await this.#deps.store.load())
    return false
  }

  #adopt(snapshot: Snapshot | null, from: 'background-snapshot' | 'persisted-snapshot' = 'background-snapshot'): void {
    if (snapshot === null) return
    this.#deps.kept.restore(snapshot.readings)
    if (snapshot.round_at === null || !isNewer(snapshot.round_at, this.roundAt ?? '', this.#deps.clock.now())) return
    this.roundAt = snapshot.round_at
    this.servedFrom = from
  }

  /** One at a time, so that a node never competes with itself. */
  #save(): Promise<void> {
    const save = async () => {
      if (this.#stop.signal.aborted) return
      await this.#deps.store.save({ round_at: this.roundAt, readings: new Map(this.#deps.kept.entries()) })
    }
    const next = this.#saving.then(save, save)
    this.#saving = next
    return next
  }
}
