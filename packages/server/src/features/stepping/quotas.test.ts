import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../errors.ts'
import { givenBack, limitsFor, namedQuota, QUOTA_LIMITS, quotaLimits, quotaMoves } from './quotas.ts'

const ANN = { namespace: 'team', owner: 'ann' }

test('a step moves the counters of its owner and of everybody, each under its own limit', () => {
  const moves = quotaMoves(ANN, { steps: 1, effects: 2, reviews: 0 }, QUOTA_LIMITS)
  assert.deepEqual(
    moves.map(({ space, add, limit }) => [space, add, limit]),
    [
      ['gdw.quota.steps', 1, 100_000],
      ['gdw.quota.steps', 1, 1_000_000],
      ['gdw.quota.effects', 2, 10_000],
      ['gdw.quota.effects', 2, 100_000],
    ],
  )
  assert.notEqual(moves[0]?.key, quotaMoves({ ...ANN, owner: 'ben' }, { steps: 1 }, QUOTA_LIMITS)[0]?.key)
  assert.equal(moves[1]?.key, quotaMoves({ ...ANN, owner: 'ben' }, { steps: 1 }, QUOTA_LIMITS)[1]?.key)
})

test('what is given back is as much as was taken', () => {
  const [own, all] = givenBack(ANN, { reviews: 1 })
  assert.deepEqual([own?.add, all?.add], [-1, -1])
})

test('where there is one owner his limits are those of everybody', () => {
  assert.deepEqual(limitsFor(QUOTA_LIMITS, 'open').owner, QUOTA_LIMITS.global)
  assert.deepEqual(limitsFor(QUOTA_LIMITS, 'registry'), QUOTA_LIMITS)
})

test('an operator sets single limits and keeps the others', () => {
  const limits = quotaLimits({ steps: { owner: 1, global: 2 } })
  assert.deepEqual([limits.owner.steps, limits.global.steps], [1, 2])
  assert.equal(limits.owner.sessions, QUOTA_LIMITS.owner.sessions)
})

test('the refusal of a counter names the quota and whose it is; other errors stay what they are', () => {
  const [own, all] = quotaMoves(ANN, { bytes: 1 }, QUOTA_LIMITS)
  for (const [move, scope] of [
    [own!, 'owner'],
    [all!, 'global'],
  ] as const) {
    const { space, key, limit } = move
    const named = namedQuota(new ServiceError('quota_exceeded', 'full', { extra: { quota: { space, key, limit } } }))
    assert.ok(named instanceof ServiceError)
    assert.deepEqual(named.extra, { quota: 'bytes', scope, limit })
    assert.ok(Number(named.headers['retry-after']) > 0)
  }
  const other = new ServiceError('ledger_busy', 'later')
  assert.equal(namedQuota(other), other)
})
