/** The newest receipt: its digest and its link recomputed from stored bytes, its place in the log proven. */
import { frontierRoot, GENESIS_PREV, leafHash, replays, sha256Hex, verifyInclusion } from '@orch/core'
import { bodyOf } from '../../domain/stored-receipt.ts'
import type { Ports } from '../../ports.ts'
import type { Outcome } from './checks.ts'

type ReadLedger = Pick<Ports['ledger'], 'reader' | 'inclusion'>
type Row = NonNullable<Awaited<ReturnType<Ports['ledger']['reader']['byIndex']>>>

export async function newestReceipt(ledger: ReadLedger): Promise<Outcome> {
  const { size, frontier } = await ledger.reader.head()
  const row = size === 0 ? null : await ledger.reader.byIndex(size - 1)
  if (size === 0) return { healthy: null, reason: 'nothing has been recorded yet', evidence: { newest: null } }
  if (row === null) return { healthy: false, reason: 'the newest receipt is gone', evidence: { newest: size - 1 } }
  const digest_recomputed = replays(row.body, row.digest)
  const link_recomputed = (await digestBefore(ledger, row)) === row.prev && bodyOf(row)?.prev === row.prev
  const inclusion_verified = verifyInclusion({
    leafHash: leafHash(row.body),
    leafIndex: row.nodeIndex,
    treeSize: size,
    root: frontierRoot({ size, hashes: frontier }),
    hashes: await ledger.inclusion(row.nodeIndex, size),
  })
  const healthy = digest_recomputed && link_recomputed && inclusion_verified
  const evidence = { newest: row.nodeIndex, digest_recomputed, link_recomputed, inclusion_verified }
  return { healthy, reason: healthy ? null : 'the newest receipt does not bear out its place', evidence }
}

/** Of the bytes before it, not of the column they are found by. */
async function digestBefore({ reader }: ReadLedger, { ns, chain, seq }: Row): Promise<string | null> {
  if (seq === 0) return GENESIS_PREV
  const before = await reader.bySeq(ns, chain, seq - 1)
  return before === null ? null : sha256Hex(before.body)
}
