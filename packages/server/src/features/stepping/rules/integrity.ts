/** The re-walk of a namespace's states with their receipts and effects. It relies on what it has recomputed alone.
 *  It goes on after a break, so that everything wrong is counted, and names the first. Its state grows with the
 *  number of sessions and never with the number of steps. */
import { canonicalBytes, hexEncode, leafHash, rootOf } from '@orch/core'
import {
  type BrokenKind,
  beforeOf,
  faultsOf,
  INVALID_KINDS,
  type InvalidKind,
  type SessionHead,
  type StateEntry,
  type Walked,
} from './integrity-faults.ts'
import { FIRST_PREV, sessionName } from './state.ts'
import { afterVerdicts, reviewsAfter, type WalkedVerdict } from './verdicts.ts'

/** `session` is its name to those who may not know its id; null where the fault belongs to none. */
export interface Broken {
  session: string | null
  index: number
  kind: BrokenKind
}

/** So that a walk can stop at a checkpoint and go on from there. Restore only what was kept safe. Heads are never
 *  changed, only replaced, so that states share them: the walk of every minute copied each up to four times. */
export interface IntegrityState extends Walked {
  heads: readonly Readonly<SessionHead>[]
  first_broken: Broken | null
  invalid: Record<InvalidKind, number>
  missing_receipts: number
  orphan_receipts: number
}

export const integrityStart = (): IntegrityState => ({
  next_index: 0,
  last_node_index: -1,
  heads: [],
  first_broken: null,
  invalid: Object.fromEntries(INVALID_KINDS.map((kind) => [kind, 0])) as Record<InvalidKind, number>,
  missing_receipts: 0,
  orphan_receipts: 0,
})

export class IntegrityWalker {
  private readonly heads: Map<string, Readonly<SessionHead>>
  private readonly counts: Omit<IntegrityState, 'heads'>

  /** Without a state the walk starts at genesis. */
  constructor(state: IntegrityState = integrityStart()) {
    const { heads, ...counts } = state
    this.heads = new Map(heads.map((head) => [head.session, head]))
    this.counts = structuredClone(counts)
  }

  /** Entries come in the order they were recorded, all sessions together. */
  push(entry: StateEntry): void {
    const { record, receipt, index, state_hash } = entry
    const session = nameOf(entry)
    for (const kind of faultsOf(entry, this.heads.get(session) ?? null, this.counts)) this.fault(session, index, kind)
    const { step, spent, budget, granted } = record
    const receipt_digest = receipt?.digest ?? FIRST_PREV
    const before = beforeOf(record, this.heads.get(session) ?? null)
    const { reviews } = afterVerdicts(before, entry.verdicts ?? []) ?? before
    const open = reviewsAfter(reviews, record, receipt)
    this.heads.set(session, { session, step, state_hash, receipt_digest, spent, budget, granted, reviews: open })
    this.counts.next_index = index + 1
    this.counts.last_node_index = receipt?.node_index ?? this.counts.last_node_index
  }

  /** A receipt of a step whose state is gone: a tail was cut off, or a row deleted. */
  orphan(index: number): void {
    this.fault(null, index, 'orphan_receipt')
  }

  /** A state that no receipt names: somebody wrote past the service. */
  stray(session: string | null): void {
    this.fault(session, this.counts.next_index, 'missing_receipt')
  }

  /** A record that was walked before, looked at once more: what is wrong with it counts, and nothing else is kept. */
  recheck(entry: StateEntry, head: SessionHead | null): void {
    const walked = { next_index: entry.index, last_node_index: -1 }
    for (const kind of faultsOf(entry, head, walked)) this.fault(nameOf(entry), entry.index, kind)
  }

  /** Something about the chain itself that belongs to no one record, such as a place in it that is empty. */
  broken(kind: BrokenKind, index = this.counts.next_index): void {
    this.fault(null, index, kind)
  }

  /** Against all heads as kept elsewhere, such as the session rows: finds what was cut off an end. */
  compareHeads(expected: Iterable<StoredHead>): void {
    let known = 0
    for (const stored of expected) {
      const head = this.heads.get(stored.session)
      if (head) known++
      const kind = headFault(head, stored)
      if (kind !== null) this.fault(stored.session, this.counts.next_index, kind)
    }
    if (known !== this.heads.size) this.fault(null, this.counts.next_index, 'checkpoint')
  }

  /** Index of the next record. */
  get next(): number {
    return this.counts.next_index
  }

  get isBroken(): boolean {
    return this.counts.first_broken !== null
  }

  state(): IntegrityState {
    return { ...structuredClone(this.counts), heads: [...this.heads.values()] }
  }

  private fault(session: string | null, index: number, kind: BrokenKind): void {
    this.counts.first_broken ??= { session, index, kind }
    if (kind === 'missing_receipt') this.counts.missing_receipts++
    else if (kind === 'orphan_receipt') this.counts.orphan_receipts++
    else if (kind !== 'checkpoint') this.counts.invalid[kind]++
  }
}

/** A head as it is kept beside the records. */
export interface StoredHead
  extends Pick<SessionHead, 'session' | 'step' | 'state_hash' | 'spent' | 'budget' | 'granted'> {
  pending_reviews: number
  /** Since the newest step, oldest first; null where their receipts do not lead there. */
  verdicts: readonly WalkedVerdict[] | null
  /** Whether all of it, with its columns, is what its receipt left. */
  intact: boolean
}

/** Between two steps people may have settled reviews, and their receipts say how; nothing else changes. */
function headFault(head: SessionHead | undefined, stored: StoredHead): BrokenKind | null {
  if (head?.step !== stored.step) return 'step_gap'
  if (head.state_hash !== stored.state_hash) return 'state_hash'
  const now = stored.verdicts && afterVerdicts(head, stored.verdicts)
  const { spent, budget, granted } = now ?? {}
  if (stored.spent !== spent || stored.budget !== budget || stored.granted !== granted) return 'spent'
  if (stored.verdicts?.some(({ signature_valid }) => signature_valid === false)) return 'signature'
  const waiting = now?.reviews?.filter(({ approved }) => !approved).length ?? stored.pending_reviews
  return stored.intact && waiting === stored.pending_reviews ? null : 'state_hash'
}

/** Of a stored record, which may hold anything. */
function nameOf({ record: { namespace, owner_id, session_id } }: StateEntry): string {
  const text = (part: unknown) => String(part).toWellFormed()
  return sessionName(text(namespace), text(owner_id), text(session_id))
}

/** RFC 6962 over the heads, sorted by session; the root of no session is that of the empty tree. */
export function headsRoot(heads: Iterable<SessionHead>): { root: string; leaves: number } {
  const leaves = [...heads]
    .sort((a, b) => (a.session < b.session ? -1 : 1))
    .map(({ session, step, state_hash, receipt_digest }) =>
      leafHash(canonicalBytes({ session, step, state_hash, receipt_digest })),
    )
  return { root: hexEncode(rootOf(leaves)), leaves: leaves.length }
}
