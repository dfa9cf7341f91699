/** A store of documents in a map, which compares and sets as the real ones do: for many ops in little time. */
import { ServiceError } from '../../src/errors.ts'
import type { DocumentFilter, DocumentQuery, DocumentRow, DocumentWrite } from '../../src/ledger/contract.ts'
import type { Ledger } from '../../src/ports.ts'

type MemoryStore = Pick<Ledger, 'reader' | 'writeDocuments' | 'state'> & { rows: Map<string, DocumentRow> }

export function storeInMemory(): MemoryStore {
  const rows = new Map<string, DocumentRow>()
  const versions = new Map<string, number>()
  const at = ({ space, key }: { space: string; key: string }) => `${space}/${key}`
  const writeDocuments = async (writes: readonly DocumentWrite[]) => {
    if (writes.some((write) => (rows.get(at(write))?.version ?? 0) !== write.expect))
      throw new ServiceError('state_conflict', 'another writer was faster')
    for (const { expect: _, value, ...write } of writes) {
      const version = (versions.get(at(write)) ?? 0) + 1
      versions.set(at(write), version)
      if (value === null) rows.delete(at(write))
      else rows.set(at(write), { ...write, value, version, nodeIndex: null })
    }
  }
  const matching = ({ space, owner, state, upTo }: DocumentFilter) =>
    [...rows.values()].filter(
      (row) =>
        row.space === space &&
        (owner === undefined || row.owner === owner) &&
        (state === undefined || row.state === state) &&
        (upTo === undefined || row.rank <= upTo),
    )
  const compare = (a: Pick<DocumentRow, 'rank' | 'key'>, b: Pick<DocumentRow, 'rank' | 'key'>) =>
    a.rank - b.rank || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  const reader = {
    document: async (space: string, key: string) => rows.get(at({ space, key })) ?? null,
    countDocuments: async (filter: DocumentFilter, atMost = 10_001) => Math.min(atMost, matching(filter).length),
    async documents({ order, after, limit, ...filter }: DocumentQuery) {
      const sign = order === 'asc' ? 1 : -1
      return matching(filter)
        .filter((row) => after === undefined || sign * compare(row, after) > 0)
        .sort((a, b) => sign * compare(a, b))
        .slice(0, limit)
    },
  }
  const state = () => ({ durability: 'EPHEMERAL' })
  return { rows, writeDocuments, reader: reader as never, state: state as never }
}
