import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Authorize, PolicyVerdict } from '../../../domain/policy/authorization.ts'
import { askTargets, type Candidate, EFFORTS, failoverOf, type RouteAsk, routeOf } from './routing.ts'

const CALLER = { owner: 'o', namespace: 'n' }
const verdict = (outcome: PolicyVerdict['outcome'], ...reasons: string[]): PolicyVerdict => ({
  outcome,
  reasons,
  determining: [],
  forbids: [],
  errors: [],
  engine: 'test',
  policy_digest: '0'.repeat(64),
})
/** The shipped rule: restricted text stays. */
const authorize: Authorize = ({ action, context, entities }) => {
  if (action.id === 'Govern') return verdict('allow')
  const leaves = entities[0]?.attrs.zone === 'external' && Number(context.rank) >= 2
  return leaves ? verdict('deny', 'SENSITIVITY_EGRESS') : verdict('allow')
}
const target = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  zone: 'external',
  tier: 3,
  contextTokens: 1000,
  embedded: false,
  absent: null,
  breaker: 'closed',
  inFlight: 0,
  ...more,
})
const ask = (more: Partial<RouteAsk> = {}): RouteAsk => ({
  ...CALLER,
  rank: 0,
  effort: 'balanced',
  named: null,
  tokens: 10,
  ...more,
})
const M1 = target('m1', { zone: 'local', tier: 0, embedded: true })

test('fast takes the lowest tier, deep the highest, balanced the operator’s order, and the embedded model comes last', () => {
  const targets = [M1, target('b', { tier: 4 }), target('a', { tier: 1 }), target('c', { tier: 5 })]
  const order = (effort: RouteAsk['effort']) => routeOf(targets, ask({ effort }), authorize).eligible.join()
  assert.equal(order('fast'), 'a,b,c,m1')
  assert.equal(order('deep'), 'c,b,a,m1')
  assert.equal(order('balanced'), 'b,a,c,m1')
  assert.equal(routeOf(targets, ask({ named: ['m1'] }), authorize).chosen, 'm1')
})

test('of equal tiers the less busy one is taken', () => {
  const targets = [target('busy', { inFlight: 3 }), target('idle', { inFlight: 1 })]
  assert.equal(routeOf(targets, ask({ effort: 'fast' }), authorize).chosen, 'idle')
})

test('every objection to a target is told', () => {
  const bad = target('x', { absent: 'KEY_MISSING', breaker: 'open' })
  const { chosen, eligible, rejected } = routeOf([bad, target('y')], ask({ rank: 2, tokens: 2000 }), authorize)
  assert.deepEqual([chosen, eligible], [null, []])
  assert.deepEqual(rejected, [
    { id: 'x', why: ['SENSITIVITY_EGRESS', 'KEY_MISSING', 'BREAKER_OPEN'] },
    { id: 'y', why: ['SENSITIVITY_EGRESS', 'PROMPT_TOO_LONG'] },
  ])
})

test('a named target stands alone', () => {
  const route = routeOf([target('a', { breaker: 'open' }), target('b')], ask({ named: ['a'] }), authorize)
  assert.deepEqual(route, { chosen: null, eligible: [], rejected: [{ id: 'a', why: ['BREAKER_OPEN'] }] })
})

const candidates = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 16 }).chain((ids) =>
  fc.tuple(
    ...ids.map((id) =>
      fc.record({
        id: fc.constant(`t${id}`),
        zone: fc.constantFrom<'local' | 'external'>('local', 'external'),
        tier: fc.integer({ min: 1, max: 5 }),
        contextTokens: fc.constantFrom(100, 1000),
        embedded: fc.boolean(),
        absent: fc.constantFrom(null, null, 'KEY_MISSING'),
        breaker: fc.constantFrom<'closed' | 'open'>('closed', 'open'),
        inFlight: fc.nat(5),
      }),
    ),
  ),
)

test('restricted text is routed to no external target and fails over to none, whatever there is', () => {
  fc.assert(
    fc.property(candidates, fc.constantFrom(...EFFORTS), fc.constantFrom(2, 3), (targets, effort, rank) => {
      const route = routeOf(targets, ask({ effort, rank }), authorize)
      const zones = [...route.eligible, failoverOf(route, targets, rank)].map(
        (id) => targets.find((t) => t.id === id)?.zone,
      )
      assert.ok(!zones.includes('external'))
      assert.equal(route.eligible.length + route.rejected.length, targets.length)
    }),
    { seed: 21 },
  )
})

test('even where a policy lets restricted text out, a failure does not move it from a local target to an external one', () => {
  const targets = [target('near', { zone: 'local' }), target('far')]
  const route = routeOf(targets, ask({ rank: 2 }), () => verdict('allow'))
  assert.deepEqual(route.eligible, ['near', 'far'])
  assert.equal(failoverOf(route, targets, 2), null)
  assert.equal(failoverOf(route, targets, 1), 'far')
})

test('the policy question is whether any present target may have the text', () => {
  const near = target('near', { zone: 'local' })
  assert.equal(askTargets(CALLER, [target('far'), near])({ rank: 2 }, authorize).outcome, 'allow')
  assert.deepEqual(askTargets(CALLER, [target('far')])({ rank: 2 }, authorize).reasons, ['SENSITIVITY_EGRESS'])
  const absent = { ...M1, absent: 'MODEL_ABSENT' as const }
  assert.equal(askTargets(CALLER, [target('far'), absent])({ rank: 2 }, authorize).outcome, 'deny')
  assert.equal(askTargets(CALLER, [])({ rank: 2 }, authorize).outcome, 'allow')
})
