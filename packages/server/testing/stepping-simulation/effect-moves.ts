// What may become of an effect, from one commit to the next, and at whose hand. Written from the rules and not from the
// code that is tried.

import type { StoredEffect } from '../../src/features/stepping/contract.ts'
import type { StoredDocument } from '../../src/ledger/contract.ts'
import type { DocumentChange } from '../../src/ledger/side-writes.ts'

const LEASE_MS = 300_000
const MAX_ATTEMPTS = 8
const MAX_RECOVERIES = 3

export class EffectMoves {
  /** Who holds an effect, by its key. */
  private readonly claimants = new Map<string, string>()

  /** Null where the move is a lawful one; else what is wrong with it. */
  fault(machine: string, before: StoredDocument | null, change: DocumentChange, inSink: (id: string) => boolean) {
    if (change.value === null) return 'an effect was removed'
    const next = JSON.parse(change.value) as StoredEffect
    if (change.state !== next.state) return 'an effect is listed under another state than it has'
    if (next.attempts > MAX_ATTEMPTS || next.recoveries > MAX_RECOVERIES) return 'too many attempts or recoveries'
    if (before === null) return bornWell(change, next)
    const old = JSON.parse(before.value!) as StoredEffect
    if (identity(old) !== identity(next)) return 'an effect became another one'
    if (old.effect_id !== null && old.effect_id !== next.effect_id) return 'an effect has another id than before'
    const move = `${old.state} to ${next.state}`
    if (next.state === 'CLAIMED') return this.claimed(machine, change.key, old, next)
    if (next.claim_generation !== old.claim_generation) return `${move} by another claim`
    if (old.state === 'CLAIMED') return this.ended(machine, change.key, next, inSink)
    const revived = old.state === 'DEAD_LETTER' || old.state === 'PENDING'
    return revived && next.state === 'PENDING' && next.due_at <= old.due_at + revivalDelay(old) ? null : move
  }

  private claimed(machine: string, key: string, old: StoredEffect, next: StoredEffect): string | null {
    this.claimants.set(key, machine)
    const counted = next.attempts === old.attempts + 1 && next.claim_generation === old.claim_generation + 1
    if (old.state !== 'PENDING' || !counted) return `claimed from ${old.state}, or not counted`
    return next.lease_until !== null && next.lease_until >= old.due_at + LEASE_MS ? null : 'claimed before it was due'
  }

  /** Only the worker that holds it says what came of it; time alone speaks for one that is not heard of. */
  private ended(machine: string, key: string, next: StoredEffect, inSink: (id: string) => boolean): string | null {
    const own = this.claimants.get(key) === machine
    const byTime = next.last_error?.code.startsWith('LEASE_EXPIRED') === true && next.state !== 'EXPORTED'
    if (!own && !byTime) return `${next.state} at the hand of ${machine}, which does not hold it`
    if (next.state === 'EXPORTED' && !inSink(next.effect_id ?? '')) return 'exported and not in the sink'
    return null
  }
}

/** A dead letter comes back at the present, which may be later than it was due. */
const revivalDelay = ({ state }: StoredEffect): number => (state === 'DEAD_LETTER' ? Number.MAX_SAFE_INTEGER / 2 : 0)

const identity = ({ namespace, owner_id, session_id, step, kind }: StoredEffect): string =>
  JSON.stringify([namespace, owner_id, session_id, step, kind])

const bornWell = (change: DocumentChange, { state, attempts, claim_generation }: StoredEffect): string | null =>
  state === 'PENDING' && attempts === 0 && claim_generation === 0 && change.nodeIndex !== null
    ? null
    : 'an effect began without its receipt'
