/** What can be told of a record by looking at it. Nothing is fetched and nothing is believed: traceable means that a
 *  reader could go and look. */
import type { Contradiction, Evidence, Factuality, Owner, Provenance, SemanticUncertainty } from '../schemas.ts'
import { isBlank } from './whitespace.ts'

export const isTraceable = (provenance: Provenance | undefined): boolean =>
  provenance !== undefined &&
  !isBlank(provenance.source_id) &&
  (provenance.content_sha256 !== undefined || !isBlank(provenance.receipt_ref))

/** What keeps a reference from being sound, or null. */
export function unsoundness(reference: Evidence): string | null {
  if (isBlank(reference.reference_id)) return 'the reference has no reference_id'
  if (!isTraceable(reference.provenance)) return 'the provenance of the reference is not traceable'
  if (reference.evidence_state === 'VERIFIED' && isBlank(reference.verification_ref))
    return 'the reference says VERIFIED without a verification_ref'
  return null
}

export const isOwned = (owner: Owner | null | undefined): boolean =>
  owner !== null && owner !== undefined && !isBlank(owner.owner_id) && !isBlank(owner.accountability_scope)

/** A status that is missing leaves the contradiction standing. */
export const isLive = ({ status }: Contradiction): boolean => status !== 'RESOLVED'

const isAttributed = ({ source_ref, method }: { source_ref?: string; method?: string }): boolean =>
  !isBlank(source_ref) && !isBlank(method)

export const isWellFormedUncertainty = (
  signal: SemanticUncertainty,
): signal is SemanticUncertainty & { value: number } => signal.value !== undefined && isAttributed(signal)

export const isWellFormedFactuality = (
  signal: Factuality,
): signal is Factuality & { state: NonNullable<Factuality['state']> } =>
  signal.state !== undefined && isAttributed(signal)
