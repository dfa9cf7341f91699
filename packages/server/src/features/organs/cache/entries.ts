/** The entries of a partition's cache in the document store. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { collection, partitionHead } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { Nullable } from '../../../domain/wire.ts'
import type { Ledger } from '../../../ports.ts'

export const MAX_ENTRIES = 10_000
/** Of all entries of a partition as an index holds them: prompts of many tokens leave room for fewer. */
const MAX_BYTES = 448 * 1024 * 1024
/** Entries that leave in one commit. */
const MAX_EVICTED = 1000
const MAX_LOGGED = 128
/** Entries that are read at a time. */
const PAGE_ROWS = 32
const ENTRY_SPACE = 'organ.n19.entry'

export const StoredEntry = Type.Object({
  salt: Type.String(),
  blocks: Type.Array(Type.String()),
  tokens: Type.Integer(),
  /** Null where only the blocks are kept. */
  text: Nullable(Type.String()),
  value: Nullable(Type.String()),
  /** Milliseconds since the epoch; null for ever. */
  expires: Nullable(Type.Number()),
})
export type StoredEntry = Static<typeof StoredEntry>

/** About what an entry takes in an index: its blocks, and a vector that has four times its letters at most. */
export const indexedBytes = ({ blocks, text }: Pick<StoredEntry, 'blocks' | 'text'>): number =>
  400 + blocks.length * 100 + Math.min(4096, 3 * (text?.length ?? 0)) * 6

const Summary = Type.Object({
  entries: Type.Integer(),
  bytes: Type.Optional(Type.Integer()),
  /** The newest evictions, so that indexes can follow them. */
  evicted: Type.Array(Type.Object({ at: Type.Integer(), key: Type.String() })),
  /** Evictions up to this change are no longer listed. */
  forgotten: Type.Integer(),
  sha256: Type.String(),
})

const heads = partitionHead('organ.n19', Summary)

/** Ranked by the change that used them last: the first in the order is the one to go. */
const entries = (change: number) =>
  collection({
    space: ENTRY_SPACE,
    key: ({ key }: { partition: string; key: string }) => key,
    owner: ({ partition }) => partition,
    rank: () => change,
    schema: StoredEntry,
  })

/** The partition is in the key, so that what another tenant has is never even looked at. */
export const entryKey = (partition: string, salt: string, text: string): string =>
  documentKey(ENTRY_SPACE, partition, salt, text)

type Reader = Ledger['reader']

export const readEntry = (reader: Reader, key: string) => entries(0).get(reader, { partition: '', key })

export async function readSummary(reader: Reader, partition: string) {
  const stored = await heads.get(reader, partition)
  const { entries = 0, bytes = 0, evicted = [], forgotten = 0, sha256 = sha256Hex('') } = stored?.value ?? {}
  return { stored, change: stored?.row.version ?? 0, entries, bytes, evicted, forgotten, sha256 }
}
type Read = Awaited<ReturnType<typeof readSummary>>

/** What an index of the entries is made of. */
export const sourceOf = (partition: string, { change, forgotten, evicted }: Read, now: number) => ({
  filter: { space: ENTRY_SPACE, owner: partition },
  ...{ revision: change, purged: forgotten, pageRows: PAGE_ROWS, now },
  // What was put again since is among what was written since.
  removedSince: (since: number) => evicted.filter(({ at }) => at > since).map(({ key }) => key),
})

/** The writes that put an entry in its place as the one used last, and evict what was not used for longest. */
export async function writeEntry(
  reader: Reader,
  partition: string,
  before: Read,
  key: string,
  entry: StoredEntry,
  capacity: number,
  now: number,
) {
  const old = await entries(0).get(reader, { partition, key })
  let count = before.entries + (old === null ? 1 : 0)
  let bytes = before.bytes + indexedBytes(entry) - (old === null ? 0 : indexedBytes(old.value))
  const isOver = () => count > capacity || bytes > MAX_BYTES
  const gone: NonNullable<typeof old>[] = []
  if (isOver())
    for await (const one of entries(0).each(reader, { owner: partition, order: 'asc', limit: PAGE_ROWS })) {
      if (!isOver() || gone.length === MAX_EVICTED) break
      if (one.row.key === key) continue
      gone.push(one)
      count -= 1
      bytes -= indexedBytes(one.value)
    }
  const at = before.change + 1
  const keys = gone.map(({ row }) => row.key)
  const listed = [...before.evicted, ...keys.map((one) => ({ at, key: one }))]
  const after = {
    ...{ entries: count, bytes, evicted: listed.slice(-MAX_LOGGED) },
    forgotten: listed.at(-MAX_LOGGED - 1)?.at ?? before.forgotten,
    sha256: sha256Hex(canonicalBytes([before.sha256, key, entry.value, keys])),
  }
  return {
    documents: [
      heads.write(partition, before.stored, after, now),
      entries(at).write({ partition, key }, old, entry, now),
      ...gone.map((one) => entries(0).removal(one)),
    ],
    state: { before_sha256: before.sha256, after_sha256: after.sha256 },
    ...{ entries: count, evicted: gone.length },
  }
}
