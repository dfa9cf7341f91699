/** Takes the guards of recorded steps away, for tests that show what a walk finds in a store that was altered. */
import { POSTGRES_STEP_GUARDS, SQLITE_STEP_GUARDS } from '../src/ledger/step-guards.ts'

const triggersIn = (guards: string): string[] =>
  [...guards.matchAll(/CREATE TRIGGER (?:IF NOT EXISTS )?(\w+)/g)].map(([, name]) => name as string)

const indexIn = (guards: string): string => /CREATE UNIQUE INDEX (?:IF NOT EXISTS )?(\w+)/.exec(guards)?.[1] as string

export const SQLITE_WITHOUT_STEP_GUARDS = [
  ...triggersIn(SQLITE_STEP_GUARDS).map((name) => `DROP TRIGGER IF EXISTS ${name};`),
  `DROP INDEX IF EXISTS ${indexIn(SQLITE_STEP_GUARDS)};`,
].join('\n')

export const POSTGRES_WITHOUT_STEP_GUARDS = [
  ...triggersIn(POSTGRES_STEP_GUARDS).map((name) => `DROP TRIGGER IF EXISTS ${name} ON orch.documents;`),
  `DROP INDEX IF EXISTS orch.${indexIn(POSTGRES_STEP_GUARDS)};`,
].join('\n')
