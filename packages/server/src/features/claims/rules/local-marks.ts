/** Whether a provenance names something of our own ledger. A mark for the reader: it never changes a state or a code. */
import { sees, type Viewer } from '../../../domain/visibility.ts'
import { ServiceError } from '../../../errors.ts'
import type { Ledger } from '../../../ports.ts'
import type { EvaluateRequest, Provenance } from '../schemas.ts'

interface LocalMark {
  locally_resolved: boolean
  matched_by: 'receipt_ref' | 'content_sha256' | null
  receipt_id: string | null
}

/** Receipts that this caller may read, by the digests that were asked for. */
export interface LocalMatches {
  receipts: ReadonlySet<string>
  /** Digest of a payload to the receipt that holds it. */
  payloads: ReadonlyMap<string, string>
}

export const NO_MATCHES: LocalMatches = { receipts: new Set(), payloads: new Map() }
const UNMARKED: LocalMark = Object.freeze({ locally_resolved: false, matched_by: null, receipt_id: null })
const DIGEST = /^[0-9a-f]{64}$/

/** Digests of the request that could be receipts of ours, and those that could be payloads. */
export function wantedDigests({ claims, contradictions = [] }: EvaluateRequest) {
  const all = [...claims.flatMap(({ evidence_refs = [] }) => evidence_refs), ...contradictions]
  const provenances = all.flatMap(({ provenance }) => (provenance === undefined ? [] : [provenance]))
  const references = provenances.flatMap(({ receipt_ref }) => digestIn(receipt_ref) ?? [])
  const contents = provenances.flatMap(({ content_sha256 }) => digestIn(content_sha256) ?? [])
  return { receipts: [...new Set([...references, ...contents])], contents: [...new Set(contents)] }
}

/** What of a request's provenance this caller can find in our own ledger. */
export async function findLocalMatches(
  { reader, queries }: Pick<Ledger, 'reader' | 'queries'>,
  viewer: Viewer,
  { receipts, contents }: ReturnType<typeof wantedDigests>,
): Promise<LocalMatches> {
  try {
    const rows = await Promise.all(receipts.map((digest) => reader.byDigest(digest)))
    const found = new Set(rows.flatMap((row, at) => (row !== null && sees(viewer, row) ? [receipts[at]!] : [])))
    const left = contents.filter((digest) => !found.has(digest))
    return { receipts: found, payloads: left.length === 0 ? new Map() : await queries.payloadHolders(viewer, left) }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('ledger_unavailable', 'the ledger cannot be read now; retry later', {
      headers: { 'retry-after': '5' },
    })
  }
}

export function markOf(provenance: Provenance | undefined, { receipts, payloads }: LocalMatches): LocalMark {
  const reference = digestIn(provenance?.receipt_ref)
  if (reference !== null && receipts.has(reference)) return marked('receipt_ref', reference)
  const content = digestIn(provenance?.content_sha256)
  if (content === null) return UNMARKED
  if (receipts.has(content)) return marked('content_sha256', content)
  const holder = payloads.get(content)
  return holder === undefined ? UNMARKED : marked('content_sha256', holder)
}

const marked = (by: NonNullable<LocalMark['matched_by']>, receipt: string): LocalMark => ({
  locally_resolved: true,
  matched_by: by,
  receipt_id: receipt,
})

function digestIn(text: string | undefined): string | null {
  const digest = text?.toLowerCase()
  return digest !== undefined && DIGEST.test(digest) ? digest : null
}
