/** The tables of the ledger in PostgreSQL, in a schema of their own: every name is written in full, so that no
 *  `search_path` can put another table in the place of one. */
import type pg from 'pg'
import { POSTGRES_STEP_GUARDS, POSTGRES_STEP_TRIGGERS } from '../../step-guards.ts'
import { COUNTERS_SCHEMA, DOCUMENTS_SCHEMA } from './side-writes.ts'

/** The triggers fire ALWAYS, in a replication session as well. */
const appendOnly = (table: string): string => `
CREATE TRIGGER ${table}_never_change BEFORE UPDATE OR DELETE ON orch.${table}
  FOR EACH ROW EXECUTE FUNCTION orch.refuse_change();
CREATE TRIGGER ${table}_never_leave BEFORE TRUNCATE ON orch.${table}
  FOR EACH STATEMENT EXECUTE FUNCTION orch.refuse_change();
ALTER TABLE orch.${table} ENABLE ALWAYS TRIGGER ${table}_never_change;
ALTER TABLE orch.${table} ENABLE ALWAYS TRIGGER ${table}_never_leave;`

/** A place is taken once, a receipt has one successor, a digest occurs once: a fork cannot be stored. Names compare byte by byte, whatever the database's collation. */
const SCHEMA = `
DO $$ BEGIN IF to_regnamespace('orch') IS NULL THEN CREATE SCHEMA orch; END IF; END $$;
CREATE TABLE orch.chains (
  id bigint PRIMARY KEY, ns text COLLATE "C" NOT NULL, chain text COLLATE "C" NOT NULL, depth bigint NOT NULL,
  head bytea NOT NULL, head_index bigint NOT NULL, lake bytea NOT NULL, UNIQUE (ns, chain)
);
CREATE TABLE orch.receipts (
  node_index bigint PRIMARY KEY CHECK (node_index >= 0), chain_id bigint NOT NULL, seq bigint NOT NULL CHECK (seq >= 0),
  prev bytea NOT NULL CHECK (octet_length(prev) = 32), digest bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
  lake bytea NOT NULL CHECK (octet_length(lake) = 32), body bytea NOT NULL, sig bytea, key_id bigint,
  UNIQUE (chain_id, seq), UNIQUE (chain_id, prev),
  CONSTRAINT signed_by_a_key_of_the_ring CHECK (sig IS NULL OR key_id IS NOT NULL)
);
CREATE TABLE orch.head (
  id bigint PRIMARY KEY CHECK (id = 1), size bigint NOT NULL, frontier bytea NOT NULL, chains bigint NOT NULL
);
CREATE TABLE orch.tiles (level bigint, idx bigint, data bytea NOT NULL, PRIMARY KEY (level, idx));
CREATE TABLE orch.edges (level bigint PRIMARY KEY, idx bigint NOT NULL, data bytea NOT NULL);
CREATE TABLE orch.keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, keyid text COLLATE "C" NOT NULL UNIQUE, spki bytea NOT NULL,
  kind text NOT NULL, from_index bigint NOT NULL, to_index bigint, from_ts text NOT NULL, to_ts text
);
CREATE TABLE orch.answers (
  key bytea PRIMARY KEY, request bytea NOT NULL, node_index bigint NOT NULL, tree_size bigint NOT NULL,
  answer text NOT NULL, at_ms bigint NOT NULL
);
CREATE INDEX answers_by_age ON orch.answers (at_ms);
CREATE TABLE orch.checkpoints (size bigint PRIMARY KEY, note text NOT NULL);
CREATE TABLE orch.meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
CREATE FUNCTION orch.refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION '% are append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$;
${appendOnly('receipts')}
${appendOnly('tiles')}
INSERT INTO orch.head (id, size, frontier, chains) VALUES (1, 0, '', 0);
`

/** What was signed stays signed: a second root for a size has no place to stand. The empty table tells a ledger made
 *  before these triggers, which gets them, from one that somebody took them from, which is not opened. */
const CHECKPOINTS_GUARD = `
${appendOnly('checkpoints')}
CREATE TABLE orch.checkpoints_guarded ();
`

const SCHEMA_LOCK = 0x6f726368

/** Each part with the table that shows that it is there; a ledger made before a part existed gets it added. */
const PARTS = [
  { table: 'head', schema: SCHEMA },
  { table: 'documents', schema: DOCUMENTS_SCHEMA },
  { table: 'counters', schema: COUNTERS_SCHEMA },
  { table: 'checkpoints_guarded', schema: CHECKPOINTS_GUARD },
  { table: 'steps_guarded', schema: POSTGRES_STEP_GUARDS },
] as const

/** Asked of the catalogue's rows: `to_regclass` would answer from a cache that a wait for the lock does not refresh. */
const TABLES = `SELECT c.relname AS table FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'orch'`

/** What a store relies on and somebody with the right to may have taken away. */
const GUARDS = `SELECT current_setting('server_encoding') AS encoding, count(*)::int AS triggers FROM pg_trigger
  WHERE tgrelid IN ('orch.receipts'::regclass, 'orch.tiles'::regclass, 'orch.checkpoints'::regclass) AND tgenabled = 'A'
  AND tgfoid = 'orch.refuse_change'::regproc`
const STEP_GUARDS = `SELECT count(*)::int AS triggers FROM pg_trigger WHERE tgrelid = 'orch.documents'::regclass
  AND tgenabled = 'A' AND tgfoid IN ('orch.refuse_step_change'::regproc, 'orch.refuse_overspending'::regproc)`

/** Creates the tables where there are none. Nodes that start together take turns; a role that may not create tables
 *  finds them made and asks for nothing. */
export async function ensureSchema(client: pg.Client): Promise<void> {
  if ((await missing(client)).length > 0) {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK})`)
    for (const { schema } of await missing(client)) await client.query(schema)
    await client.query('COMMIT')
  }
  await assertGuarded(client)
}

async function missing(client: pg.Client): Promise<(typeof PARTS)[number][]> {
  const { rows } = await client.query<{ table: string }>(TABLES)
  const there = new Set(rows.map(({ table }) => table))
  return PARTS.filter(({ table }) => !there.has(table))
}

async function assertGuarded(client: pg.Client): Promise<void> {
  const found = (await client.query<{ encoding: string; triggers: number }>(GUARDS)).rows[0]!
  if (found.encoding !== 'UTF8') throw new Error(`the database is encoded in ${found.encoding}; create it in UTF8`)
  if (found.triggers !== 6)
    throw new Error(
      'the triggers that keep receipts and checkpoints from being changed are missing or switched off; restore them',
    )
  const steps = (await client.query<{ triggers: number }>(STEP_GUARDS)).rows[0]!
  if (steps.triggers !== POSTGRES_STEP_TRIGGERS)
    throw new Error(
      'the triggers that keep recorded steps and budgets from being changed are missing or switched off; restore them',
    )
}
