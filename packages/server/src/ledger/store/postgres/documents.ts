/** Documents in PostgreSQL. */
import type { DocumentId } from '../../contract.ts'
import type { DocumentChange, Stand } from '../../documents.ts'
import { type Dialect, documentReads, indexesOf, type Question, standOf } from '../documents-sql.ts'
import { bytesOf, hexOf } from '../stored-rows.ts'

/** Changed in place by design; what of them is append-only has guards of its own. */
export const DOCUMENTS_SCHEMA = `
CREATE TABLE orch.documents (
  space text COLLATE "C" NOT NULL, key bytea NOT NULL CHECK (octet_length(key) = 32),
  version bigint NOT NULL CHECK (version > 0), owner text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL,
  rank bigint NOT NULL, value text, node_index bigint, PRIMARY KEY (space, key)
);
${indexesOf('orch.documents')}
`

export const DOCUMENT_SQL = {
  stands: `SELECT space, key, version, value IS NOT NULL AS present, node_index FROM orch.documents
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
} as const

/** A message to the server stays well below what it takes, however large the documents are. */
const MESSAGE_CHARS = 8 * 1_048_576

type Ask = (name: keyof typeof DOCUMENT_SQL, ...values: unknown[]) => Promise<Record<string, unknown>[]>

/** The writing side, on the store’s own session. */
export const postgresDocuments = (ask: Ask) => ({
  async stands(ids: readonly DocumentId[]): Promise<(Stand | null)[]> {
    const keys = ids.map(({ key }) => bytesOf(key))
    const rows = await ask(
      'stands',
      ids.map(({ space }) => space),
      keys,
    )
    const found = new Map(rows.map((row) => [`${row.space}:${hexOf(row.key)}`, row]))
    return ids.map(({ space, key }) => standOf(found.get(`${space}:${key}`)))
  },
  async write(changes: readonly DocumentChange[]): Promise<void> {
    for (const part of partsOf(changes)) {
      const [row] = await ask('writeDocuments', ...columnsOf(part))
      if (row?.count !== part.length) throw new Error('a document is not at the version the batch found it at')
    }
  },
})

function partsOf(changes: readonly DocumentChange[]): DocumentChange[][] {
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
  changes.map(({ space }) => space),
  changes.map(({ key }) => bytesOf(key)),
  changes.map(({ version }) => version),
  changes.map(({ owner }) => owner),
  changes.map(({ state }) => state),
  changes.map(({ rank }) => rank),
  changes.map(({ value }) => value),
  changes.map(({ nodeIndex }) => nodeIndex),
  changes.map(({ from }) => from),
]

export const POSTGRES: Dialect = { table: 'orch.documents', mark: (n) => `$${n}` }

export const postgresDocumentReads = (all: (question: Question) => Promise<unknown[]>) => documentReads(POSTGRES, all)
