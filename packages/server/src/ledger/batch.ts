/** A batch on its way to the store: what it is made of, what the store is given of it, and what its callers get back. */
import { frontierRoot, hexEncode } from '@orch/core'
import type { BatchProofs } from './batch-proofs.ts'
import type { Appended, KeyKind } from './contract.ts'
import type { DocumentVersions } from './document-versions.ts'
import { toAppended, type Waiting } from './outcome.ts'
import type { Placement } from './place.ts'
import type { Refusal } from './refusals.ts'
import { checkSideWrites, hasSideWrites, NO_CHANGES, type SideWriteChanges } from './side-writes.ts'
import type { Batch, LedgerStore } from './store/store.ts'
import type { Head } from './types.ts'

export type Signatures = readonly (Uint8Array | null)[]

/** Came second to a document that its batch changes, or to the room of a counter. They hear of it after the commit: told
 *  any sooner, they would read what is about to change, and if there is no commit, they lost to nobody. */
interface RejectedAppend {
  item: Waiting
  reason: Refusal
}

export interface InFlight {
  waiting: Waiting[]
  rejected: RejectedAppend[]
  sideWrites: SideWriteChanges
  placement: Placement
  before: Head
  key: { keyid: string; kind: KeyKind } | null
  signatures: Promise<Signatures>
  /** When it went to the signer and when it came back. */
  signing: { from: number; to: number }
  /** By position in the batch; nothing where nobody asked. */
  paths: ReadonlyMap<number, string>
}

export const allWaiting = ({ waiting, rejected }: InFlight): Waiting[] => [
  ...waiting,
  ...rejected.map(({ item }) => item),
]

export interface Contested extends Pick<InFlight, 'rejected' | 'sideWrites'> {
  fresh: Waiting[]
  /** They lost to what is durable and hear of it at once. */
  refused: RejectedAppend[]
  /** They lost to the batch before, which is on its way to the disk, and are judged again when it has arrived there. */
  postponed: Waiting[]
}

/** What a batch is placed on: the ledger of this size, and what the batch before, where one is under way, changes. */
interface Ground {
  size: number
  previous: SideWriteChanges
}

/** Of two in one batch that want the same document or the last room of a counter, the earlier has it. */
export async function separateConflicts(
  store: LedgerStore,
  waiting: Waiting[],
  versions: DocumentVersions,
  { size, previous }: Ground,
): Promise<Contested> {
  const entries = waiting.map(({ entry }) => entry)
  const contested: Contested = { fresh: [], rejected: [], refused: [], postponed: [], sideWrites: NO_CHANGES }
  if (!entries.some(hasSideWrites)) return { ...contested, fresh: waiting }
  const check = await checkSideWrites(store, entries, versions, previous)
  const { fresh, rejected, refused, postponed } = contested
  for (const item of waiting) {
    const conflict = check.findConflict(item.entry)
    if (conflict === null) check.take(item.entry, size + fresh.push(item) - 1)
    else if (conflict.by === 'previous') postponed.push(item)
    else (conflict.by === 'store' ? refused : rejected).push({ item, reason: conflict.reason })
  }
  return { ...contested, sideWrites: check.changes() }
}

const NO_PATHS: InFlight['paths'] = new Map()

/** The inclusion paths of those who asked for them. */
export async function provePaths(
  proofs: BatchProofs,
  waiting: readonly Waiting[],
  placement: Placement,
): Promise<InFlight['paths']> {
  const asked = [...waiting.keys()].filter((at) => waiting[at]!.entry.prove)
  if (asked.length === 0) return NO_PATHS
  const paths = await proofs.of(placement, asked)
  return new Map(asked.map((at, order) => [at, Buffer.concat(paths[order]!).toString('hex')]))
}

export const toStoreBatch = (
  { waiting, sideWrites, placement, key }: InFlight,
  signatures: Signatures,
  atMs: number,
): Batch => ({
  ...placement,
  signatures,
  keyid: key?.keyid ?? null,
  ...(sideWrites.documents.length > 0 ? { documents: sideWrites.documents } : {}),
  ...(sideWrites.counters.length > 0 ? { counters: sideWrites.counters } : {}),
  answers: waiting.flatMap(({ entry }, at) =>
    entry.idempotency === null ? [] : [{ ...entry.idempotency, nodeIndex: placement.placed[at]!.nodeIndex, atMs }],
  ),
})

/** What each caller gets once the batch is durable, by position in the batch. */
export function toAppendedBatch(
  { placement, key, signing, paths }: InFlight,
  signatures: Signatures,
  storing: { from: number; to: number },
): Appended[] {
  const batch = { size: placement.placed.length, signing, storing }
  const root = paths.size === 0 ? null : rootHex(placement.head)
  return placement.placed.map((row, at) => {
    const hashes = paths.get(at)
    const inclusion = root === null || hashes === undefined ? null : { root, hashes }
    return toAppended(row, placement.head.size, { signature: signatures[at] ?? null, key, inclusion, batch })
  })
}

/** The signatures of the batch; null where the signer failed. A signer with a key that leaves out a signature has failed:
 *  nothing becomes unsigned by accident. */
export async function signaturesFor({ placement, signatures, key }: InFlight): Promise<Signatures | null> {
  const made = await signatures.catch(() => null)
  const isWhole = made !== null && (key === null || placement.placed.every((row, at) => row.unsigned || made[at]))
  return isWhole ? made : null
}

/** Why `locked` cannot be continued; null where it can. What this node has committed or seen committed stays: a head that
 *  is behind it, or as long and another one, is that of a copy put in its place or of a standby that lagged, and appending
 *  to it would make a second history. */
export function rollbackReason(locked: Head, own: Head): string | null {
  if (locked.size > own.size || isSameHead(locked, own)) return null
  return locked.size < own.size
    ? `the store holds ${locked.size} receipts, but ${own.size} were recorded: it was rolled back`
    : `the store holds another history of ${own.size} receipts than the one that was recorded`
}

/** Whether two heads have one size and one tree. */
export const isSameHead = (a: Head, b: Head): boolean =>
  a.size === b.size && Buffer.concat(a.frontier.hashes).equals(Buffer.concat(b.frontier.hashes))

export const rootHex = (head: Head): string => hexEncode(frontierRoot(head.frontier))
