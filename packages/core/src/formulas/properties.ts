// One property per locked formula: draws a case, exercises the implementation and looks for a contradiction with a
// result that was made another way. The implementation is an argument, so that a broken one can be shown to be found.

import { canonicalBytes } from '../canonical.ts'
import type { LockedFormula } from '../doctrine.ts'
import { utf8Decode } from '../encoding.ts'
import { type DecodeResult, decodeShards, encodeShards, TOTAL_SHARDS } from '../erasure.ts'
import { parseJsonText } from '../json-text.ts'
import * as rule from './invariants.ts'
import type { Random } from './sfc32.ts'

/** A sentence that shows the contradiction, or null when the case holds. */
export type Property = (random: Random) => string | null

export type Implementations = {
  F1: { digestOf: typeof rule.replayDigest; replays: typeof rule.replays }
  F4: typeof rule.assertAcyclic
  F7: typeof rule.assertFifo
  F11: typeof rule.postTransaction
  F12: typeof rule.weightedSum
  F18: {
    encode(data: Uint8Array): Uint8Array[]
    decode(shards: readonly (Uint8Array | null)[], bytes: number): DecodeResult
  }
  F19: { spend: typeof rule.spend; affords: typeof rule.affords }
  F22: typeof rule.assertEmitsNext
}

export const IMPLEMENTATIONS: Implementations = {
  F1: { digestOf: rule.replayDigest, replays: rule.replays },
  F4: rule.assertAcyclic,
  F7: rule.assertFifo,
  F11: rule.postTransaction,
  F12: rule.weightedSum,
  F18: { encode: encodeShards, decode: decodeShards },
  F19: { spend: rule.spend, affords: rule.affords },
  F22: rule.assertEmitsNext,
}

export const PROPERTIES: { [Id in LockedFormula]: (implementation: Implementations[Id]) => Property } = {
  F1:
    ({ digestOf, replays }) =>
    (random) => {
      const value = drawValue(random, 2)
      const first = digestOf(value)
      if (digestOf(value) !== first) return 'the same value has two digests'
      if (digestOf(withKeysReversed(value)) !== first) return 'the order of keys changes the digest'
      const stored = canonicalBytes(value)
      if (digestOf(parseJsonText(utf8Decode(stored) as string)) !== first)
        return 'the value read back from its bytes has another digest'
      if (!replays(stored, first)) return 'the stored bytes do not replay to their digest'
      if (replays(canonicalBytes([value]), first)) return 'other bytes replay to the same digest'
      return digestOf([value]) === first ? 'another value has the same digest' : null
    },

  /** Whatever links the guard lets through, an order must exist in which every node comes after what it points to. */
  F4: (guard) => (random) => {
    const nodes = 3 + random.below(4)
    const links = times(nodes + 3, () => [random.below(nodes + 1) - 1, random.below(nodes)] as const)
    const admitted = links.filter(([prev, index]) => !refuses(() => guard(prev, index)))
    if (!hasTopologicalOrder(nodes, admitted)) return `a cycle was let through: ${JSON.stringify(admitted)}`
    const index = 1 + random.below(nodes)
    return refuses(() => guard(random.below(index), index)) ? 'a link that goes backwards was refused' : null
  },

  F7: (guard) => (random) => {
    const start = random.below(1000)
    const sent = times(2 + random.below(12), (i) => start + i)
    const prefix = sent.slice(0, random.below(sent.length + 1))
    if (refuses(() => guard(sent, prefix))) return `a prefix of ${prefix.length} was refused`
    const wrong = disturbed(sent, random)
    return refuses(() => guard(sent, wrong)) ? null : `${wrong.join()} passed for a prefix of ${sent.join()}`
  },

  F11: (post) => (random) => {
    const before = new Map(['a', 'b', 'c'].map((account) => [account, drawBig(random)]))
    const [part, rest] = [drawBig(random), drawBig(random)]
    const debit = [
      { account: 'a', micros: -(part + rest) },
      { account: 'b', micros: part },
      { account: 'c', micros: rest },
    ]
    const after = post(before, debit)
    if (after.get('a') !== before.get('a')! - part - rest) return 'the debit is not what was posted'
    const restored = post(
      after,
      debit.map(({ account, micros }) => ({ account, micros: -micros })),
    )
    if ([...before].some(([account, balance]) => restored.get(account) !== balance)) return 'a refund does not restore'
    const unbalanced = [...debit, { account: 'a', micros: 1n + drawBig(random) }]
    return refuses(() => post(before, unbalanced)) ? null : 'postings that do not add up to zero were taken'
  },

  F12: (sum) => (random) => {
    const size = 1 + random.below(6)
    const [weights, left, right] = [0, 1, 2].map(() => times(size, () => drawBig(random))) as [
      bigint[],
      bigint[],
      bigint[],
    ]
    const merged = left.map((score, i) => score + right[i]!)
    if (sum(weights, merged) !== sum(weights, left) + sum(weights, right)) return `not additive on ${merged.join()}`
    if (sum([...weights, ...weights], [...left, ...right]) !== sum(weights, merged)) return 'split and merge disagree'
    // A sum that is always zero is additive too: the unit pins the scale.
    return sum([weights[0]!], [1n]) === weights[0]! ? null : 'the weight of one unit is not its weight'
  },

  F18:
    ({ encode, decode }) =>
    (random) => {
      const data = Uint8Array.from(times(1 + random.below(24), () => random.below(256)))
      const erased = new Set<number>()
      const losses = random.below(6)
      while (erased.size < losses) erased.add(random.below(TOTAL_SHARDS))
      const left = encode(data).map((shard, i) => (erased.has(i) ? null : shard))
      const result = decode(left, data.length)
      if (refuses(() => rule.assertRestorable(losses)))
        return result.ok ? `${losses} shards lost, and yet something was restored` : null
      if (!result.ok) return `${losses} shards lost could not be restored`
      return result.data.length === data.length && result.data.every((byte, i) => byte === data[i])
        ? null
        : `${losses} shards lost restored other bytes`
    },

  F19:
    ({ spend, affords }) =>
    (random) => {
      const cap = drawBig(random)
      let budget: rule.Budget = { spent: 0n, cap }
      for (let i = 0; i < 4; i += 1) {
        const amount = (cap / 4n) * BigInt(random.below(3)) + BigInt(random.below(5))
        const total = budget.spent + amount
        if (affords(budget, amount) !== total <= cap) return `${total} of ${cap} is affordable by mistake, or is not`
        if (total > cap) {
          if (!refuses(() => spend(budget, amount))) return `${total} of ${cap} was spent`
          continue
        }
        budget = spend(budget, amount)
        if (budget.spent !== total || budget.cap !== cap) return `${amount} made ${budget.spent} of ${total}`
      }
      const refund = -1n - BigInt(random.below(9))
      if (affords(budget, refund)) return 'a refund passes for an expense'
      return refuses(() => spend(budget, refund)) ? null : 'what was spent fell'
    },

  F22: (guard) => (random) => {
    const log: number[] = [random.below(2 ** 20)]
    for (let i = 0; i < 5; i += 1) {
      const proposed = log.at(-1)! + random.below(4) - 1
      if (!refuses(() => guard(log.at(-1)!, proposed))) log.push(proposed)
    }
    const at = log.findIndex((index, i) => i > 0 && index !== log[0]! + i)
    if (at >= 0) return `${log[at]} was emitted at place ${at} after ${log[at - 1]}`
    return refuses(() => guard(log.at(-1)!, log.at(-1)! + 1)) ? 'the next index was refused' : null
  },
}

/** Only a violation counts as a refusal; any other failure is a fault of its own and goes up. */
function refuses(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (error instanceof rule.InvariantViolation) return true
    throw error
  }
}

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Beyond 2^53, where doubles begin to round. */
const drawBig = (random: Random): bigint => (BigInt(random.next()) << 32n) + BigInt(random.next()) + 8n

function drawValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 6 : 4)
  if (kind === 0) return random.below(2 ** 31) / 8
  if (kind === 1) return random.below(2) === 0
  if (kind === 2) return null
  if (kind === 3) return String.fromCodePoint(...times(random.below(8), () => 0x20 + random.below(0x300)))
  if (kind === 4) return times(random.below(4), () => drawValue(random, depth - 1))
  return Object.fromEntries(
    times(2 + random.below(3), (i) => [`k${i}${random.below(9)}`, drawValue(random, depth - 1)]),
  )
}

function withKeysReversed(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(withKeysReversed)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, withKeysReversed(inner)]),
  )
}

/** Removes nodes nobody unplaced is pointed to by, until none is left or none can be removed. */
function hasTopologicalOrder(nodes: number, links: readonly (readonly [number, number])[]): boolean {
  const waiting = new Set(times(nodes, (i) => i))
  for (let before = -1; before !== waiting.size; ) {
    before = waiting.size
    for (const node of waiting)
      if (!links.some(([prev, index]) => index === node && waiting.has(prev))) waiting.delete(node)
  }
  return waiting.size === 0
}

/** Not a prefix any more: two places swapped, one skipped, one doubled, or one that was never sent. */
function disturbed(sent: readonly number[], random: Random): number[] {
  const at = random.below(sent.length - 1)
  const wrong = [...sent]
  switch (random.below(4)) {
    case 0:
      ;[wrong[at], wrong[at + 1]] = [wrong[at + 1]!, wrong[at]!]
      return wrong
    case 1:
      wrong.splice(at, 1)
      return wrong
    case 2:
      wrong.splice(at, 0, wrong[at]!)
      return wrong
    default:
      return [...sent, sent.at(-1)! + 1]
  }
}
