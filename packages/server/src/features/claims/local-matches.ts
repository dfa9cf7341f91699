/** What of a request's provenance this caller can find in our own ledger. */

import { sees, type Viewer } from '../../domain/visibility.ts'
import { ServiceError } from '../../errors.ts'
import type { Ledger } from '../../ports.ts'
import type { LocalMatches } from './rules/local-marks.ts'

export interface Wanted {
  receipts: readonly string[]
  contents: readonly string[]
}

export function localMatches(
  ledger: Pick<Ledger, 'reader' | 'queries'>,
): (viewer: Viewer, wanted: Wanted) => Promise<LocalMatches> {
  const readable = async (viewer: Viewer, digest: string): Promise<boolean> => {
    const row = await ledger.reader.byDigest(digest)
    return row !== null && sees(viewer, row)
  }
  const matched = async (viewer: Viewer, { receipts, contents }: Wanted): Promise<LocalMatches> => {
    const known = await Promise.all(receipts.map((digest) => readable(viewer, digest)))
    const found = new Set(receipts.filter((_, at) => known[at]))
    const left = contents.filter((digest) => !found.has(digest))
    return {
      receipts: found,
      payloads: left.length === 0 ? new Map() : await ledger.queries.payloadHolders(viewer, left),
    }
  }
  return (viewer, wanted) =>
    matched(viewer, wanted).catch((error: unknown) => {
      if (error instanceof ServiceError) throw error
      throw new ServiceError('ledger_unavailable', 'the ledger cannot be read now; retry later')
    })
}
