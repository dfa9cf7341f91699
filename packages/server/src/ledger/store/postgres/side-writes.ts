/** Documents and counters in PostgreSQL. They are read and written under the lock of the head, so what one node finds no
 *  other node moves. */
import type { DocumentId } from '../../contract.ts'
import type { CounterChange, DocumentChange, StoredVersion } from '../../side-writes.ts'
import { type Dialect, indexesOf, toStoredVersion } from '../side-writes-sql.ts'
import { bytesOf, hexOf } from '../stored-rows.ts'

/** Documents are changed in place by design; what of them is append-only has guards of its own. */
export const DOCUMENTS_SCHEMA = `
CREATE TABLE orch.documents (
  space text COLLATE "C" NOT NULL, key bytea NOT NULL CHECK (octet_length(key) = 32),
  version bigint NOT NULL CHECK (version > 0), owner text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
  rank bigint NOT NULL, value text, node_index bigint, PRIMARY KEY (space, key)
);
${indexesOf('orch.documents')}
`

export const COUNTERS_SCHEMA = `
CREATE TABLE orch.counters (
  space text COLLATE "C" NOT NULL, key bytea NOT NULL CHECK (octet_length(key) = 32), owner text COLLATE "C" NOT NULL,
  value bigint NOT NULL CHECK (value >= 0), PRIMARY KEY (space, key)
);
`

export const SIDE_WRITE_SQL = {
  documentVersions: `SELECT space, key, version, value IS NOT NULL AS present, node_index AS "nodeIndex"
    FROM orch.documents
    WHERE (space, key) IN (SELECT * FROM unnest($1::text[], $2::bytea[]))`,
  /** One statement for many: a document at another version than it should be at is missing from the count. */
  writeDocuments: `WITH new AS (
      SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[],
        $8::bigint[], $9::bigint[]) AS n (space, key, version, owner, state, rank, value, node_index, replaces)
    ), inserted AS (
      INSERT INTO orch.documents (space, key, version, owner, state, rank, value, node_index)
      SELECT space, key, version, owner, state, rank, value, node_index FROM new WHERE replaces = 0 RETURNING 1
    ), updated AS (
      UPDATE orch.documents d SET version = new.version, owner = new.owner, state = new.state, rank = new.rank,
        value = new.value, node_index = new.node_index
      FROM new WHERE d.space = new.space AND d.key = new.key AND d.version = new.replaces RETURNING 1
    )
    SELECT (SELECT count(*) FROM inserted) + (SELECT count(*) FROM updated) AS count`,
  counterValues: `SELECT space, key, value FROM orch.counters
    WHERE (space, key) IN (SELECT * FROM unnest($1::text[], $2::bytea[]))`,
  /** One statement for many: a counter at another value than it should be at is missing from the count. */
  writeCounters: `WITH new AS (
      SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::bigint[], $5::bigint[])
        AS n (space, key, owner, value, replaces)
    ), inserted AS (
      INSERT INTO orch.counters (space, key, owner, value)
      SELECT space, key, owner, value FROM new WHERE replaces IS NULL RETURNING 1
    ), updated AS (
      UPDATE orch.counters c SET value = new.value
      FROM new WHERE c.space = new.space AND c.key = new.key AND c.value = new.replaces RETURNING 1
    )
    SELECT (SELECT count(*) FROM inserted) + (SELECT count(*) FROM updated) AS count`,
} as const

/** Rows as `unnest` takes them, one list per column. */
export const columns = <T>(rows: readonly T[], ...names: (keyof T)[]): unknown[][] =>
  names.map((name) => rows.map((row) => row[name]))
export const hexColumns = <T>(rows: readonly T[], ...names: (keyof T)[]): Buffer[][] =>
  names.map((name) => rows.map((row) => bytesOf(row[name] as string)))

/** A message to the server stays well below what it takes, however large the documents are. */
const MESSAGE_CHARS = 8 * 1_048_576

type Ask = (name: keyof typeof SIDE_WRITE_SQL, ...values: unknown[]) => Promise<Record<string, unknown>[]>

/** The writing side, on the store's own session. */
export function postgresSideWrites(ask: Ask) {
  const find = async (name: 'documentVersions' | 'counterValues', ids: readonly DocumentId[]) => {
    const asked = await ask(name, ...columns(ids, 'space'), ...hexColumns(ids, 'key'))
    const found = new Map(asked.map((row) => [`${row.space}:${hexOf(row.key)}`, row]))
    return ids.map(({ space, key }) => found.get(`${space}:${key}`))
  }
  return {
    documentVersions: async (ids: readonly DocumentId[]): Promise<(StoredVersion | null)[]> =>
      (await find('documentVersions', ids)).map(toStoredVersion),
    async writeDocuments(changes: readonly DocumentChange[]): Promise<void> {
      for (const part of messagesOf(changes)) {
        const [row] = await ask('writeDocuments', ...columnsOf(part))
        if (row?.count !== part.length) throw new Error('a document is not at the version the batch found it at')
      }
    },
    counterValues: async (ids: readonly DocumentId[]): Promise<(number | null)[]> =>
      (await find('counterValues', ids)).map((row) => (row?.value as number | undefined) ?? null),
    async writeCounters(changes: readonly CounterChange[]): Promise<void> {
      if (changes.length === 0) return
      const [spaces, keys] = [columns(changes, 'space'), hexColumns(changes, 'key')]
      const [row] = await ask('writeCounters', ...spaces, ...keys, ...columns(changes, 'owner', 'value', 'from'))
      if (row?.count !== changes.length) throw new Error('a counter is not at the value the batch found it at')
    },
  }
}

function messagesOf(changes: readonly DocumentChange[]): DocumentChange[][] {
  const parts: DocumentChange[][] = []
  let room = 0
  for (const change of changes) {
    const size = change.value?.length ?? 0
    if (parts.length === 0 || room < size) {
      parts.push([])
      room = MESSAGE_CHARS
    }
    parts.at(-1)!.push(change)
    room -= size
  }
  return parts
}

const columnsOf = (changes: readonly DocumentChange[]): unknown[] => [
  ...columns(changes, 'space'),
  ...hexColumns(changes, 'key'),
  ...columns(changes, 'version', 'owner', 'state', 'rank', 'value', 'nodeIndex', 'from'),
]

export const POSTGRES: Dialect = {
  prefix: 'orch.',
  mark: (n) => `$${n}`,
  countersExist: `SELECT 1 WHERE to_regclass('orch.counters') IS NOT NULL`,
}
