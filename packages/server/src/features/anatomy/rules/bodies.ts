/** The bodies of the operations. A fault here is a request that cannot be read; an intent that is wrong is a result. */

import { CanonicalError, canonicalBytes } from '@orch/core'
import { type Fault, type Fields, isFields, own, unknownFieldFaults, unknownFields } from './json-shape.ts'
import { readScenarios, type Scenario } from './scenarios.ts'

export type Read<T> = { ok: true; value: T } | { ok: false; faults: Fault[] }

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

const refuse = (path: string, message: string): { ok: false; faults: Fault[] } => ({
  ok: false,
  faults: [{ path, message }],
})

/** The intent itself, or `{request}` around it. */
export function readAuthorizeBody(body: unknown): Read<unknown> {
  if (!isFields(body) || Object.keys(body).length === 0) return refuse('', 'must be an object that holds an intent')
  const wrapped = Object.hasOwn(body, 'request')
  const faults = unknownFieldFaults(body, wrapped ? ['request'] : ['principal', 'action', 'resource', 'context'])
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: wrapped ? body.request : body }
}

export function readEvaluateBody(body: unknown): Read<EvidenceInput> {
  const found = findEvidence(body)
  return found.ok ? { ok: true, value: found.input } : refuse('', found.message)
}

const BIND_FIELDS = ['command', 'statement', 'envelope', 'verification']

export function readBindBody(body: unknown, fields: readonly string[] = BIND_FIELDS): Read<BindInput> {
  if (!isFields(body)) return refuse('', 'must be an object')
  const faults = unknownFieldFaults(body, fields)
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

export type EvidenceInput = { kind: 'statement' | 'envelope'; value: unknown }
type FoundEvidence = { ok: true; input: EvidenceInput } | { ok: false; message: string }

const CARRIERS = ['statement', 'attestation', 'envelope']
/** Claims a sender may add. They are accepted, so that older senders work, and ignored, so that they prove nothing. */
const IGNORED = ['verification', 'verified']
const MAX_NESTING = 8

/** Finds the statement or envelope in what was sent. What the sender says about its verification is never read. */
export function findEvidence(value: unknown): FoundEvidence {
  let inner = value
  for (let depth = 0; depth <= MAX_NESTING; depth++) {
    if (!isFields(inner)) return { ok: false, message: 'must be a statement, an envelope, or an object that holds one' }
    const carrier = isCarrier(inner)
    if (!carrier) return { ok: true, input: { kind: isEnvelope(inner) ? 'envelope' : 'statement', value: inner } }
    const carriers = CARRIERS.filter((name) => Object.hasOwn(carrier, name))
    // Two of them would leave open which one was judged.
    if (carriers.length > 1) return { ok: false, message: `holds ${carriers.join(' and ')}; send one` }
    const [foreign] = unknownFields(carrier, [...CARRIERS, ...IGNORED])
    if (foreign !== undefined) return { ok: false, message: `${foreign} is not a field here` }
    inner = carrier[carriers[0] as string]
  }
  return { ok: false, message: `is nested more than ${MAX_NESTING} times` }
}

const isCarrier = (value: Fields): Fields | null => {
  const holds = CARRIERS.some((name) => Object.hasOwn(value, name))
  return holds && !Object.hasOwn(value, '_type') && !isEnvelope(value) ? value : null
}

const isEnvelope = (value: Fields): boolean => Object.hasOwn(value, 'payloadType') || Object.hasOwn(value, 'payload')

/** Bounds on a document that is walked and evaluated many times over. */
export const ANALYSIS_LIMITS = Object.freeze({
  bytes: 131_072,
  depth: 20,
  nodes: 12_000,
  stringBytes: 16_384,
  replyBytes: 524_288,
  capsuleBytes: 196_608,
})

/** One sentence on the first bound that is exceeded; null within all of them. Recursion is not used: depth is the sender's. */
export function limitFault(value: unknown): string | null {
  const { depth: maxDepth, nodes: maxNodes, bytes: maxBytes } = ANALYSIS_LIMITS
  const open: [value: unknown, depth: number][] = [[value, 1]]
  for (let nodes = 1; open.length > 0; nodes++) {
    if (nodes > maxNodes) return `holds more than ${maxNodes} values`
    const [node, depth] = open.pop() as [unknown, number]
    if (typeof node === 'string' && isLong(node)) return longText()
    if (typeof node !== 'object' || node === null) continue
    if (depth > maxDepth) return `is nested deeper than ${maxDepth}`
    if (Object.keys(node).some(isLong)) return longText()
    for (const child of Object.values(node)) open.push([child, depth + 1])
  }
  const bytes = byteLength(value)
  if (bytes === null) return 'has no canonical form'
  return bytes > maxBytes ? `is longer than ${maxBytes} bytes` : null
}

const longText = (): string => `holds a text longer than ${ANALYSIS_LIMITS.stringBytes} bytes`

const isLong = (text: string): boolean =>
  text.length > ANALYSIS_LIMITS.stringBytes ||
  (text.length * 3 > ANALYSIS_LIMITS.stringBytes && new TextEncoder().encode(text).length > ANALYSIS_LIMITS.stringBytes)

/** Of the canonical form: white space does not count, and the same document has one size. Null where there is none. */
export function byteLength(value: unknown): number | null {
  try {
    return canonicalBytes(value).length
  } catch (error) {
    if (error instanceof CanonicalError) return null
    throw error
  }
}
