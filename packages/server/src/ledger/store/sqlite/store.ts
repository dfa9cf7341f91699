/** The ledger in one SQLite file, written by this thread alone. */

import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { AnswerRow, CheckpointRow, KeyRow, StoreModes } from '../../contract.ts'
import { SQLITE_STEP_GUARDS } from '../../step-guards.ts'
import type { Head } from '../../types.ts'
import { ledgerTexts } from '../ledger-sql.ts'
import { assertSameFiles, filesIn, type OwnFile } from '../own-files.ts'
import type { Batch, LedgerStore } from '../store.ts'
import { answerOf, bytesOf, chainOf, edgesOf, headRowOf, packHashes } from '../stored-rows.ts'
import { COUNTERS_SCHEMA, DOCUMENTS_SCHEMA, prepareAll, SQLITE, sqliteSideWrites } from './side-writes.ts'

export const LEDGER_FILE = 'ledger.sqlite'
const FENCE_FILE = 'in-use.sqlite'
/** What a commit goes through, and the lock that keeps a second process out: with another file in its place, one starts. */
const OPEN_FILES = [LEDGER_FILE, `${LEDGER_FILE}-wal`, `${LEDGER_FILE}-shm`, FENCE_FILE]
/** Everything a store leaves in its folder. */
export const LEDGER_FILES = [LEDGER_FILE, FENCE_FILE].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])

const appendOnly = (table: string): string => `
CREATE TRIGGER IF NOT EXISTS ${table}_never_change BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} are append-only'); END;
CREATE TRIGGER IF NOT EXISTS ${table}_never_leave BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} are append-only'); END;`

/** A receipt is stored behind the one whose digest it names, so that two cannot follow the same one. An index over `prev`
 *  would refuse the second one too; every row would be written into one more page in the midst of the file for it, which on
 *  1,000,000 receipts takes 14 of 52 µs of processor time a row and 40 % of the time until it is durable. */
const FOLLOWS = `
CREATE TRIGGER IF NOT EXISTS receipts_follow BEFORE INSERT ON receipts
WHEN NEW.prev IS NOT CASE NEW.seq WHEN 0 THEN zeroblob(32)
  ELSE (SELECT digest FROM receipts WHERE chain_id = NEW.chain_id AND seq = NEW.seq - 1) END
BEGIN SELECT RAISE(ABORT, 'receipts follow the one before them, and no other'); END;`

/** A place is taken once, a receipt has one successor, a digest occurs once: a fork cannot be stored. Triggers refuse
 *  every change and removal, also to whoever opens the file with another program and means no harm. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS chains (
  id INTEGER PRIMARY KEY, ns TEXT NOT NULL, chain TEXT NOT NULL, depth INTEGER NOT NULL, head BLOB NOT NULL,
  head_index INTEGER NOT NULL, lake BLOB NOT NULL, UNIQUE (ns, chain)
) STRICT;
CREATE TABLE IF NOT EXISTS receipts (
  node_index INTEGER PRIMARY KEY, chain_id INTEGER NOT NULL, seq INTEGER NOT NULL, prev BLOB NOT NULL,
  digest BLOB NOT NULL UNIQUE, lake BLOB NOT NULL, body BLOB NOT NULL, sig BLOB, key_id INTEGER,
  UNIQUE (chain_id, seq)
) STRICT;
CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, frontier BLOB NOT NULL, chains INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS tiles (level INTEGER NOT NULL, idx INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (level, idx)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS edges (level INTEGER PRIMARY KEY, idx INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS keys (
  id INTEGER PRIMARY KEY, keyid TEXT NOT NULL UNIQUE, spki BLOB NOT NULL, kind TEXT NOT NULL,
  from_index INTEGER NOT NULL, to_index INTEGER, from_ts TEXT NOT NULL, to_ts TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS answers (
  key BLOB PRIMARY KEY, request BLOB NOT NULL, node_index INTEGER NOT NULL, tree_size INTEGER NOT NULL,
  answer TEXT NOT NULL, at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (at_ms);
CREATE TABLE IF NOT EXISTS checkpoints (size INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
${['receipts', 'tiles', 'checkpoints'].map(appendOnly).join('')}${FOLLOWS}
INSERT OR IGNORE INTO head (id, size, frontier, chains) SELECT 1, 0, x'', 0 WHERE NOT EXISTS (SELECT 1 FROM receipts);
`

const READS = {
  ...ledgerTexts(SQLITE),
  edges: 'SELECT idx, data FROM edges ORDER BY level',
  keyNumber: 'SELECT id FROM keys WHERE keyid = ?',
} as const

const WRITES = {
  receipt:
    'INSERT INTO receipts (node_index, chain_id, seq, prev, digest, lake, body, sig, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  chain:
    'INSERT INTO chains (id, ns, chain, depth, head, head_index, lake) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET depth = excluded.depth, head = excluded.head, head_index = excluded.head_index, lake = excluded.lake',
  head: 'UPDATE head SET size = ?, frontier = ?, chains = ? WHERE id = 1',
  edge: 'INSERT OR REPLACE INTO edges (level, idx, data) VALUES (?, ?, ?)',
  tile: 'INSERT INTO tiles (level, idx, data) VALUES (?, ?, ?)',
  answer: 'INSERT INTO answers (key, request, node_index, tree_size, answer, at_ms) VALUES (?, ?, ?, ?, ?, ?)',
  key: 'INSERT INTO keys (keyid, spki, kind, from_index, to_index, from_ts, to_ts) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (keyid) DO UPDATE SET kind = excluded.kind, to_index = excluded.to_index, to_ts = excluded.to_ts',
  checkpoint: 'INSERT INTO checkpoints (size, note) VALUES (?, ?) ON CONFLICT (size) DO NOTHING',
  meta: 'INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)',
  forget: 'DELETE FROM answers WHERE at_ms < ?',
} as const

type Statements = Record<keyof typeof WRITES, StatementSync> & { read: Record<keyof typeof READS, StatementSync> }

/** `folder` null keeps everything in memory: the ledger is then EPHEMERAL and says so. */
export function sqliteStore(folder: string | null): LedgerStore & { database(): DatabaseSync } {
  let db: DatabaseSync
  let fence: DatabaseSync | null = null
  let sql: Statements
  let files: OwnFile[] = []
  const assertOwnFiles = () => {
    if (folder !== null) assertSameFiles(folder, files)
  }
  /** Before, so that nothing goes into a file that is lost; and after, because it may have been taken away in between. What is
   *  written outside a transaction commits by itself, and MUST go through here as well. */
  const committed = <T>(write: () => T): T => {
    assertOwnFiles()
    const result = write()
    assertOwnFiles()
    return result
  }
  let sideWrites: ReturnType<typeof sqliteSideWrites>
  const keyNumbers = new Map<string, number>()
  const keyNumber = (keyid: string): number => {
    const known = keyNumbers.get(keyid)
    if (known !== undefined) return known
    const found = sql.read.keyNumber.get(keyid) as { id: number } | undefined
    if (!found) throw new Error('a receipt was signed by a key that is not in the ring')
    keyNumbers.set(keyid, found.id)
    return found.id
  }
  const putAnswer = ({ key, request, nodeIndex, treeSize, answer, atMs }: AnswerRow) =>
    sql.answer.run(key, request, nodeIndex, treeSize, answer, atMs)
  const writeBatch = ({ placed, signatures, keyid, chains, head, tiles, changedEdges, ...rest }: Batch) => {
    for (const [at, { nodeIndex, chainId, seq, prev, digest, lake, body, unsigned }] of placed.entries()) {
      const hashes = [prev, digest, lake].map(bytesOf)
      const key = keyid === null || unsigned ? null : keyNumber(keyid)
      sql.receipt.run(nodeIndex, chainId, seq, ...hashes, body, signatures[at] ?? null, key)
    }
    for (const { id, ns, chain, depth, head: newest, headIndex, lake } of chains)
      sql.chain.run(id, ns, chain, depth, bytesOf(newest), headIndex, bytesOf(lake))
    for (const tile of tiles) sql.tile.run(tile.level, tile.index, tile.data)
    for (const level of changedEdges)
      sql.edge.run(level, head.edges[level]!.index, packHashes(head.edges[level]!.hashes))
    for (const row of rest.answers) putAnswer({ ...row, treeSize: head.size })
    if (rest.documents !== undefined) sideWrites.writeDocuments(rest.documents)
    if (rest.counters !== undefined) sideWrites.writeCounters(rest.counters)
    sql.head.run(head.size, packHashes(head.frontier.hashes), head.chainCount)
  }
  return {
    database: () => db,
    durability: folder === null ? 'EPHEMERAL' : 'DURABLE',
    exclusive: true,
    async open() {
      if (folder !== null) fence = lockFolder(folder)
      try {
        db = openDatabase(folder)
      } catch (error) {
        fence?.close()
        throw error
      }
      sideWrites = sqliteSideWrites(db)
      sql = { ...prepareAll(db, WRITES), read: prepareAll(db, READS) }
      if (folder !== null) files = filesIn(folder, OPEN_FILES)
    },
    assertOwnFiles,
    files: () => files,
    async lock() {
      // What is locked may be rolled back, so that no commit looks.
      assertOwnFiles()
      db.exec('BEGIN IMMEDIATE')
      return readHead(sql.read)
    },
    begin: async () => db.exec('BEGIN IMMEDIATE'),
    head: async () => readHead(sql.read),
    chain: async (ns, chain) => chainOf(sql.read.chain.get(ns, chain)),
    answers: async (keys) => keys.map((key) => answerOf(sql.read.answer.get(key))),
    documentVersions: async (ids) => sideWrites.documentVersions(ids),
    write: async (batch) => writeBatch(batch),
    writeDocuments: async (changes) => sideWrites.writeDocuments(changes),
    counterValues: async (ids) => sideWrites.counterValues(ids),
    writeCounters: async (changes) => sideWrites.writeCounters(changes),
    async putAnswers(rows) {
      for (const row of rows) putAnswer(row)
    },
    async commit() {
      committed(() => db.exec('COMMIT'))
      // Where a reader is in the way for too long, the next commit tries again.
      if (folder !== null && sideWrites.hasErased() && foldLog(db)) sideWrites.forgotErased()
    },
    async rollback() {
      if (db.isTransaction) db.exec('ROLLBACK')
    },
    modes: async () => modesOf(db),
    // With no cache to keep them in, changed pages go to the write-ahead log at once; a rollback takes them back.
    spill: (on) => db.exec(`PRAGMA cache_size = ${on ? 1 : CACHE_KIB}`),
    keys: async () => sql.read.keys.all().map((row) => ({ ...(row as unknown as KeyRow) })),
    async putKey(key) {
      committed(() => sql.key.run(key.keyid, key.spki, key.kind, key.fromIndex, key.toIndex, key.from, key.to))
    },
    checkpoint: async () => (sql.read.checkpoint.get() as unknown as CheckpointRow | undefined) ?? null,
    async putCheckpoint(row) {
      committed(() => sql.checkpoint.run(row.size, row.note))
    },
    meta: async (name) => (sql.read.meta.get(name) as { value: string } | undefined)?.value ?? null,
    async putMeta(name, value) {
      committed(() => sql.meta.run(name, value))
    },
    forgetAnswers: async (beforeMs) => Number(committed(() => sql.forget.run(beforeMs)).changes),
    async close() {
      if (folder !== null) foldLog(db)
      db.close()
      fence?.close()
    },
  }
}

/** FULL: a commit is on the disk before it is answered. The busy wait is for readers' checkpoints only. What is removed is
 *  overwritten: a document that somebody had forgotten leaves no fragment in a free page. The log is folded by
 *  the reading thread long before it has so many pages; a commit that finds them folds the last ones, and it begins anew. */
const ON_DISK =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA wal_autocheckpoint = 8000; PRAGMA secure_delete = ON'

function openDatabase(folder: string | null): DatabaseSync {
  const file = folder === null ? ':memory:' : join(folder, LEDGER_FILE)
  if (folder !== null) makePrivate(file)
  const db = new DatabaseSync(file)
  try {
    if (folder !== null) db.exec(ON_DISK)
    db.exec(SCHEMA + DOCUMENTS_SCHEMA + SQLITE_STEP_GUARDS + COUNTERS_SCHEMA)
    // A process that ended between a removal and the emptying of the log left the removed text there.
    foldLog(db)
  } catch (error) {
    db.close()
    throw unreadable(error)
  }
  return db
}

/** SQLite makes a file for everybody whom the umask lets in, and its log like the file: so the file is there before, for its
 *  owner alone. Never one that exists: closing any handle of it would drop the locks that this process has on it. */
function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** By the numbers of the pragma. */
const SYNCHRONOUS = ['off', 'normal', 'full', 'extra']

function modesOf(db: DatabaseSync): StoreModes {
  const { journal_mode } = db.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
  const { synchronous } = db.prepare('PRAGMA synchronous').get() as { synchronous: number }
  return { engine: 'sqlite', journal_mode, synchronous: SYNCHRONOUS[synchronous] ?? String(synchronous) }
}

/** SQLite's own default; negative counts KiB and not pages. */
const CACHE_KIB = -2000
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

function unreadable(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: number; message: string }
  if (errcode === undefined || ![SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff)) return error
  return new Error(
    `${LEDGER_FILE} in the data folder cannot be read (${message}); restore it from a copy or set ORCH_DATA to another folder`,
  )
}

/** After a clean stop the one file is the whole ledger, for whoever copies it. False where the disk refuses or a reader is
 *  in the way: what was committed then stays in the write-ahead log, and the next start reads it from there. */
function foldLog(db: DatabaseSync): boolean {
  try {
    const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
    return busy === 0
  } catch {
    return false
  }
}

/** One process per data folder. The lock dies with the process, however it ends. */
export function lockFolder(folder: string): DatabaseSync {
  makePrivate(join(folder, FENCE_FILE))
  const fence = new DatabaseSync(join(folder, FENCE_FILE))
  try {
    fence.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    fence.close()
    if (/locked|busy/i.test((error as Error).message))
      throw new Error('another orch process uses this data folder; stop it or set ORCH_DATA to another folder')
    throw error
  }
  return fence
}

function readHead(read: Statements['read']): Head {
  const { size, hashes, chains } = headRowOf(read.head.get())
  return { size, frontier: { size, hashes }, edges: edgesOf(read.edges.all()), chainCount: chains }
}
