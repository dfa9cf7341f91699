/** Whether what is stored of an effect's delivery is something that its moves can have led to. Each move is a
 *  document that no receipt stands for, so this cannot tell a lawful lie from the truth; it tells what no worker
 *  ever writes. */
import type { StoredEffect } from '../contract.ts'
import { backoffMs, EFFECT_STATES, type EffectProgress, LEASE_MS, MAX_ATTEMPTS } from './effect-transitions.ts'
import { MAX_RECOVERIES } from './recovery.ts'

export type StoredProgress = Pick<StoredEffect, keyof EffectProgress | 'created_at' | 'effect_id' | 'sink'>

/** How far the clocks of two machines may be apart before a time ahead of this one counts as made up. */
const SKEW_MS = 24 * 3_600_000
const MAX_MS = backoffMs(MAX_ATTEMPTS - 1)

/** `dueAt` is when its step said that it is first due. */
export function isLawful(effect: StoredProgress, dueAt: unknown, now: number): boolean {
  return (
    EFFECT_STATES.includes(effect.state) &&
    effect.created_at === dueAt &&
    isCounted(effect) &&
    (effect.sink === null) === (effect.state !== 'EXPORTED') &&
    (effect.lease_until === null) === (effect.state !== 'CLAIMED') &&
    BY_STATE[effect.state](effect, now)
  )
}

/** Every claim is an attempt, but for those that a recovery gave back. */
const isCounted = ({ attempts, recoveries, claim_generation }: StoredProgress): boolean =>
  isWithin(attempts, MAX_ATTEMPTS) && isWithin(recoveries, MAX_RECOVERIES) && claim_generation === attempts + recoveries

const isWithin = (count: number, most: number): boolean => Number.isSafeInteger(count) && count >= 0 && count <= most

const BY_STATE: Record<EffectProgress['state'], (effect: StoredProgress, now: number) => boolean> = {
  PENDING({ attempts, due_at, created_at, last_error }, now) {
    if (attempts === 0) return due_at === created_at && last_error === null
    return attempts < MAX_ATTEMPTS && last_error !== null && due_at <= now + MAX_MS + SKEW_MS
  },
  CLAIMED: ({ attempts, lease_until }, now) => attempts > 0 && (lease_until ?? 0) <= now + LEASE_MS + SKEW_MS,
  EXPORTED: ({ attempts, effect_id, last_error }) => attempts > 0 && effect_id !== null && last_error === null,
  DEAD_LETTER: ({ attempts, last_error }) =>
    attempts > 0 && last_error !== null && (last_error.class === 'PERMANENT' || attempts === MAX_ATTEMPTS),
}
