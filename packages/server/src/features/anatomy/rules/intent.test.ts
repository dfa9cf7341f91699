import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorize, commandWith } from '#testing/anatomy.ts'
import type { Authorize } from '../../../domain/policy/authorization.ts'
import { evaluateIntent, isAuthenticated, PRIVILEGED_ACTIONS, READ_ACTIONS } from './intent.ts'
import { PROVEN } from './prove.ts'

const seen = (command: unknown) => {
  const { outcome, reasons } = evaluateIntent(command, authorize, PROVEN)
  return [outcome, ...reasons].join(' ')
}
type Facts = Parameters<typeof commandWith>[0]

test('every known action is permitted when no forbid holds, by a policy of its own', () => {
  const permits = [...READ_ACTIONS, ...PRIVILEGED_ACTIONS].map((action) => {
    const result = evaluateIntent(commandWith({ action }), authorize, PROVEN)
    assert.equal(result.outcome, 'ALLOW', action)
    assert.deepEqual([result.cedarExecuted, result.policyEligible, result.deny, result.errors], [true, true, [], []])
    return result.determining.join()
  })
  assert.equal(new Set(permits).size, 8)
})

// Asked of every action.
const general: [code: string, holds: Facts, not: Facts][] = [
  ['PRINCIPAL_DISABLED', { principal: { disabled: true } }, { principal: { disabled: false } }],
  ['TENANT_MISMATCH', { resource: { tenantId: 'tenant-b' } }, { resource: { tenantId: 'tenant-a' } }],
  ['RISK_LIMIT_EXCEEDED', { context: { riskScore: 41 } }, { context: { riskScore: 40 } }],
  ['ASSURANCE_INSUFFICIENT', { principal: { assurance: 1 } }, { principal: { assurance: 2 } }],
  ['PURPOSE_NOT_ALLOWED', { context: { purpose: 'research' } }, { resource: { allowedPurposes: ['x', 'release'] } }],
  ['EFFECT_NOT_ALLOWED', { resource: { allowedEffects: [] } }, { resource: { allowedEffects: ['deploy'] } }],
  [
    'INVALID_EVIDENCE_DIGEST',
    { context: { evidenceDigest: 'f'.repeat(63) } },
    { context: { evidenceDigest: `sha256:${'F'.repeat(64)}` } },
  ],
]
// Asked of privileged actions and of resources that require approval.
const privileged: typeof general = [
  ['UNTRUSTED_NETWORK', { context: { networkZone: 'office' } }, { context: { networkZone: 'command-surface' } }],
  ['HUMAN_APPROVAL_REQUIRED', { context: { humanApproval: false } }, { context: { humanApproval: true } }],
  ['MFA_REQUIRED', { context: { mfa: false } }, { context: { mfa: true } }],
  ['EVIDENCE_DIGEST_REQUIRED', { context: { evidenceDigest: null } }, { context: { evidenceDigest: 'a'.repeat(64) } }],
]
const without = (facts: Facts): Facts => ({ ...facts, resource: { ...facts?.resource, requiresApproval: false } })

for (const [code, holds, not] of general)
  test(`${code} blocks every action when it holds and none when it does not`, () => {
    for (const action of [...READ_ACTIONS, ...PRIVILEGED_ACTIONS]) {
      assert.equal(seen(commandWith({ ...holds, action })), `BLOCK ${code}`)
      assert.equal(seen(commandWith({ ...not, action })), 'ALLOW')
    }
  })

for (const [code, holds, not] of privileged)
  test(`${code} is asked of privileged actions and of resources that require approval alone`, () => {
    for (const action of PRIVILEGED_ACTIONS) {
      assert.equal(seen(commandWith({ ...without(holds), action })), `BLOCK ${code}`)
      assert.equal(seen(commandWith({ ...without(not), action })), 'ALLOW')
    }
    for (const action of READ_ACTIONS) {
      assert.equal(seen(commandWith({ ...without(holds), action })), 'ALLOW')
      assert.equal(seen(commandWith({ ...holds, action })), `BLOCK ${code}`)
      assert.equal(seen(commandWith({ ...not, action })), 'ALLOW')
    }
  })

test('the trusted zones are three', () => {
  for (const networkZone of ['command-surface', 'trusted-ci', 'trusted'])
    assert.equal(seen(commandWith({ context: { networkZone } })), 'ALLOW')
  for (const networkZone of ['Trusted', 'trusted ', 'untrusted', 'trusted-ci2'])
    assert.equal(seen(commandWith({ context: { networkZone } })), 'BLOCK UNTRUSTED_NETWORK')
})

test('an unknown action has no permit, and the forbids that hold are told beside it', () => {
  for (const action of ['Fly', 'privileged', 'Admit', 'readresource', '"'])
    assert.match(seen(commandWith({ action })), /^BLOCK UNKNOWN_ACTION$/)
  assert.equal(
    seen(commandWith({ action: 'Fly', principal: { disabled: true } })),
    'BLOCK PRINCIPAL_DISABLED UNKNOWN_ACTION',
  )
})

test('every code that holds is reported, with the policy that gave it', () => {
  const result = evaluateIntent(
    commandWith({ principal: { disabled: true, assurance: 0 }, context: { mfa: false } }),
    authorize,
    PROVEN,
  )
  assert.deepEqual(result.deny, ['ASSURANCE_INSUFFICIENT', 'MFA_REQUIRED', 'PRINCIPAL_DISABLED'])
  assert.deepEqual(result.sources, {
    ASSURANCE_INSUFFICIENT: 'assurance',
    MFA_REQUIRED: 'mfa',
    PRINCIPAL_DISABLED: 'principal-disabled',
  })
})

test('the largest integers are compared exactly', () => {
  const strictest = Number.MAX_SAFE_INTEGER
  assert.equal(seen(commandWith({ context: { riskScore: strictest }, resource: { maxRisk: strictest } })), 'ALLOW')
  assert.equal(
    seen(commandWith({ context: { riskScore: strictest }, resource: { maxRisk: strictest - 1 } })),
    'BLOCK RISK_LIMIT_EXCEEDED',
  )
})

test('a request that is none is blocked with all its faults and the engine is not asked', () => {
  const never: Authorize = () => assert.fail('the engine was asked')
  const result = evaluateIntent({ principal: {} }, never, PROVEN)
  assert.deepEqual([result.outcome, result.reasons, result.cedarExecuted], ['BLOCK', ['INVALID_REQUEST'], false])
  assert.ok(result.errors.length > 5)
})

test('an engine that errs or denies without a reason blocks', () => {
  const verdict = { ...authorize({ ...JSON.parse('{}') }) }
  assert.deepEqual(evaluateIntent(commandWith(), () => verdict, PROVEN).deny, ['POLICY_ERROR'])
  const silent = evaluateIntent(commandWith(), () => ({ ...verdict, reasons: [], errors: [] }), PROVEN)
  assert.equal(silent.outcome, 'BLOCK')
})

test('a review forbid of an operator leaves the intent to a person', () => {
  const forbid = { id: 'x', code: 'ASK', outcome: 'review' as const }
  const asking: Authorize = (request) => ({
    ...authorize(request),
    ...{ outcome: 'review', reasons: ['ASK'], forbids: [forbid] },
  })
  const asked = evaluateIntent(commandWith(), asking, PROVEN)
  assert.deepEqual([asked.outcome, asked.review, asked.policyEligible], ['REVIEW', ['ASK'], false])
})

test('nobody is authenticated by what a request says about itself', () => {
  const result = evaluateIntent(commandWith(), authorize, PROVEN)
  assert.equal(isAuthenticated(result, null), false)
  assert.equal(isAuthenticated(result, 'somebody-else'), false)
  assert.equal(isAuthenticated(result, 'synthetic-pipeline'), true)
})

test('what policy permits is allowed to the identity it names, and otherwise left to a person with the reason', () => {
  for (const bearer of [null, 'somebody-else', '']) {
    const { outcome, reasons, policyEligible } = evaluateIntent(commandWith(), authorize, { ...PROVEN, bearer })
    assert.deepEqual([outcome, reasons, policyEligible], ['REVIEW', ['IDENTITY_NOT_AUTHENTICATED'], false])
  }
  const denied = evaluateIntent(commandWith({ context: { mfa: false } }), authorize, { ...PROVEN, bearer: null })
  assert.deepEqual(denied.reasons, ['MFA_REQUIRED'])
})

test('an intent that is judged now says a time within 300 seconds of it', () => {
  const at = (seconds: number) =>
    evaluateIntent(commandWith(), authorize, { ...PROVEN, now: PROVEN.now + seconds * 1000 }).outcome
  assert.deepEqual([-301, -300, 0, 300, 301].map(at), ['BLOCK', 'ALLOW', 'ALLOW', 'ALLOW', 'BLOCK'])
  for (const timestamp of ['yesterday', '2026-01-01', '1767225600', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00']) {
    const { outcome, errors } = evaluateIntent(commandWith({ context: { timestamp } }), authorize, {
      ...PROVEN,
      now: null,
    })
    assert.equal(outcome, 'BLOCK', timestamp)
    assert.deepEqual(errors, [
      { path: 'context.timestamp', message: 'must be an RFC 3339 time, such as 2026-01-01T00:00:00.000Z' },
    ])
  }
})
