/** What the database itself refuses of governed stepping, whoever writes: a recorded step is never changed or removed, a
 *  session spends no more than it has, and an effect id occurs once. The service never asks for any of it, so a refusal
 *  means that something else writes, or that the service is wrong. Spaces and fields are those of stepping; a test holds
 *  both to them. Millionths of risk throughout. */

const STEPS = "'gdw.state'"
const SESSIONS = "'gdw.session'"
/** From the first to past the last space of effects: `0` follows `/`. */
const EFFECTS = "space >= 'gdw.effect/' AND space < 'gdw.effect0' AND value IS NOT NULL"
const APPEND_ONLY = 'recorded steps are append-only'
const OVERSPENT = 'a session spends no more than its budget and what was granted'

const inSqlite = (row: string, name: string): string => `json_extract(${row}.value, '$.${name}')`
const NUMBERS = ['spent', 'budget', 'granted'] as const

const holdsInSqlite = `COALESCE(${NUMBERS.map((name) => `json_type(NEW.value, '$.${name}') = 'integer' AND ${inSqlite('NEW', name)} >= 0`).join(' AND ')}
  AND ${inSqlite('NEW', 'spent')} <= ${inSqlite('NEW', 'budget')} + ${inSqlite('NEW', 'granted')}
  AND ${inSqlite('NEW', 'budget')} + ${inSqlite('NEW', 'granted')} <= 1000000, 0)`
/** Of a session that was altered while nothing refused it, what has nothing to do with risk may still change. */
const sameInSqlite = NUMBERS.map((name) => `${inSqlite('NEW', name)} IS ${inSqlite('OLD', name)}`).join(' AND ')
const OPENED = `NEW.space = ${SESSIONS} AND NEW.value IS NOT NULL AND NOT ${holdsInSqlite}`

/** Replacing a row is told by the insert: SQLite fires no trigger for the removal it implies. */
const SQLITE_TRIGGERS = {
  steps_never_change: `BEFORE UPDATE ON documents WHEN OLD.space = ${STEPS} OR NEW.space = ${STEPS}
    BEGIN SELECT RAISE(ABORT, '${APPEND_ONLY}'); END`,
  steps_never_leave: `BEFORE DELETE ON documents WHEN OLD.space = ${STEPS}
    BEGIN SELECT RAISE(ABORT, '${APPEND_ONLY}'); END`,
  steps_never_replaced: `BEFORE INSERT ON documents WHEN NEW.space = ${STEPS}
    AND EXISTS (SELECT 1 FROM documents WHERE space = NEW.space AND key = NEW.key)
    BEGIN SELECT RAISE(ABORT, '${APPEND_ONLY}'); END`,
  sessions_open_within_budget: `BEFORE INSERT ON documents WHEN ${OPENED}
    BEGIN SELECT RAISE(ABORT, '${OVERSPENT}'); END`,
  sessions_stay_within_budget: `BEFORE UPDATE ON documents WHEN ${OPENED} AND NOT (OLD.space = NEW.space AND ${sameInSqlite})
    BEGIN SELECT RAISE(ABORT, '${OVERSPENT}'); END`,
} as const

const ONE_ID = 'effects_have_ids_of_their_own'

export const SQLITE_STEP_GUARDS = `${Object.entries(SQLITE_TRIGGERS)
  .map(([name, text]) => `CREATE TRIGGER IF NOT EXISTS ${name} ${text};`)
  .join('\n')}
CREATE UNIQUE INDEX IF NOT EXISTS ${ONE_ID} ON documents
  (CASE WHEN json_valid(value) THEN json_extract(value, '$.effect_id') END) WHERE ${EFFECTS};
`

/** PostgreSQL takes no text apart that holds U+0000, as ids of sessions may. Inside a text every quote is escaped, so a
 *  name between two bare ones is a field. */
const inPostgres = (row: string, name: string): string =>
  `substring(${row}.value from '"${name}":(-?[0-9]{1,15})[,}]')::bigint`

const holdsInPostgres = `coalesce(${NUMBERS.map((name) => `${inPostgres('NEW', name)} >= 0`).join(' AND ')}
    AND ${inPostgres('NEW', 'spent')} <= ${inPostgres('NEW', 'budget')} + ${inPostgres('NEW', 'granted')}
    AND ${inPostgres('NEW', 'budget')} + ${inPostgres('NEW', 'granted')} <= 1000000, false)`
const sameInPostgres = NUMBERS.map(
  (name) => `${inPostgres('NEW', name)} IS NOT DISTINCT FROM ${inPostgres('OLD', name)}`,
).join(' AND ')

const POSTGRES_TRIGGERS = {
  steps_never_change: `BEFORE UPDATE ON orch.documents FOR EACH ROW
    WHEN (OLD.space = ${STEPS} OR NEW.space = ${STEPS}) EXECUTE FUNCTION orch.refuse_step_change()`,
  steps_never_leave: `BEFORE DELETE ON orch.documents FOR EACH ROW
    WHEN (OLD.space = ${STEPS}) EXECUTE FUNCTION orch.refuse_step_change()`,
  steps_never_leave_together: `BEFORE TRUNCATE ON orch.documents
    FOR EACH STATEMENT EXECUTE FUNCTION orch.refuse_step_change()`,
  sessions_open_within_budget: `BEFORE INSERT ON orch.documents FOR EACH ROW
    WHEN (NEW.space = ${SESSIONS} AND NEW.value IS NOT NULL) EXECUTE FUNCTION orch.refuse_overspending()`,
  sessions_stay_within_budget: `BEFORE UPDATE ON orch.documents FOR EACH ROW
    WHEN (NEW.space = ${SESSIONS} AND NEW.value IS NOT NULL) EXECUTE FUNCTION orch.refuse_overspending()`,
} as const

/** The empty table tells a ledger made before these, which gets them, from one that somebody took them from. */
export const POSTGRES_STEP_GUARDS = `
CREATE FUNCTION orch.refuse_step_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION '${APPEND_ONLY}' USING ERRCODE = 'restrict_violation'; END $$;
CREATE FUNCTION orch.refuse_overspending() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$ BEGIN
  IF ${holdsInPostgres} THEN RETURN NEW; END IF;
  IF TG_OP = 'UPDATE' THEN IF OLD.space = NEW.space AND ${sameInPostgres} THEN RETURN NEW; END IF; END IF;
  RAISE EXCEPTION '${OVERSPENT}' USING ERRCODE = 'check_violation';
END $$;
${Object.entries(POSTGRES_TRIGGERS)
  .map(([name, text]) => `CREATE TRIGGER ${name} ${text};\nALTER TABLE orch.documents ENABLE ALWAYS TRIGGER ${name};`)
  .join('\n')}
CREATE UNIQUE INDEX ${ONE_ID} ON orch.documents
  ((substring(value from '"effect_id":"([0-9a-f]{64})"'))) WHERE ${EFFECTS};
CREATE TABLE orch.steps_guarded ();
`

/** How many of them there are to find where nobody took any away. */
export const POSTGRES_STEP_TRIGGERS = Object.keys(POSTGRES_TRIGGERS).length
