/** What the ledger says about the references of one request. Foreign receipts and sessions are not there. */
import { sha256Hex, verifyP256Sync } from '@orch/core'
import { trustedKeys } from '../domain/keys.ts'
import { receiptPae } from '../domain/receipt-view.ts'
import type { Reference } from '../domain/stepping/references.ts'
import type { LedgerView } from '../domain/stepping/retriever.ts'
import { bodyOf } from '../domain/stored-receipt.ts'
import type { LedgerReader, Row } from '../ledger-contract.ts'
import { readSession } from './session-documents.ts'

interface Owner {
  namespace: string
  owner: string
}

/** Verifies stored receipts. */
export type CheckReceipt = (row: Row) => Promise<{ digest: string; signature: boolean | null }>

/** The keys are read once, and again when a receipt names one that came into use since. */
export async function receiptChecks(reader: LedgerReader): Promise<CheckReceipt> {
  const read = async () => new Map(trustedKeys(await reader.keys()).map(({ key }) => [key.keyid, key]))
  let ring = await read()
  return async (row) => {
    if (row.keyid !== null && !ring.has(row.keyid)) ring = await read()
    const key = row.keyid === null ? undefined : ring.get(row.keyid)
    const signed = row.signature !== null
    return {
      digest: sha256Hex(row.body),
      signature: signed ? key !== undefined && verifyP256Sync(key, receiptPae(row), row.signature!) : null,
    }
  }
}

export async function ledgerView(
  reader: LedgerReader,
  owner: Owner,
  references: readonly Reference[],
): Promise<LedgerView> {
  const valuesOf = (wanted: Reference['kind']): string[] =>
    references.filter(({ kind }) => kind === wanted).map(({ value }) => value)
  const digests = valuesOf('digest')
  const check = digests.length === 0 ? null : await receiptChecks(reader)
  const receipts = new Map<string, 'verified' | 'failed'>()
  for (const digest of digests) {
    const row = await reader.byDigest(digest)
    if (row === null || check === null || !isOwn(row, owner)) continue
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
