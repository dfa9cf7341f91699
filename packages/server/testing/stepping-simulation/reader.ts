/** Reads of what is durable. */

import { rootOf, TILE_WIDTH } from '@orch/core'
import type { DocumentFilter, DocumentRow, LedgerReader, StoredDocument } from '../../src/ledger/contract.ts'
import { idOf } from '../../src/ledger/side-writes.ts'
import { SIMULATED_NOTE } from './own-note.ts'
import { hexOf, organOf, type Stored } from './stored.ts'

const MAX_COUNTED = 10_001

export function readerOf(stored: Stored): LedgerReader {
  const absent = async (): Promise<never> => {
    throw new Error('nothing of stepping reads this')
  }
  const tiles = tilesOf(stored)
  const chainOf = (ns: string, chain: string) => stored.organs.get(organOf(ns, chain)) ?? []
  return {
    head: async () => ({ size: stored.head.size, frontier: [...stored.head.frontier.hashes] }),
    byIndex: async (index) => stored.rows[index] ?? null,
    byDigest: async (digest) => stored.rows.find((row) => row.digest === digest) ?? null,
    bySeq: async (ns, chain, seq) => chainOf(ns, chain)[seq] ?? null,
    range: async (from, limit) => stored.rows.slice(from, from + limit),
    chainRange: async (ns, chain, from, limit) => chainOf(ns, chain).slice(from, from + limit),
    chains: async () => [...stored.chains.values()],
    tile: async (level, index) => tiles(level, index),
    keys: async () => [],
    checkpoint: async () => null,
    checkpointFrom: async () => null,
    answer: async (key) => stored.answers.get(hexOf(key)) ?? null,
    answersAfter: absent,
    async document(space, key) {
      const found = stored.documentAt({ space, key })
      return found !== null && isThere(found) ? found : null
    },
    async documents({ order, after, limit, ...filter }) {
      const way = order === 'asc' ? 1 : -1
      const rows = matching(stored, filter).sort((a, b) => way * compared(a, b))
      const rest = after === undefined ? rows : rows.filter((row) => way * compared(row, after) > 0)
      return rest.slice(0, limit)
    },
    countDocuments: async (filter, atMost = MAX_COUNTED) => Math.min(atMost, matching(stored, filter).length),
    async countByState(filter) {
      const states = Map.groupBy(matching(stored, filter), ({ state }) => state)
      return Object.fromEntries([...states].map(([state, rows]) => [state, rows.length]))
    },
    documentsAfter: absent,
    counter: async (space, key) => stored.counters.get(idOf({ space, key }))?.value ?? 0,
    counters: async (space, keys) => keys.map((key) => stored.counters.get(idOf({ space, key }))?.value ?? 0),
    countersAfter: absent,
    meta: async (name) => (name === 'ledger_record' ? SIMULATED_NOTE : null),
    time: async () => null,
    close: async () => undefined,
  }
}

/** Nodes of the tree as a tile has them: of each whole subtree below it one hash, computed once. */
function tilesOf(stored: Stored): (level: number, index: number) => Uint8Array {
  const known = new Map<string, Uint8Array>()
  const node = (level: number, index: number): Uint8Array => {
    const name = `${level}/${index}`
    const hash = known.get(name) ?? (level === 0 ? stored.leaves[index]! : rootOf(row(level - 1, index)))
    known.set(name, hash)
    return hash
  }
  const row = (level: number, index: number): Uint8Array[] => {
    const whole = Math.floor(stored.leaves.length / TILE_WIDTH ** level)
    const first = index * TILE_WIDTH
    const count = Math.max(0, Math.min(TILE_WIDTH, whole - first))
    return Array.from({ length: count }, (_, n) => node(level, first + n))
  }
  return (level, index) => Buffer.concat(row(level, index))
}

const isThere = (document: StoredDocument): document is DocumentRow => document.value !== null

const compared = (a: { rank: number; key: string }, b: { rank: number; key: string }): number =>
  a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

function matching(stored: Stored, { space, owner, state, upTo }: DocumentFilter): DocumentRow[] {
  const found: DocumentRow[] = []
  for (const row of stored.spaces.get(space)?.values() ?? [])
    if (
      isThere(row) &&
      (owner === undefined || row.owner === owner) &&
      (state === undefined || row.state === state) &&
      (upTo === undefined || row.rank <= upTo)
    )
      found.push(row)
  return found
}
