/** The bodies of the operations. A fault here is a request that cannot be read; an intent that is wrong is a result. */
import { type EvidenceInput, findEvidence } from './evidence-input.ts'
import { type Fields, isFields, own, unknownFields } from './json-shape.ts'
import { limitFault } from './limits.ts'
import { readScenarios, type Scenario } from './scenarios.ts'

export type BodyFault = { path: string; message: string }
export type Read<T> = { ok: true; value: T } | { ok: false; faults: BodyFault[] }

interface BindInput {
  command: unknown
  evidence: EvidenceInput | null
}
export interface AnalysisInput extends BindInput {
  /** Null: the default ones. */
  scenarios: Scenario[] | null
  /** As it was sent: the input digest is over this. */
  sent: Fields
}

const refuse = (path: string, message: string): { ok: false; faults: BodyFault[] } => ({
  ok: false,
  faults: [{ path, message }],
})

/** The intent itself, or `{request}` around it. */
export function readAuthorizeBody(body: unknown): Read<unknown> {
  if (!isFields(body) || Object.keys(body).length === 0) return refuse('', 'must be an object that holds an intent')
  const wrapped = Object.hasOwn(body, 'request')
  const faults = foreign(body, wrapped ? ['request'] : ['principal', 'action', 'resource', 'context'])
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: wrapped ? body.request : body }
}

export function readEvaluateBody(body: unknown): Read<EvidenceInput> {
  const found = findEvidence(body)
  return found.ok ? { ok: true, value: found.input } : refuse('', found.message)
}

const BIND_FIELDS = ['command', 'statement', 'envelope', 'verification']

export function readBindBody(body: unknown, fields: readonly string[] = BIND_FIELDS): Read<BindInput> {
  if (!isFields(body)) return refuse('', 'must be an object')
  const faults = foreign(body, fields)
  if (!Object.hasOwn(body, 'command')) faults.push({ path: 'command', message: 'is missing' })
  if (Object.hasOwn(body, 'statement') && Object.hasOwn(body, 'envelope'))
    faults.push({ path: 'envelope', message: 'send either statement or envelope' })
  const evidence = evidenceOf(body)
  if (evidence !== null && !evidence.ok) faults.push({ path: 'statement', message: evidence.message })
  if (faults.length > 0) return { ok: false, faults }
  const { command } = body
  const intent = isFields(command) && Object.keys(command).join() === 'request' ? command.request : command
  return { ok: true, value: { command: intent, evidence: evidence?.ok ? evidence.input : null } }
}

function evidenceOf(body: Fields) {
  const sent = own(body, 'statement') ?? own(body, 'envelope')
  return sent === undefined || sent === null ? null : findEvidence(sent)
}

export function readAnalysisBody(body: unknown): Read<AnalysisInput> {
  const limit = limitFault(body)
  if (limit !== null) return refuse('', limit)
  const bound = readBindBody(body, [...BIND_FIELDS, 'scenarios'])
  if (!bound.ok || !isFields(body)) return bound as Read<AnalysisInput>
  if (body.scenarios === undefined) return { ok: true, value: { ...bound.value, scenarios: null, sent: body } }
  const read = readScenarios(body.scenarios)
  if (!read.ok) return read
  return { ok: true, value: { ...bound.value, scenarios: read.value, sent: body } }
}

const foreign = (body: Fields, known: readonly string[]): BodyFault[] =>
  unknownFields(body, known).map((path) => ({ path, message: 'is not a field here' }))
