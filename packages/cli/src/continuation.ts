// Whether the log of today continues the one a reader saw before. The reader's checkpoint and the keys pinned here are
// what counts; everything the service says has to fit them.
import { readFileSync } from 'node:fs'
import type { Client } from '@orch/client'
import { type Checkpoint, hexDecode, hexEncode, verifyCheckpoint, verifyConsistency } from '@orch/core'
import { usage } from './exit.ts'

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
  const before = await verifyCheckpoint(readNote(file), [...logKeys])
  if (!before.checkpoint) return said('UNAVAILABLE', `${file} is not signed by a pinned log key`)
  const after = await verifyCheckpoint(await client.call('log.checkpoint', {}, { signal }), [...logKeys])
  if (!after.checkpoint) return said('UNAVAILABLE', 'the checkpoint of the service is not signed by a pinned log key')
  return compare(client, before.checkpoint, after.checkpoint, signal)
}

async function compare(client: Client, from: Checkpoint, to: Checkpoint, signal: AbortSignal): Promise<Continuation> {
  const sizes = { from: from.size, to: to.size }
  if (to.origin !== from.origin) return { ...said('MISMATCH', 'the checkpoints are of two logs'), ...sizes }
  if (to.size < from.size)
    return { ...said('MISMATCH', `the log had ${from.size} receipts and now has ${to.size}`), ...sizes }
  const { hashes } = await client.call('log.consistency', { query: sizes }, { signal })
  const path = hashes.map((hash) => hexDecode(hash))
  const holds =
    path.every((hash) => hash !== null) &&
    verifyConsistency({ ...sizes, fromRoot: from.root, toRoot: to.root, hashes: path })
  if (!holds) return { ...said('MISMATCH', 'the log does not continue the one this checkpoint was taken of'), ...sizes }
  const reason = `the first ${from.size} of ${to.size} receipts are those of the checkpoint (root ${hexEncode(to.root)})`
  return { ...said('VERIFIED', reason), ...sizes }
}

const said = (status: Continuation['status'], reason: string): Continuation => ({
  status,
  reason,
  from: null,
  to: null,
})

function readNote(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
