/** Documents lie beside the ledger, where whoever holds the store can edit them. The receipt that one is written with says
 *  what it was, so that a decision rests on it only as far as a signature goes. */
import { canonicalBytes, sha256Hex } from '@orch/core'

/** A document as it is written or stored, without its version and its receipt. */
interface Written {
  space: string
  key: string
  owner: string
  state: string
  rank: number
  value: string | null
}

/** Those that decisions rest on. Sessions of stepping and records of the anatomy ledger are named in their receipts by
 *  themselves; the progress of a delivery changes without any. */
const BOUND_SPACES: ReadonlySet<string> = new Set(['review', 'review-payload', 'agent.notes', 'agent.run'])

export const documentDigest = ({ space, key, owner, state, rank, value }: Written): string =>
  sha256Hex(canonicalBytes([space, key, owner, state, rank, value]))

/** What the payload of a receipt says of the documents it is written with; nothing where there are none to name. */
export function boundDocuments(writes: readonly Written[] = []): { documents_sha256?: string[] } {
  const bound = writes.filter(({ space, value }) => value !== null && BOUND_SPACES.has(space))
  return bound.length === 0 ? {} : { documents_sha256: bound.map(documentDigest) }
}

/** Whether the receipt with this payload was written with exactly this document. */
export const matchesReceipt = ({ documents_sha256: named }: Record<string, unknown>, document: Written): boolean =>
  Array.isArray(named) && named.includes(documentDigest(document))
