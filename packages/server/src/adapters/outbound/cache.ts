/** The cache of readings, in documents of the store: it survives a restart, and nodes on one PostgreSQL share it. Entries
 *  lie in a fixed number of slots, so that no key anybody thinks of leaves a row behind; one index says what lies where and
 *  is written together with the slots, or not at all. Working state and no evidence: what is damaged counts as absent. */
import Type, { type Static } from 'typebox'
import { documentKey } from '../../domain/document-key.ts'
import { ServiceError } from '../../errors.ts'
import type { DocumentWrite } from '../../ledger/contract.ts'
import { readJson } from '../../platform/shape.ts'
import type { Clock, Ledger } from '../../ports.ts'
import type { CacheEntry, ReadingCache } from './contract.ts'

const SPACE = 'outbound.cache'
const OWNER = 'system/outbound'
const INDEX = documentKey(SPACE, 'index')
const ATTEMPTS = 5
const SKEW_MS = 10_000
/** A document holds one mebibyte. A larger value is served to whoever asked for it and not cached. */
const MAX_ENTRY_BYTES = 2 ** 20

const Row = Type.Object({ key: Type.String(), slot: Type.Integer(), bytes: Type.Integer(), at: Type.Number() })
/** `rows`: the least recently used first. `versions`: of the slot documents, by slot. */
const Index = Type.Object({
  schema: Type.Literal('orch.outbound-cache/v1'),
  rows: Type.Array(Row),
  versions: Type.Array(Type.Integer()),
})
const Entry = Type.Object({ key: Type.String(), at: Type.Number(), value: Type.Unknown() })

interface LoadedIndex {
  version: number
  rows: Map<string, Static<typeof Row>>
  versions: number[]
}

export type CacheStore = Pick<Ledger, 'reader' | 'writeDocuments'>
export interface CacheLimits {
  entries: number
  bytes: number
}
const CACHE_LIMITS: CacheLimits = { entries: 512, bytes: 64 * 2 ** 20 }

export class StoreCache implements ReadingCache {
  readonly #store: CacheStore
  readonly #clock: Pick<Clock, 'now'>
  readonly #limits: CacheLimits
  #index: LoadedIndex | null = null
  /** Read since the last write, in order: the next write moves them to the end of the index. */
  readonly #used = new Set<string>()
  #writing: Promise<unknown> = Promise.resolve()

  constructor(store: CacheStore, clock: Pick<Clock, 'now'>, limits: CacheLimits = CACHE_LIMITS) {
    this.#store = store
    this.#clock = clock
    this.#limits = limits
  }

  async read(key: string): Promise<CacheEntry | null> {
    const entry = (await this.#find(key, this.#index)) ?? (await this.#find(key, await this.#load()))
    if (entry === null) return null
    this.#used.delete(key)
    this.#used.add(key)
    return entry
  }

  /** One write at a time, so that a node never competes with itself. */
  write(entries: readonly CacheEntry[]): Promise<void> {
    const next = this.#writing.then(() => this.#write(entries))
    this.#writing = next.catch(() => undefined)
    return next
  }

  async #find(key: string, index: LoadedIndex | null): Promise<CacheEntry | null> {
    const row = index?.rows.get(key)
    if (row === undefined) return null
    const found = await this.#store.reader.document(SPACE, slotKey(row.slot))
    const entry = found === null ? null : readJson(Entry, found.value)
    // Another node may have given the slot to another key since the index was read.
    return entry?.ok && entry.value.key === key ? entry.value : null
  }

  async #write(entries: readonly CacheEntry[]): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const index = await this.#load(attempt === ATTEMPTS)
      if (!(await this.#commit(this.#plan(index, entries)))) continue
      this.#index = { ...index, version: index.version + 1 }
      this.#used.clear()
      return
    }
    throw new ServiceError('state_conflict', 'the cached readings are being written by other nodes')
  }

  /** Changes the index in memory and says what that means for the store. */
  #plan(index: LoadedIndex, entries: readonly CacheEntry[]): DocumentWrite[] {
    const { rows, versions } = index
    for (const key of this.#used) moveToEnd(rows, key)
    const texts = new Map<string, string>()
    for (const { key, at, value } of entries) {
      const text = JSON.stringify({ key, at, value })
      const bytes = Buffer.byteLength(text)
      const before = rows.get(key)
      if (bytes > MAX_ENTRY_BYTES || this.#isNewer(before, at)) continue
      texts.set(key, text)
      rows.delete(key)
      rows.set(key, { key, slot: before?.slot ?? -1, bytes, at })
    }
    const freed = this.#evict(rows)
    const taken = new Set([...rows.values()].map(({ slot }) => slot))
    let free = 0
    for (const row of rows.values()) {
      if (row.slot !== -1) continue
      while (taken.has(free)) free += 1
      row.slot = free
      taken.add(free)
    }
    const slots = new Map<number, string>()
    for (const slot of freed) slots.set(slot, '{}')
    for (const [key, text] of texts) if (rows.has(key)) slots.set(rows.get(key)!.slot, text)
    const writes = [...slots].map(([slot, value]) => this.#slotWrite(versions, slot, value))
    const value = JSON.stringify({ schema: 'orch.outbound-cache/v1', rows: [...rows.values()], versions })
    return [...writes, { ...this.#common(), key: INDEX, expect: index.version, value }]
  }

  /** A time of the future says nothing: whoever wrote it had a clock that was wrong. */
  #isNewer(row: Static<typeof Row> | undefined, at: number): boolean {
    return row !== undefined && row.at > at && row.at <= this.#clock.now() + SKEW_MS
  }

  #slotWrite(versions: number[], slot: number, value: string): DocumentWrite {
    while (versions.length <= slot) versions.push(0)
    const expect = versions[slot]!
    versions[slot] = expect + 1
    return { ...this.#common(), key: slotKey(slot), expect, value }
  }

  #common(): Omit<DocumentWrite, 'key' | 'expect' | 'value'> {
    return { space: SPACE, owner: OWNER, state: 'CACHED', rank: this.#clock.now() }
  }

  /** The slots of those that were used longest ago, as long as there are too many of them. */
  #evict(rows: LoadedIndex['rows']): number[] {
    const freed: number[] = []
    let bytes = [...rows.values()].reduce((sum, row) => sum + row.bytes, 0)
    for (const row of [...rows.values()]) {
      if (rows.size <= this.#limits.entries && bytes <= this.#limits.bytes) break
      rows.delete(row.key)
      bytes -= row.bytes
      if (row.slot !== -1) freed.push(row.slot)
    }
    return freed
  }

  async #commit(writes: readonly DocumentWrite[]): Promise<boolean> {
    try {
      await this.#store.writeDocuments(writes)
      return true
    } catch (error) {
      this.#index = null
      if (error instanceof ServiceError && error.code === 'state_conflict') return false
      throw error
    }
  }

  /** `rebuild`: the index is not believed, only what lies in the slots. */
  async #load(rebuild = false): Promise<LoadedIndex> {
    const found = await this.#store.reader.document(SPACE, INDEX)
    const index = found === null || rebuild ? null : readJson(Index, found.value)
    const { rows, versions } = index?.ok
      ? index.value
      : { rows: [], versions: found === null ? [] : await this.#slotVersions() }
    this.#index = { version: found?.version ?? 0, rows: new Map(rows.map((row) => [row.key, row])), versions }
    return this.#index
  }

  async #slotVersions(): Promise<number[]> {
    const slots = Array.from({ length: this.#limits.entries }, (_, slot) => slotKey(slot))
    return Promise.all(slots.map(async (key) => (await this.#store.reader.document(SPACE, key))?.version ?? 0))
  }
}

const slotKey = (slot: number): string => documentKey(SPACE, 'slot', String(slot))

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}
