/** The receipt body: what is hashed, signed and logged. Its canonical bytes are made once and never again. */
import { canonicalizePortable } from './canonical.ts'
import { DOCTRINE, GENESIS_PREV } from './doctrine.ts'
import { isHex64, isPosition, isRecord } from './verify/shape.ts'

export const RECEIPT_SCHEMA = 'orch.receipt/v1'

export const RECEIPT_KINDS = Object.freeze([
  'decision',
  'review',
  'inference',
  'agent-step',
  'agent-run',
  'step',
  'recovery',
  'organ-run',
  'claim-atomize',
  'claim-evaluate',
  'analysis',
  'price',
  'anatomy',
  'mint',
  'sample',
  'key-rotation',
  'example',
  'restore',
] as const)
export type ReceiptKind = (typeof RECEIPT_KINDS)[number]

export const DECISIONS = Object.freeze(['ALLOW', 'REVIEW', 'DENY'] as const)
export type Decision = (typeof DECISIONS)[number]

export interface ReceiptBody {
  schema: typeof RECEIPT_SCHEMA
  doctrine: typeof DOCTRINE
  kind: ReceiptKind
  ns: string
  chain: string
  seq: number
  prev: string
  ts_utc: string
  request_id: string
  actor: { owner: string; key_id: string | null; auth_mode: string }
  policy: { rules_digest: string; policy_digest: string } | null
  payload: Record<string, unknown>
}

/** A receipt before the ledger gave it its place. */
export type ReceiptDraft = Omit<ReceiptBody, 'schema' | 'doctrine' | 'seq' | 'prev'>

/** Chain names are the acting organ or surface; namespaces follow the same rule. */
export const CHAIN_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** The canonical text of a body with two gaps, for `prev` and `seq`: the ledger fills them in order without
 *  serialising anything a second time. Canonical order puts `prev` before `seq`. */
export interface BodyTemplate {
  beforePrev: string
  beforeSeq: string
  afterSeq: string
}

/** What a signing key can be, by the name that every signed payload has for it. */
export type SigningKeyKind = 'demo' | 'production'

/**
 * `keyKind` is that of the key in charge and stands in the payload as `key_kind`, whatever the draft says there: words
 * beside the envelope can be taken off, signed bytes cannot. Null where no key is in charge; the bytes then say nothing.
 */
export function bodyTemplate(draft: ReceiptDraft, keyKind: SigningKeyKind | null): BodyTemplate {
  const text = (value: unknown) => canonicalizePortable(value)
  const payload = keyKind === null ? draft.payload : { ...draft.payload, key_kind: keyKind }
  return {
    beforePrev: `{"actor":${text(draft.actor)},"chain":${text(draft.chain)},"doctrine":"${DOCTRINE}","kind":${text(draft.kind)},"ns":${text(draft.ns)},"payload":${text(payload)},"policy":${text(draft.policy)},"prev":"`,
    beforeSeq: `","request_id":${text(draft.request_id)},"schema":"${RECEIPT_SCHEMA}","seq":`,
    afterSeq: `,"ts_utc":${text(draft.ts_utc)}}`,
  }
}

/** `prev` is 64 lower-case hex characters and `seq` a safe integer; both come from the ledger, never from a caller. */
export const bodyText = (template: BodyTemplate, prev: string, seq: number): string =>
  template.beforePrev + prev + template.beforeSeq + seq + template.afterSeq

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const BODY_FIELDS = [
  'actor',
  'chain',
  'doctrine',
  'kind',
  'ns',
  'payload',
  'policy',
  'prev',
  'request_id',
  'schema',
  'seq',
  'ts_utc',
] as const

const ACTOR_FIELDS = ['auth_mode', 'key_id', 'owner']
const POLICY_FIELDS = ['policy_digest', 'rules_digest']

/** In any order: the keys of an object are distinct, so as many as the names and all of the names are the names. */
const hasExactly = (value: Record<string, unknown>, names: readonly string[]): boolean =>
  Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))

/** Why a parsed value is not a receipt body, or null when it is one. Says the field, so that a report can. */
export function bodyFault(value: unknown): string | null {
  if (!isRecord(value)) return 'the body is not an object'
  if (!hasExactly(value, BODY_FIELDS)) return `the body must have exactly the fields ${BODY_FIELDS.join(', ')}`
  const { actor, policy } = value
  if (value.schema !== RECEIPT_SCHEMA) return `schema is not ${RECEIPT_SCHEMA}`
  if (value.doctrine !== DOCTRINE) return `doctrine is not ${DOCTRINE}`
  if (!(RECEIPT_KINDS as readonly unknown[]).includes(value.kind)) return 'kind is not in the closed list'
  for (const name of ['ns', 'chain'] as const)
    if (typeof value[name] !== 'string' || !CHAIN_NAME.test(value[name])) return `${name} is not a valid name`
  if (!isPosition(value.seq)) return 'seq is not a position'
  if (!isHex64(value.prev)) return 'prev is not a SHA-256 in lower-case hex'
  if ((value.seq === 0) !== (value.prev === GENESIS_PREV)) return 'only the first receipt of a chain follows 64 zeros'
  if (typeof value.ts_utc !== 'string' || !TIME.test(value.ts_utc)) return 'ts_utc is not a UTC time in milliseconds'
  if (typeof value.request_id !== 'string') return 'request_id is not text'
  if (!isRecord(actor) || !hasExactly(actor, ACTOR_FIELDS)) return 'actor has not exactly owner, key_id, auth_mode'
  if (policy !== null && (!isRecord(policy) || !hasExactly(policy, POLICY_FIELDS)))
    return 'policy is neither null nor a pair of digests'
  return isRecord(value.payload) ? null : 'payload is not an object'
}
