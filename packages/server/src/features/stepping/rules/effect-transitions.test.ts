import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  claim,
  type EffectProgress,
  exported,
  failed,
  LEASE_MS,
  leaseExpired,
  newEffect,
} from './effect-transitions.ts'
import { type RecoverableEffect, recover } from './recovery.ts'

const claimed = (): EffectProgress => claim(newEffect(0), 0)!
const errorClass = (code: string) => failed(claimed(), 1, code, 0)!.last_error!.class

test('a claim counts an attempt, a generation and a lease of five minutes', () => {
  assert.deepEqual(claimed(), {
    ...newEffect(0),
    state: 'CLAIMED',
    attempts: 1,
    claim_generation: 1,
    lease_until: LEASE_MS,
  })
  assert.equal(claim({ ...newEffect(0), due_at: 10 }, 9), null)
  assert.equal(claim(claimed(), 0), null)
})

test('a worker that lost its claim changes nothing', () => {
  const again = claim(leaseExpired(claimed(), LEASE_MS)!, LEASE_MS + 5_000)!
  assert.equal(again.claim_generation, 2)
  assert.equal(exported(again, 1), null)
  assert.equal(failed(again, 1, 'EIO', LEASE_MS), null)
  assert.equal(exported(again, 2)?.state, 'EXPORTED')
  assert.equal(exported(exported(again, 2)!, 2), null)
})

test('a passing failure waits longer each time and the eighth is the last', () => {
  let row = newEffect(0)
  const waits: number[] = []
  for (let now = 0; row.state === 'PENDING'; now = row.due_at) {
    const taken = claim(row, now)!
    row = failed(taken, taken.claim_generation, 'ECONNRESET', now)!
    waits.push((row.due_at - now) / 1000)
  }
  assert.deepEqual(waits.slice(0, 7), [5, 10, 20, 40, 80, 160, 320])
  assert.equal(row.state, 'DEAD_LETTER')
  assert.equal(row.attempts, 8)
})

test('a permanent failure is not tried again, an unknown one is', () => {
  assert.equal(failed(claimed(), 1, 'ARTIFACT_CONFLICT', 0)?.state, 'DEAD_LETTER')
  const unknown = failed(claimed(), 1, 'connection timed out', 0)!
  assert.deepEqual([unknown.state, unknown.last_error?.class], ['PENDING', 'UNCLASSIFIED'])
})

test('classes follow the code and never its look', () => {
  const cases = {
    HTTP_503: 'TRANSIENT',
    HTTP_429: 'TRANSIENT',
    HTTP_408: 'TRANSIENT',
    HTTP_404: 'PERMANENT',
    HTTP_302: 'UNCLASSIFIED',
    HTTP_5000: 'UNCLASSIFIED',
    LEASE_EXPIRED: 'TRANSIENT',
    EACCES: 'PERMANENT',
    eacces: 'UNCLASSIFIED',
    '': 'UNCLASSIFIED',
  }
  for (const [code, expected] of Object.entries(cases)) assert.equal(errorClass(code), expected, code)
})

test('a lease that ends is a failure, on the last attempt a final one', () => {
  assert.equal(leaseExpired(claimed(), LEASE_MS - 1), null)
  assert.deepEqual(leaseExpired(claimed(), LEASE_MS)?.last_error?.code, 'LEASE_EXPIRED')
  const last = leaseExpired({ ...claimed(), attempts: 8 }, LEASE_MS)
  assert.deepEqual([last?.state, last?.last_error?.code], ['DEAD_LETTER', 'LEASE_EXPIRED_FINAL_ATTEMPT'])
})

const row = (effect_id: string, given: Partial<RecoverableEffect>): RecoverableEffect => ({
  ...newEffect(0),
  effect_id,
  ...given,
})
const error = (code: string) => ({ class: errorClass(code), code, at: '2026-01-01T00:00:00.000Z' })

test('recovery takes passing failures, oldest first, and counts what it leaves', () => {
  const rows = [
    row('waiting', { attempts: 3, due_at: 90, last_error: error('EIO') }),
    row('dead', { state: 'DEAD_LETTER', attempts: 8, recoveries: 2, last_error: error('HTTP_503') }),
    row('third', { state: 'DEAD_LETTER', attempts: 8, recoveries: 3, last_error: error('EIO') }),
    row('refused', { state: 'DEAD_LETTER', attempts: 1, last_error: error('EACCES') }),
    row('strange', { attempts: 1, due_at: 90, last_error: error('WHAT') }),
    row('held', { state: 'CLAIMED', attempts: 1, lease_until: 99 }),
    row('new', {}),
    row('due', { attempts: 1, due_at: 1, last_error: error('EIO') }),
    row('later', { attempts: 1, due_at: 90, last_error: error('EIO') }),
  ]
  const { rows: changed, selection_sha256, ...report } = recover(rows, 2, 50)
  assert.deepEqual(report, {
    inspected: 7,
    eligible: 3,
    rescheduled: 2,
    revived_dead_letters: 1,
    eligible_remaining: 1,
    skipped: { claimed: 1, permanent: 1, unclassified: 1, recovery_limit: 1 },
    by_code: { EIO: 1, HTTP_503: 1 },
    selection: [
      { effect_id: 'waiting', from: 'PENDING', attempts: 3 },
      { effect_id: 'dead', from: 'DEAD_LETTER', attempts: 8 },
    ],
  })
  assert.match(selection_sha256, /^[0-9a-f]{64}$/)
  assert.deepEqual(
    changed.map(({ effect_id, state, attempts, due_at, recoveries }) => [
      effect_id,
      state,
      attempts,
      due_at,
      recoveries,
    ]),
    [
      ['waiting', 'PENDING', 3, 50, 0],
      ['dead', 'PENDING', 7, 50, 3],
    ],
  )
})

test('whatever happens, attempts stay at most eight and an exported effect stays so', () => {
  const event = fc.record({
    kind: fc.constantFrom('claim', 'export', 'fail', 'expire', 'recover'),
    code: fc.constantFrom('EIO', 'EACCES', 'WHAT'),
    stale: fc.boolean(),
    wait: fc.integer({ min: -1000, max: 400_000 }),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      let [now, current] = [0, row('one', {})]
      for (const { kind, code, stale, wait } of events) {
        now = Math.max(0, now + wait)
        const generation = current.claim_generation - (stale ? 1 : 0)
        const next = {
          claim: () => claim(current, now),
          export: () => exported(current, generation),
          fail: () => failed(current, generation, code, now),
          expire: () => leaseExpired(current, now),
          recover: () => recover([current], 1, now).rows[0] ?? null,
        }[kind]!()
        assert.ok(current.state !== 'EXPORTED' || next === null)
        if (stale && (kind === 'export' || kind === 'fail')) assert.equal(next, null)
        if (next) current = { ...current, ...next }
        assert.ok(current.attempts <= 8 && current.recoveries <= 3)
        assert.equal(current.lease_until !== null, current.state === 'CLAIMED')
      }
    }),
    { seed: 9 },
  )
})
