/** Signed checkpoints: what the log says of itself, kept in the store and, for the day the store is rolled back, in the
 *  guard outside it. */
import {
  type Checkpoint,
  formatCheckpoint,
  formatVkey,
  frontierRoot,
  generationOf,
  hexEncode,
  type NoteSigner,
  parseCheckpoint,
  parseNote,
  parseVkey,
  signNote,
  verifyCheckpoint,
} from '@orch/core'
import { TreeDamaged } from '../errors.ts'
import type { CheckpointRow } from './contract.ts'
import type { Head } from './types.ts'

export const signHead = (head: Head, signer: NoteSigner): Promise<string> =>
  signNote(formatCheckpoint({ origin: signer.name, size: head.size, root: frontierRoot(head.frontier) }), signer)

/** The checkpoint in a note signed by our own log key under this very name; null for anything else. */
export async function ownCheckpoint(note: string, vkey: string): Promise<Checkpoint | null> {
  const report = await verifyCheckpoint(note, [vkey], parseVkey(vkey)!.name)
  return report.ok ? (report.checkpoint ?? null) : null
}

/** The same of any generation of our log: one that was restored keeps its key and gets another name. */
export async function checkpointOfAnyGeneration(note: string, vkey: string): Promise<Checkpoint | null> {
  const { name, publicKey } = parseVkey(vkey)!
  const parsed = parseNote(note)
  const origin = parsed === null ? undefined : parseCheckpoint(parsed.text)?.origin
  if (origin === undefined || generationOf(origin).base !== generationOf(name).base) return null
  return ownCheckpoint(note, formatVkey(origin, publicKey))
}

/** A row of the store whose note our own log key signed, over as many receipts as the row is filed under. */
export interface OwnCheckpoint {
  note: string
  checkpoint: Checkpoint
}

const FOREIGN_NOTE =
  'the newest checkpoint in the store was not signed by this log; restore the store, or log-key.pem, from a copy'

/** Whoever can edit the store can file any note under any size, and the largest size is taken for the newest: so a row
 *  counts only for what its note says. A sentence where the two do not agree. */
export async function readCheckpoint(row: CheckpointRow, vkey: string): Promise<OwnCheckpoint | string> {
  const checkpoint = await ownCheckpoint(row.note, vkey)
  if (checkpoint === null) return FOREIGN_NOTE
  if (checkpoint.size === row.size) return { note: row.note, checkpoint }
  return `the checkpoint that the store files under ${row.size} receipts was signed over ${checkpoint.size}; restore the store from a copy`
}

/** The newest checkpoint as it may be shown: its note verified, once per note. `onFault` hears of one that is not ours
 *  before whoever asked does. */
export function checkpointReader(
  read: () => Promise<CheckpointRow | null>,
  vkey: string,
  onFault: (reason: string) => void,
): () => Promise<CheckpointRow | null> {
  let known: CheckpointRow | null = null
  return async () => {
    const row = await read()
    if (row === null || (row.note === known?.note && row.size === known.size)) return row
    const found = await readCheckpoint(row, vkey)
    if (typeof found !== 'string') {
      known = row
      return row
    }
    onFault(found)
    throw new TreeDamaged(found)
  }
}

/** A head as people and the command line write it. */
export const headText = (head: { size: number; root: Uint8Array } | null): string =>
  head === null ? 'none' : `${head.size}:${hexEncode(head.root)}`

/** Why a store may not be appended to, or null: its head must not be behind what was signed, nor its history another. */
export function rollbackReason(guard: Checkpoint, head: { size: number }, rootThen: Uint8Array | null): string | null {
  if (head.size < guard.size)
    return `the store holds ${head.size} receipts, but a checkpoint over ${guard.size} was signed: it was rolled back`
  if (rootThen === null || hexEncode(rootThen) !== hexEncode(guard.root))
    return `the store holds another history than the one signed at ${guard.size} receipts`
  return null
}
