/** The readings as they outlive the process: one companion document, and one more per kind of round with which nodes on
 *  one store agree who reads. Working state and no evidence: what is damaged counts as absent. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { ServiceError } from '../../../errors.ts'
import type { DocumentWrite } from '../../../ledger/contract.ts'
import type { Clock, Ledger } from '../../../ports.ts'
import { isNewer, type KeptReading } from './cache.ts'

const SPACE = 'readings'
const OWNER = 'system/readings'
const ATTEMPTS = 5
const MAX_BYTES = 900_000
const idOf = (name: string) => ({ space: SPACE, key: sha256Hex(canonicalBytes([SPACE, name])) })
const SNAPSHOT = idOf('snapshot')

const Text = Type.Union([Type.String(), Type.Null()])
const KeptShape = Type.Object({
  value: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  fetched_at: Text,
  bytes_sha256: Text,
  attempted_at: Type.String(),
  last_error: Type.Union([Type.Object({ code: Type.String(), at: Type.String() }), Type.Null()]),
})
const snapshotShape = Compile(
  Type.Object({
    schema: Type.Literal('orch.readings/v1'),
    round_at: Text,
    readings: Type.Record(Type.String(), KeptShape),
  }),
)

export interface Snapshot {
  /** When the newest full round ended. */
  round_at: string | null
  readings: Map<string, KeptReading>
}

type Store = Pick<Ledger, 'reader' | 'writeDocuments'>

export class SnapshotStore {
  readonly #ledger: Store
  readonly #clock: Clock

  constructor(ledger: Store, clock: Clock) {
    this.#ledger = ledger
    this.#clock = clock
  }

  async load(): Promise<Snapshot | null> {
    return (await this.#read()).snapshot
  }

  /** Writes what is here together with what others wrote meanwhile: of each reading the newest attempt stands. */
  async save(here: Snapshot): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { snapshot, version } = await this.#read()
      const value = written(snapshot === null ? here : merged(here, snapshot, this.#clock.now()))
      if (await this.#write({ ...SNAPSHOT, expect: version, state: 'KEPT', value })) return
      if (attempt === ATTEMPTS)
        throw new ServiceError('state_conflict', 'the readings are being written by other nodes')
    }
  }

  /** True for one node of those that ask within `restMs` of each other. */
  async claim(round: string, restMs: number): Promise<boolean> {
    const id = idOf(round)
    const claimed = await this.#ledger.reader.document(id.space, id.key)
    const age = claimed === null ? Number.POSITIVE_INFINITY : this.#clock.now() - claimed.rank
    // A claim from the future is a node with a wrong clock: it must not hold everybody else up.
    if (age >= 0 && age < restMs) return false
    return this.#write({ ...id, expect: claimed?.version ?? 0, state: 'CLAIMED', value: '{}' })
  }

  async #read(): Promise<{ snapshot: Snapshot | null; version: number }> {
    const row = await this.#ledger.reader.document(SNAPSHOT.space, SNAPSHOT.key)
    return { snapshot: row === null ? null : parsed(row.value), version: row?.version ?? 0 }
  }

  /** False where another node was faster. */
  async #write(write: Omit<DocumentWrite, 'owner' | 'rank'>): Promise<boolean> {
    try {
      await this.#ledger.writeDocuments([{ ...write, owner: OWNER, rank: this.#clock.now() }])
      return true
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'state_conflict') return false
      throw error
    }
  }
}

function merged(here: Snapshot, there: Snapshot, now: number): Snapshot {
  const readings = new Map(there.readings)
  for (const [key, reading] of here.readings) {
    const other = readings.get(key)
    if (other === undefined || !isNewer(other.attempted_at, reading.attempted_at, now)) readings.set(key, reading)
  }
  const isTheirs = there.round_at !== null && isNewer(there.round_at, here.round_at ?? '', now)
  return { round_at: isTheirs ? there.round_at : here.round_at, readings }
}

/** A document has a limit: where the readings of former settings fill it, those attempted longest ago go. */
function written({ round_at, readings }: Snapshot): string {
  const newest = [...readings].sort(([, a], [, b]) => b.attempted_at.localeCompare(a.attempted_at))
  const text = JSON.stringify({ schema: 'orch.readings/v1', round_at, readings: Object.fromEntries(newest) })
  if (Buffer.byteLength(text) <= MAX_BYTES || newest.length <= 1) return text
  return written({ round_at, readings: new Map(newest.slice(0, Math.ceil(newest.length / 2))) })
}

function parsed(text: string): Snapshot | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!snapshotShape.Check(value)) return null
    return { round_at: value.round_at, readings: new Map(Object.entries(value.readings)) }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
