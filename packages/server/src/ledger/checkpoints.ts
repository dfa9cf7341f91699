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

/** The checkpoint in a note signed by our own log key; null for anything else. */
export async function ownCheckpoint(note: string, vkey: string): Promise<Checkpoint | null> {
  const report = await verifyCheckpoint(note, [vkey])
  return report.ok ? (report.checkpoint ?? null) : null
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
