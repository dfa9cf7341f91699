/** Signed checkpoints: what the log says of itself, kept in the store and, for the day the store is rolled back, in a
 *  file beside it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Checkpoint,
  formatCheckpoint,
  frontierRoot,
  hexEncode,
  type NoteSigner,
  signNote,
  verifyCheckpoint,
} from '@orch/core'
import type { Head } from './types.ts'

export const GUARD_FILE = 'last-checkpoint.txt'

export const signHead = (head: Head, signer: NoteSigner): Promise<string> =>
  signNote(formatCheckpoint({ origin: signer.name, size: head.size, root: frontierRoot(head.frontier) }), signer)

/** The checkpoint in a note signed by our own log key; throws for anything else, since only we write it. */
export async function readOwnNote(note: string, vkey: string): Promise<Checkpoint> {
  const report = await verifyCheckpoint(note, [vkey])
  if (!report.ok || report.checkpoint === undefined)
    throw new Error(`a stored checkpoint does not verify (${report.reason})`)
  return report.checkpoint
}

export function readGuard(folder: string): string | null {
  const file = join(folder, GUARD_FILE)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/** Why a store may not be appended to, or null: its head must not be behind what was signed, nor its history another. */
export function rollbackReason(guard: Checkpoint, head: { size: number }, rootThen: Uint8Array | null): string | null {
  if (head.size < guard.size)
    return `the store holds ${head.size} receipts, but a checkpoint over ${guard.size} was signed: it was rolled back`
  if (rootThen === null || hexEncode(rootThen) !== hexEncode(guard.root))
    return `the store holds another history than the one signed at ${guard.size} receipts`
  return null
}
