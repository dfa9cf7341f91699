/** Is a reply what it says it is, by its own digests? Everything in it is the sender's: this shows that it is whole, never
 *  who made it. */
import { CanonicalError } from '@orch/core'
import { flags } from '../../../../domain/observation.ts'
import { portableDigest } from '../../../../domain/portable-digest.ts'
import { isRecord } from '../../../../domain/stored-receipt.ts'
import { COMPONENT, COMPUTATION_SCHEMA, ENVELOPE_SCHEMA } from '../component.ts'
import type { IntegrityCheck, Verification } from './schemas.ts'

type Fields = Record<string, unknown>
export type Checks = Record<IntegrityCheck, boolean | null>

/** The replies that may carry a record, and the component that each names in itself. */
const KNOWN_SCHEMAS: Readonly<Record<string, string | null>> = {
  [ENVELOPE_SCHEMA]: COMPONENT.name,
  'orch.finance.research-audit/v1': COMPONENT.name,
  'orch.finance.signed-price-model/v1': null,
}
const REVISION = /^(?:[0-9a-f]{40}|UNBOUND)$/
const VERSION = /^[0-9A-Za-z][0-9A-Za-z./-]{0,63}$/

export const NO_CHECKS: Checks = {
  schema_known: null,
  payload_digest_matches: null,
  record_digest_matches: null,
  flags_intact: null,
  source_revision_well_formed: null,
  component_known: null,
}

/** Of a reply with a `computation`, which its caller holds and nobody else. */
export function checkComputation(envelope: Fields): Checks {
  const { computation, ...payload } = envelope
  const record = isRecord(computation) ? computation : {}
  const { record_sha256, ...rest } = record
  return {
    ...NO_CHECKS,
    ...commonChecks(envelope, record.source_revision),
    schema_known: record.schema === COMPUTATION_SCHEMA && isKnown(envelope.schema) && hasRecordWords(record),
    payload_digest_matches: isDigestOf(record.payload_sha256, payload),
    record_digest_matches: isDigestOf(record_sha256, rest),
    component_known: isComponentKnown(envelope, record.component_version),
  }
}

/** Of a reply with a `receipt`. Whether the receipt says the same is the ledger's to tell. */
export function checkLedgerReply(envelope: Fields): Checks {
  const { receipt: _, payload_sha256, ...payload } = envelope
  return {
    ...NO_CHECKS,
    ...commonChecks(envelope, envelope.source_revision),
    schema_known: isKnown(envelope.schema),
    payload_digest_matches: isDigestOf(payload_sha256, payload),
    record_digest_matches: null,
    component_known: isComponentKnown(envelope, versionIn(envelope)),
  }
}

function commonChecks(envelope: Fields, revision: unknown) {
  const stated = [revision, ...(Object.hasOwn(envelope, 'source_revision') ? [envelope.source_revision] : [])]
  return {
    flags_intact: Object.entries(flags).every(([name, value]) => envelope[name] === value),
    source_revision_well_formed: stated.every(
      (one) => typeof one === 'string' && REVISION.test(one) && one === revision,
    ),
  }
}

const isKnown = (schema: unknown): boolean => typeof schema === 'string' && Object.hasOwn(KNOWN_SCHEMAS, schema)

const hasRecordWords = ({ signed, persistence, authority }: Fields): boolean =>
  signed === false && persistence === 'CALLER_HELD' && authority === 'NONE'

const versionIn = ({ component, computation }: Fields): unknown =>
  isRecord(component) ? component.version : isRecord(computation) ? computation.component_version : undefined

/** Of any version: what an older build computed stays what it was. */
function isComponentKnown(envelope: Fields, version: unknown): boolean {
  if (typeof version !== 'string' || !VERSION.test(version) || !isKnown(envelope.schema)) return false
  const name = KNOWN_SCHEMAS[envelope.schema as string]
  if (name === null) return true
  return isRecord(envelope.component) && envelope.component.name === name && envelope.component.version === version
}

/** What has no canonical form was not made here. */
function isDigestOf(digest: unknown, value: unknown): boolean {
  try {
    return portableDigest(value) === digest
  } catch (error) {
    if (error instanceof CanonicalError) return false
    throw error
  }
}

export const verdictOf = (checks: Checks): Verification['integrity']['verdict'] => {
  const found = Object.values(checks).filter((one) => one !== null)
  if (found.length === 0) return 'NOT_APPLICABLE'
  return found.every(Boolean) ? 'VALID' : 'INVALID'
}

/** Information alone: a record of another build is as whole as one of this build. */
export function buildOf(envelope: Fields, own: { version: string; revision: string }): Verification['build'] {
  const { computation } = envelope
  const revision = isRecord(computation) ? computation.source_revision : envelope.source_revision
  const isOwnComponent = typeof envelope.schema === 'string' && KNOWN_SCHEMAS[envelope.schema] === COMPONENT.name
  if (isOwnComponent && versionIn(envelope) !== own.version) return 'OTHER'
  if (revision === 'UNBOUND' || own.revision === 'UNBOUND' || typeof revision !== 'string') return 'UNKNOWN'
  return revision === own.revision ? 'SAME' : 'OTHER'
}
