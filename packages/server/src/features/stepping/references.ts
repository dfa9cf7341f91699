/** What the ledger says about the references of one request. Foreign receipts and sessions are not there. */

import { bodyOf } from '../../domain/stored-receipt.ts'
import type { CheckReceipt, LedgerReader, Row } from '../../ledger/contract.ts'
import type { Reference } from './experts/references.ts'
import type { LedgerView } from './experts/retriever.ts'
import { readSession } from './store/session-documents.ts'

interface Owner {
  namespace: string
  owner: string
}

export async function ledgerView(
  reader: LedgerReader,
  check: CheckReceipt,
  owner: Owner,
  references: readonly Reference[],
): Promise<LedgerView> {
  const valuesOf = (wanted: Reference['kind']): string[] =>
    references.filter(({ kind }) => kind === wanted).map(({ value }) => value)
  const digests = valuesOf('digest')
  const receipts = new Map<string, 'verified' | 'failed'>()
  for (const digest of digests) {
    const row = await reader.byDigest(digest)
    if (row === null || !isOwn(row, owner)) continue
    const { digest: computed, signature } = await check(row)
    receipts.set(digest, computed === digest && signature !== false ? 'verified' : 'failed')
  }
  const sessions = new Set<string>()
  for (const sessionId of valuesOf('session'))
    if ((await readSession(reader, { ...owner, sessionId })) !== null) sessions.add(sessionId)
  return { receipts, sessions }
}

const isOwn = (row: Row, { namespace, owner }: Owner): boolean =>
  row.ns === namespace && bodyOf(row)?.actor.owner === owner
