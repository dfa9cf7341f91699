// Whether the log of today continues the one a reader saw before. The reader's checkpoint and the keys pinned here are
// what counts; everything the service says has to fit them.
import type { Client } from '@orch/client'
import { type Checkpoint, hexDecode, hexEncode, verifyCheckpoint, verifyConsistency } from '@orch/core'
import { readText } from './json-input.ts'

type Continuation = {
  status: 'VERIFIED' | 'MISMATCH' | 'UNAVAILABLE'
  reason: string
  from: number | null
  to: number | null
}

export async function proveContinuation(
  client: Client,
  file: string,
  logKeys: readonly string[],
  signal: AbortSignal,
): Promise<Continuation> {
  const before = await verifyCheckpoint(readText(file), [...logKeys])
  if (!before.checkpoint) return unavailable(`${file} is not signed by a pinned log key`)
  const after = await verifyCheckpoint(await client.call('log.checkpoint', {}, { signal }), [...logKeys])
  if (!after.checkpoint) return unavailable('the checkpoint of the service is not signed by a pinned log key')
  return compare(client, before.checkpoint, after.checkpoint, signal)
}

async function compare(client: Client, from: Checkpoint, to: Checkpoint, signal: AbortSignal): Promise<Continuation> {
  const sizes = { from: from.size, to: to.size }
  if (to.origin !== from.origin) return { status: 'MISMATCH', reason: 'the checkpoints are of two logs', ...sizes }
  if (to.size < from.size)
    return { status: 'MISMATCH', reason: `the log had ${from.size} receipts and now has ${to.size}`, ...sizes }
  const { hashes } = await client.call('log.consistency', { query: sizes }, { signal })
  const path = hashes.map((hash) => hexDecode(hash))
  const holds =
    path.every((hash) => hash !== null) &&
    verifyConsistency({ ...sizes, fromRoot: from.root, toRoot: to.root, hashes: path })
  const differs = 'the log does not continue the one this checkpoint was taken of'
  if (!holds) return { status: 'MISMATCH', reason: differs, ...sizes }
  const reason = `the first ${from.size} of ${to.size} receipts are those of the checkpoint (root ${hexEncode(to.root)})`
  return { status: 'VERIFIED', reason, ...sizes }
}

const unavailable = (reason: string): Continuation => ({ status: 'UNAVAILABLE', reason, from: null, to: null })
