/** Reads of the SQLite ledger over a connection of their own: in WAL mode a reader never waits for the writer. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CheckpointRow, LedgerReader, Row } from '../../contract.ts'
import { signatureState } from '../../types.ts'
import { assertSameFiles, type OwnFile } from '../own-files.ts'
import { answerOf, answerRowOf, bytesOf, chainOf, hexOf, keyOf, storedHeadOf } from '../stored-rows.ts'
import { sqliteSideWriteReads } from './side-writes.ts'
import { LEDGER_FILE } from './store.ts'

/** A row that lies beyond the head was put there past the ledger, and is not served. The plus keeps that comparison from
 *  choosing the index. */
const ROW = `SELECT r.node_index, c.ns, c.chain, r.seq, r.prev, r.digest, r.lake, r.body, r.sig, k.keyid, k.kind
  FROM receipts r JOIN chains c ON c.id = r.chain_id LEFT JOIN keys k ON k.id = r.key_id
  WHERE +r.node_index < (SELECT size FROM head WHERE id = 1)`

interface RawRow {
  node_index: number
  ns: string
  chain: string
  seq: number
  prev: Uint8Array
  digest: Uint8Array
  lake: Uint8Array
  body: Uint8Array
  sig: Uint8Array | null
  keyid: string | null
  kind: Row['keyKind']
}

export const rowOf = (raw: unknown): Row => {
  const row = raw as RawRow
  return {
    nodeIndex: row.node_index,
    ns: row.ns,
    chain: row.chain,
    seq: row.seq,
    prev: hexOf(row.prev),
    digest: hexOf(row.digest),
    lake: hexOf(row.lake),
    body: row.body,
    signature: row.sig,
    keyid: row.sig === null ? null : row.keyid,
    keyKind: row.sig === null ? null : row.kind,
    signatureState: signatureState(row.sig !== null, row.keyid !== null),
  }
}

const orNull = (raw: unknown): Row | null => (raw === undefined ? null : rowOf(raw))

/** `files` are those that the writer has open, where there is one. A file that was put in their place meanwhile is not
 *  read; once open, the handle stays on the file it was opened on, whatever becomes of its name. */
export function openSqliteReader(folder: string, files: readonly OwnFile[] = []): LedgerReader {
  const db = new DatabaseSync(join(folder, LEDGER_FILE), { readOnly: true })
  try {
    const reader = sqliteReader(db, true)
    assertSameFiles(folder, files)
    return reader
  } catch (error) {
    db.close()
    throw error
  }
}

/** `owned` connections are closed with the reader; an in-memory ledger lends the writer's. */
export function sqliteReader(db: DatabaseSync, owned = false): LedgerReader {
  db.exec('PRAGMA busy_timeout = 5000')
  const sql = {
    head: db.prepare('SELECT size, frontier, chains FROM head WHERE id = 1'),
    byIndex: db.prepare(`${ROW} AND r.node_index = ?`),
    byDigest: db.prepare(`${ROW} AND r.digest = ?`),
    bySeq: db.prepare(`${ROW} AND r.chain_id = (SELECT id FROM chains WHERE ns = ? AND chain = ?) AND r.seq = ?`),
    range: db.prepare(`${ROW} AND r.node_index >= ? ORDER BY r.node_index LIMIT ?`),
    chainRange: db.prepare(
      `${ROW} AND r.chain_id = (SELECT id FROM chains WHERE ns = ? AND chain = ?) AND r.seq >= ? ORDER BY r.seq LIMIT ?`,
    ),
    chains: db.prepare('SELECT id, ns, chain, depth, head, head_index, lake FROM chains ORDER BY id'),
    tile: db.prepare(
      'SELECT data FROM tiles WHERE level = ?1 AND idx = ?2 UNION ALL SELECT data FROM edges WHERE level = ?1 AND idx = ?2 AND length(data) > 0 LIMIT 1',
    ),
    keys: db.prepare('SELECT keyid, spki, kind, from_index, to_index, from_ts, to_ts FROM keys ORDER BY id'),
    checkpoint: db.prepare('SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1'),
    checkpointFrom: db.prepare('SELECT size, note FROM checkpoints WHERE size >= ? ORDER BY size LIMIT 1'),
    meta: db.prepare('SELECT value FROM meta WHERE name = ?'),
    answer: db.prepare('SELECT request, node_index, tree_size, answer FROM answers WHERE key = ?'),
    answersAfter: db.prepare(
      'SELECT key, request, node_index, tree_size, answer, at_ms FROM answers WHERE key > ? ORDER BY key LIMIT ?',
    ),
  }
  return {
    async head() {
      const { size, hashes, chains } = storedHeadOf(sql.head.get())
      return { size, frontier: hashes, chains }
    },
    byIndex: async (index) => orNull(sql.byIndex.get(index)),
    byDigest: async (digest) => orNull(sql.byDigest.get(bytesOf(digest))),
    bySeq: async (ns, chain, seq) => orNull(sql.bySeq.get(ns, chain, seq)),
    range: async (from, limit) => sql.range.all(from, limit).map(rowOf),
    chainRange: async (ns, chain, fromSeq, limit) => sql.chainRange.all(ns, chain, fromSeq, limit).map(rowOf),
    chains: async () => sql.chains.all().flatMap((row) => chainOf(row) ?? []),
    tile: async (level, index) => (sql.tile.get(level, index) as { data: Uint8Array } | undefined)?.data ?? null,
    keys: async () => sql.keys.all().map(keyOf),
    checkpoint: async () => (sql.checkpoint.get() as unknown as CheckpointRow | undefined) ?? null,
    checkpointFrom: async (size) => (sql.checkpointFrom.get(size) as unknown as CheckpointRow | undefined) ?? null,
    meta: async (name) => (sql.meta.get(name) as { value: string } | undefined)?.value ?? null,
    answer: async (key) => answerOf(sql.answer.get(key)),
    answersAfter: async (key, limit) => sql.answersAfter.all(key ?? new Uint8Array(), limit).map(answerRowOf),
    time: async () => null,
    ...sqliteSideWriteReads(db),
    async close() {
      if (owned) db.close()
    },
  }
}
