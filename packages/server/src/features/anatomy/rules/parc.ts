/** The shape of an intent: principal, action, resource, context. Every fault is reported, not only the first. */
import { type Fault, type Fields, isFields, isText, own, sameJson, unknownFieldFaults } from './json-shape.ts'

type ReadParc = { ok: true; parc: Parc } | { ok: false; faults: Fault[] }

/** Not TypeBox: a text must be well-formed as well, attributes may be repeated beside `attrs`, and every fault is told in
 *  the order of the intent. */
interface Values {
  text: string
  time: string
  integer: number
  boolean: boolean
  texts: string[]
}
type Kind = keyof Values | 'text or none'
type Shape = Readonly<Record<string, Kind>>
type Attributes<S extends Shape> = {
  -readonly [N in keyof S as S[N] extends keyof Values ? N : never]: Values[S[N] & keyof Values]
}

const PRINCIPAL = { kind: 'text', tenantId: 'text', assurance: 'integer', roles: 'texts', disabled: 'boolean' } as const
const RESOURCE = {
  kind: 'text',
  tenantId: 'text',
  classification: 'text',
  requiredAssurance: 'integer',
  maxRisk: 'integer',
  allowedPurposes: 'texts',
  allowedEffects: 'texts',
  requiresApproval: 'boolean',
} as const
const CONTEXT = {
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
  timestamp: 'time',
} as const

export interface Parc {
  principal: { type: 'Orch::WorkloadIdentity'; id: string; attrs: Attributes<typeof PRINCIPAL> }
  action: { type: 'Orch::Action'; id: string }
  resource: { type: 'Orch::ProtectedResource'; id: string; attrs: Attributes<typeof RESOURCE> }
  context: Attributes<typeof CONTEXT> & { evidenceDigest?: string | null }
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value))

/** How far `context.timestamp` of an intent that is judged now may be from the clock of the service, either way. */
export const TIMESTAMP_WINDOW_S = 300

const KINDS: Readonly<Record<Kind, readonly [says: string, holds: (value: unknown) => boolean]>> = {
  text: ['must be a text that is not blank', isText],
  time: ['must be an RFC 3339 time, such as 2026-01-01T00:00:00.000Z', isInstant],
  integer: ['must be an integer from 0 to 2^53 - 1', (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  boolean: ['must be true or false', (value) => typeof value === 'boolean'],
  texts: ['must be a list of texts that are not blank', (value) => Array.isArray(value) && value.every(isText)],
  'text or none': [
    'must be a text that is not blank, or null',
    (value) => value === undefined || value === null || isText(value),
  ],
}

/** `now` null: the intent is looked at as of its own time, as a counterfactual is. */
export function readParc(value: unknown, now: number | null): ReadParc {
  const faults = isFields(value)
    ? [...parcFaults(value), ...windowFaults(own(own(value, 'context'), 'timestamp'), now)]
    : [{ path: '', message: 'must be an object' }]
  return faults.length === 0 ? { ok: true, parc: value as unknown as Parc } : { ok: false, faults }
}

function windowFaults(timestamp: unknown, now: number | null): Fault[] {
  if (now === null || !isInstant(timestamp)) return []
  if (Math.abs(Date.parse(timestamp) - now) <= TIMESTAMP_WINDOW_S * 1000) return []
  const message = `must be within ${TIMESTAMP_WINDOW_S} seconds of the service's clock, which is ${new Date(now).toISOString()}`
  return [{ path: 'context.timestamp', message }]
}

const parcFaults = (value: Fields): Fault[] => [
  ...unknownFieldFaults(value, ['principal', 'action', 'resource', 'context']),
  ...entityFaults('principal', own(value, 'principal'), 'Orch::WorkloadIdentity', PRINCIPAL),
  ...entityFaults('action', own(value, 'action'), 'Orch::Action', null),
  ...entityFaults('resource', own(value, 'resource'), 'Orch::ProtectedResource', RESOURCE),
  ...attributeFaults('context', own(value, 'context'), CONTEXT),
]

function entityFaults(path: string, entity: unknown, type: string, shape: Shape | null): Fault[] {
  if (!isFields(entity)) return [{ path, message: 'must be an object' }]
  const attributes = Object.keys(shape ?? {})
  const known = ['type', 'id', ...(shape ? ['attrs', ...attributes] : [])]
  const faults = unknownFieldFaults(entity, known, `${path}.`)
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

function attributeFaults(path: string, attrs: unknown, shape: Shape): Fault[] {
  if (!isFields(attrs)) return [{ path, message: 'must be an object' }]
  const wrong = Object.entries(shape).flatMap(([name, kind]) => {
    const [message, holds] = KINDS[kind]
    return holds(own(attrs, name)) ? [] : [{ path: `${path}.${name}`, message }]
  })
  return [...unknownFieldFaults(attrs, Object.keys(shape), `${path}.`), ...wrong]
}

/** An attribute may be repeated beside `attrs`. Two values for one would let each reader pick another. */
const repeatFaults = (path: string, entity: Fields, attrs: unknown, names: readonly string[]): Fault[] =>
  names
    .filter((name) => Object.hasOwn(entity, name) && !sameJson(entity[name], own(attrs, name)))
    .map((name) => ({ path: `${path}.${name}`, message: `must equal ${path}.attrs.${name}` }))
