import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isLawful, type StoredProgress } from './effect-progress.ts'
import { claim, type EffectProgress, exported, failed, leaseExpired, newEffect } from './effect-transitions.ts'
import { recover } from './recovery.ts'

const START = 1_700_000_000_000
const stored = (progress: EffectProgress): StoredProgress => ({
  ...progress,
  created_at: START,
  effect_id: progress.attempts === 0 ? null : 'e',
  sink: progress.state === 'EXPORTED' ? 'files' : null,
})

type Move = (row: EffectProgress, now: number) => EffectProgress | null
const MOVES: Record<string, Move> = {
  claim,
  export: (row) => exported(row, row.claim_generation),
  fail: (row, now) => failed(row, row.claim_generation, 'EIO', now),
  refuse: (row, now) => failed(row, row.claim_generation, 'EACCES', now),
  expire: leaseExpired,
  recover: (row, now) => recover([{ ...row, effect_id: 'e' }], 1, now).rows[0] ?? null,
}

test('whatever workers and recoveries make of an effect is lawful', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.keys(MOVES)), { maxLength: 60 }), (moves) => {
      let [row, now] = [newEffect(START), START]
      for (const move of moves) {
        row = MOVES[move]!(row, now) ?? row
        now += 400_000
        assert.ok(isLawful(stored(row), START, now), `${move}: ${JSON.stringify(row)}`)
      }
    }),
    { seed: 12 },
  )
})

const fresh = stored(newEffect(START))
const failedOnce = stored(failed(claim(newEffect(START), START)!, 1, 'EIO', START)!)
const done = stored(exported(claim(newEffect(START), START)!, 1)!)
const edits: [what: string, effect: StoredProgress][] = [
  ['exported and never claimed', { ...fresh, state: 'EXPORTED', sink: 'files', effect_id: 'e' }],
  ['exported to no sink', { ...done, sink: null }],
  ['exported without an id', { ...done, effect_id: null }],
  ['put off for ever before its first attempt', { ...fresh, due_at: START + 1 }],
  ['put off for ever after a failure', { ...failedOnce, due_at: START + 10 * 24 * 3_600_000 }],
  ['waiting with no attempt left', { ...fresh, attempts: 8 }],
  ['waiting with no attempt left and claims to match', { ...failedOnce, attempts: 8, claim_generation: 8 }],
  ['taken back after it was exported', { ...done, state: 'PENDING' }],
  ['given up before anybody tried', { ...fresh, state: 'DEAD_LETTER' }],
  ['recovered less than never', { ...fresh, recoveries: -100 }],
  ['of another time than its step', { ...fresh, created_at: START - 1, due_at: START - 1 }],
  ['claimed for ever', { ...stored(claim(newEffect(START), START)!), lease_until: Number.MAX_SAFE_INTEGER }],
  ['in a state there is none', { ...fresh, state: 'LOST' as 'PENDING' }],
]
for (const [what, effect] of edits)
  test(`an effect ${what} is not lawful`, () => {
    assert.equal(isLawful(effect, START, START), false)
  })
