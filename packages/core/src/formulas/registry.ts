// The formula registry: parsed with exact key sets and failing closed. Whoever can edit the file controls every byte of
// it; what the registry may say about the locked set is held to the doctrine, not the other way round.
import { DOCTRINE, KERNEL_COMMIT, LAMBDA, LAMBDA_FORMULA, LOCKED_FORMULAS } from '../doctrine.ts'
import { JsonError, parseStrictJson } from '../json.ts'
import { type Fields, fieldFault, isRecord } from '../verify/shape.ts'
import { replayDigest } from './invariants.ts'

export const REGISTRY_SCHEMA = 'orch.formula-registry/v1'

export const MATURITIES = Object.freeze(['proven', 'limited fragment', 'conjecture'] as const)

export type FormulaRow = {
  id: string
  name: string
  statement: string
  invariant: string
  called_by: string[]
  maturity: (typeof MATURITIES)[number]
  /** What the formula does not prove. */
  scope_note: string
}
export type RegistryPayload = {
  registry_version: string
  doctrine_version: string
  kernel_commit: string
  lambda: { formula_id: string; status: string; is_theorem: boolean }
  locked: FormulaRow[]
  conjectures: FormulaRow[]
  historical_non_authorities: { name: string; ids: string[]; status: string; note: string }[]
}
export type FormulaRegistry = {
  schema: typeof REGISTRY_SCHEMA
  digest: { algorithm: 'sha256'; canonicalization: 'RFC 8785'; scope: 'payload'; value: string }
  payload: RegistryPayload
}

export class RegistryError extends Error {
  constructor(reason: string) {
    super(`the formula registry is refused: ${reason}`)
    this.name = 'RegistryError'
  }
}

export const registryDigest = (payload: unknown): string => replayDigest(payload)

/** From the text of the file. Throws `RegistryError` for anything that is not exactly a registry of the eight. */
export function readRegistry(text: string): FormulaRegistry {
  try {
    return loadRegistry(parseStrictJson(text))
  } catch (error) {
    if (error instanceof JsonError) throw new RegistryError(`not strict JSON (${error.message})`)
    throw error
  }
}

export function loadRegistry(document: unknown): FormulaRegistry {
  const top = closed(document, 'the file', ['schema', 'digest', 'payload'])
  demand(top.schema === REGISTRY_SCHEMA, `schema is not ${REGISTRY_SCHEMA}`)
  const digest = closed(top.digest, 'digest', ['algorithm', 'canonicalization', 'scope', 'value'])
  demand(digest.algorithm === 'sha256' && digest.canonicalization === 'RFC 8785', 'the digest rule is another one')
  demand(digest.scope === 'payload', 'the digest is of something else than the payload')
  checkPayload(top.payload)
  demand(digest.value === registryDigest(top.payload), 'the digest is not that of the payload')
  return document as FormulaRegistry
}

function checkPayload(value: unknown): void {
  const payload = closed(value, 'payload', [
    ...['registry_version', 'doctrine_version', 'kernel_commit', 'lambda', 'locked', 'conjectures'],
    'historical_non_authorities',
  ])
  demand(payload.registry_version === '2.0.0', 'registry_version is not 2.0.0')
  demand(payload.doctrine_version === DOCTRINE, `doctrine_version is not ${DOCTRINE}`)
  demand(payload.kernel_commit === KERNEL_COMMIT, 'kernel_commit is not the pinned one')
  const lambda = closed(payload.lambda, 'lambda', ['formula_id', 'status', 'is_theorem'])
  demand(lambda.formula_id === LAMBDA_FORMULA && lambda.status === LAMBDA.status, 'lambda is not the conjecture')
  demand(lambda.is_theorem === false, 'lambda is promoted to a theorem')
  checkRows(payload.locked, 'locked', LOCKED_FORMULAS, ['proven', 'limited fragment'])
  checkRows(payload.conjectures, 'conjectures', [LAMBDA_FORMULA], ['conjecture'])
  for (const row of listOf(payload.historical_non_authorities, 'historical_non_authorities')) {
    const past = closed(row, 'a historical row', ['name', 'ids', 'status', 'note'])
    demand(past.status === 'SUPERSEDED' && isText(past.name) && isText(past.note), 'a historical row is not one')
    demand(listOf(past.ids, 'ids').every(isText), 'a historical row names what is no id')
  }
}

/** Exactly these ids in this order: a ninth, a missing or a moved one is refused. */
function checkRows(value: unknown, name: string, ids: readonly string[], maturities: readonly string[]): void {
  const rows = listOf(value, name).map((row) =>
    closed(row, `a row of ${name}`, [
      ...['id', 'name', 'statement', 'invariant', 'called_by', 'maturity', 'scope_note'],
    ]),
  )
  demand(rows.map((row) => String(row.id)).join() === ids.join(), `${name} must be exactly ${ids.join(', ')}`)
  for (const row of rows) {
    const texts = [row.name, row.statement, row.invariant, row.scope_note]
    demand(texts.every(isText), `${row.id} lacks a text`)
    demand(listOf(row.called_by, 'called_by').every(isText), `called_by of ${row.id} is not a list of texts`)
    demand(maturities.includes(row.maturity as string), `the maturity of ${row.id} is another word`)
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

function closed(value: unknown, name: string, fields: readonly string[]): Fields {
  if (!isRecord(value)) throw new RegistryError(`${name} is not an object`)
  const fault = fieldFault(value, fields)
  if (fault) throw new RegistryError(`${name}: ${fault}`)
  return value
}

function listOf(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new RegistryError(`${name} is not a list`)
  return value
}

function demand(holds: boolean, reason: string): void {
  if (!holds) throw new RegistryError(reason)
}
