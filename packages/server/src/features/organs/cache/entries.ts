/** The entries of a partition's cache in the document store, and what is known of them in memory. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { LRUCache } from 'lru-cache'
import Type, { type Static } from 'typebox'
import { collection } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import type { DocumentWrite } from '../../../ledger/contract.ts'
import type { Ledger } from '../../../ports.ts'
import { KnownEntries } from './known-entries.ts'

export const MAX_ENTRIES = 10_000
/** Entries that leave in one commit. */
const MAX_EVICTED = 1000
const MAX_LOGGED = 128
const PAGE = 200
const MAX_KNOWN_BYTES = 128 * 1024 * 1024

const StoredEntry = Type.Object({
  salt: Type.String(),
  blocks: Type.Array(Type.String()),
  tokens: Type.Integer(),
  /** Null where only the blocks are kept. */
  text: Type.Union([Type.String(), Type.Null()]),
  value: Type.Union([Type.String(), Type.Null()]),
  expires: Type.Union([Type.Number(), Type.Null()]),
})
type StoredEntry = Static<typeof StoredEntry>

const Summary = Type.Object({
  entries: Type.Integer(),
  /** The newest evictions, so that other memories of this cache can follow them. */
  evicted: Type.Array(Type.Object({ at: Type.Integer(), key: Type.String() })),
  /** Evictions up to this change are no longer listed. */
  forgotten: Type.Integer(),
  sha256: Type.String(),
})

const heads = collection({
  space: 'organ.n19',
  key: (partition: string) => documentKey('organ.n19', partition),
  owner: (partition) => partition,
  rank: (_value, now) => now,
  schema: Summary,
})

/** Ranked by the change that used them last: the first in the order is the one to go. */
const entries = (change: number) =>
  collection({
    space: 'organ.n19.entry',
    key: ({ key }: { partition: string; key: string }) => key,
    owner: ({ partition }) => partition,
    rank: () => change,
    schema: StoredEntry,
  })

/** The partition is in the key, so that what another tenant has is never even looked at. */
export const entryKey = (partition: string, salt: string, text: string): string =>
  documentKey('organ.n19.entry', partition, salt, text)

type Reader = Ledger['reader']
export const EMPTY_SHA256 = sha256Hex('')

export const readEntry = (reader: Reader, key: string) => entries(0).get(reader, { partition: '', key })

export async function readSummary(reader: Reader, partition: string) {
  const stored = await heads.get(reader, partition)
  return { stored, value: stored?.value ?? null, change: stored?.row.version ?? 0 }
}
type Read = Awaited<ReturnType<typeof readSummary>>

/** The writes that put an entry in its place as the one used last, and evict what was not used for longest. */
export async function writeEntry(
  reader: Reader,
  partition: string,
  { stored, value: before, change }: Read,
  key: string,
  entry: StoredEntry,
  capacity: number,
  now: number,
) {
  const old = await entries(0).get(reader, { partition, key })
  const count = (before?.entries ?? 0) + (old === null ? 1 : 0)
  const over = Math.min(Math.max(0, count - capacity), MAX_EVICTED)
  const oldest = over === 0 ? [] : await entries(0).list(reader, { owner: partition, order: 'asc', limit: over + 1 })
  const gone = oldest.filter(({ row }) => row.key !== key).slice(0, over)
  const at = change + 1
  const listed = [...(before?.evicted ?? []), ...gone.map(({ row }) => ({ at, key: row.key }))]
  const evicted = listed.slice(-MAX_LOGGED)
  const before_sha256 = before?.sha256 ?? EMPTY_SHA256
  const after = {
    entries: count - gone.length,
    evicted,
    forgotten: listed.length > MAX_LOGGED ? listed.at(-MAX_LOGGED - 1)!.at : (before?.forgotten ?? 0),
    sha256: sha256Hex(canonicalBytes([before_sha256, key, entry.value, gone.map(({ row }) => row.key)])),
  }
  const documents: DocumentWrite[] = [
    heads.write(partition, stored, after, now),
    entries(at).write({ partition, key }, old, entry, now),
    ...gone.map((one) => entries(0).removal(one)),
  ]
  return {
    documents,
    state: { before_sha256, after_sha256: after.sha256 },
    entries: after.entries,
    evicted: gone.length,
  }
}

/** What is known of the entries of each partition, brought up to date before each use. */
export class KnownCaches {
  readonly #reader: Reader
  readonly #known = new LRUCache<string, { entries: KnownEntries; change: number }>({
    maxSize: MAX_KNOWN_BYTES,
    sizeCalculation: ({ entries: { size } }) => size + 1000,
  })
  readonly #loading = new Map<string, Promise<KnownEntries>>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async current(partition: string, read: Read): Promise<KnownEntries> {
    const known = this.#known.get(partition)
    if (known !== undefined && known.change >= read.change) return known.entries
    const loading = this.#loading.get(partition)
    if (loading !== undefined) return loading.then(() => this.current(partition, read))
    const load = this.#load(partition, read).finally(() => this.#loading.delete(partition))
    this.#loading.set(partition, load)
    return load
  }

  async #load(partition: string, { value, change }: Read): Promise<KnownEntries> {
    const known = this.#known.get(partition)
    const usable = known !== undefined && known.change >= (value?.forgotten ?? 0)
    const since = usable ? known.change : -1
    const all = usable ? known.entries : new KnownEntries()
    let after: { rank: number; key: string } | undefined
    for (let more = true; more; ) {
      const query = { owner: partition, order: 'desc', limit: PAGE, ...(after && { after }) } as const
      const page = await entries(0).list(this.#reader, query)
      const fresh = page.filter(({ row }) => row.rank > since)
      for (const { row, value: entry } of fresh) all.add({ key: row.key, ...entry })
      more = fresh.length === PAGE
      if (more) after = { rank: page.at(-1)!.row.rank, key: page.at(-1)!.row.key }
    }
    // An entry that was evicted and put again is among the stored ones, and newer than its eviction.
    if (usable)
      for (const { at, key } of value?.evicted ?? [])
        if (at > since && (await readEntry(this.#reader, key)) === null) all.remove(key)
    this.#known.set(partition, { entries: all, change })
    return all
  }
}
