/** The shape of an intent: principal, action, resource, context. Every fault is reported, not only the first. */
import { type Fields, isFields, isText, own, sameJson, unknownFields } from './json-shape.ts'

export interface Parc {
  principal: {
    type: 'Orch::WorkloadIdentity'
    id: string
    attrs: { kind: string; tenantId: string; assurance: number; roles: string[]; disabled: boolean }
  }
  action: { type: 'Orch::Action'; id: string }
  resource: {
    type: 'Orch::ProtectedResource'
    id: string
    attrs: {
      kind: string
      tenantId: string
      classification: string
      requiredAssurance: number
      maxRisk: number
      allowedPurposes: string[]
      allowedEffects: string[]
      requiresApproval: boolean
    }
  }
  context: {
    requestId: string
    sessionId: string
    purpose: string
    intendedEffect: string
    riskScore: number
    humanApproval: boolean
    mfa: boolean
    networkZone: string
    evidenceDigest?: string | null
    traceId: string
    timestamp: string
  }
}

export type ParcFault = { path: string; message: string }
export type ReadParc = { ok: true; parc: Parc } | { ok: false; faults: ParcFault[] }

type Kind = 'text' | 'integer' | 'boolean' | 'texts' | 'text or none'
type Shape = Readonly<Record<string, Kind>>

const PRINCIPAL: Shape = { kind: 'text', tenantId: 'text', assurance: 'integer', roles: 'texts', disabled: 'boolean' }
const RESOURCE: Shape = {
  kind: 'text',
  tenantId: 'text',
  classification: 'text',
  requiredAssurance: 'integer',
  maxRisk: 'integer',
  allowedPurposes: 'texts',
  allowedEffects: 'texts',
  requiresApproval: 'boolean',
}
const CONTEXT: Shape = {
  requestId: 'text',
  sessionId: 'text',
  purpose: 'text',
  intendedEffect: 'text',
  riskScore: 'integer',
  humanApproval: 'boolean',
  mfa: 'boolean',
  networkZone: 'text',
  evidenceDigest: 'text or none',
  traceId: 'text',
  timestamp: 'text',
}

const KINDS: Readonly<Record<Kind, readonly [says: string, holds: (value: unknown) => boolean]>> = {
  text: ['must be a text that is not blank', isText],
  integer: ['must be an integer from 0 to 2^53 - 1', (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  boolean: ['must be true or false', (value) => typeof value === 'boolean'],
  texts: ['must be a list of texts that are not blank', (value) => Array.isArray(value) && value.every(isText)],
  'text or none': [
    'must be a text that is not blank, or null',
    (value) => value === undefined || value === null || isText(value),
  ],
}

export function readParc(value: unknown): ReadParc {
  const faults = isFields(value) ? parcFaults(value) : [{ path: '', message: 'must be an object' }]
  return faults.length === 0 ? { ok: true, parc: value as unknown as Parc } : { ok: false, faults }
}

const parcFaults = (value: Fields): ParcFault[] => [
  ...unknownFields(value, ['principal', 'action', 'resource', 'context']).map((path) => notAField(path)),
  ...entityFaults('principal', own(value, 'principal'), 'Orch::WorkloadIdentity', PRINCIPAL),
  ...entityFaults('action', own(value, 'action'), 'Orch::Action', null),
  ...entityFaults('resource', own(value, 'resource'), 'Orch::ProtectedResource', RESOURCE),
  ...attributeFaults('context', own(value, 'context'), CONTEXT),
]

function entityFaults(path: string, entity: unknown, type: string, shape: Shape | null): ParcFault[] {
  if (!isFields(entity)) return [{ path, message: 'must be an object' }]
  const attributes = Object.keys(shape ?? {})
  const faults = unknownFields(entity, ['type', 'id', ...(shape ? ['attrs', ...attributes] : [])]).map((name) =>
    notAField(`${path}.${name}`),
  )
  if (own(entity, 'type') !== type) faults.push({ path: `${path}.type`, message: `must be ${type}` })
  if (!isText(own(entity, 'id'))) faults.push({ path: `${path}.id`, message: KINDS.text[0] })
  if (shape === null) return faults
  const attrs = own(entity, 'attrs')
  return [
    ...faults,
    ...attributeFaults(`${path}.attrs`, attrs, shape),
    ...repeatFaults(path, entity, attrs, attributes),
  ]
}

function attributeFaults(path: string, attrs: unknown, shape: Shape): ParcFault[] {
  if (!isFields(attrs)) return [{ path, message: 'must be an object' }]
  const wrong = Object.entries(shape).flatMap(([name, kind]) => {
    const [message, holds] = KINDS[kind]
    return holds(own(attrs, name)) ? [] : [{ path: `${path}.${name}`, message }]
  })
  return [...unknownFields(attrs, Object.keys(shape)).map((name) => notAField(`${path}.${name}`)), ...wrong]
}

/** An attribute may be repeated beside `attrs`. Two values for one would let each reader pick another. */
const repeatFaults = (path: string, entity: Fields, attrs: unknown, names: readonly string[]): ParcFault[] =>
  names
    .filter((name) => Object.hasOwn(entity, name) && !sameJson(entity[name], own(attrs, name)))
    .map((name) => ({ path: `${path}.${name}`, message: `must equal ${path}.attrs.${name}` }))

const notAField = (path: string): ParcFault => ({ path, message: 'is not a field here' })
