import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LambdaInputs, lambdaOf, type RuleCount } from '@orch/core'
import fc from 'fast-check'
import { type DecisionInput, decisionOf } from './decide.ts'
import type { Examination } from './examine.ts'
import { decide, meet, REASONS, type Stage, type Verdict } from './verdict.ts'

const RANK: Record<Verdict, number> = { deny: 0, review: 1, allow: 2 }

const clean: Examination = {
  normaliseMs: 0,
  stages: (['normalise', 'sensitivity-lattice', 'threat-signature-scan', 'pii-egress-guard'] as const).map((id) => ({
    id,
    verdict: 'allow',
    reasons: [],
  })),
  evaluations: {
    'sensitivity-lattice': { planned: 1, completed: 1, ms: 0 },
    'threat-signature-scan': { planned: 4, completed: 4, ms: 0 },
    'pii-egress-guard': { planned: 2, completed: 2, ms: 0 },
  },
  findings: [],
  findings_total: 0,
  values: [],
  sensitivity: { class: 'PUBLIC', rank: 0, inferred: 'PUBLIC', declared: 'PUBLIC', signals: [] },
  threats: [],
  valueCounts: [],
  transparency: { invisible: 0, mixed_script_words: 0, decoded_children: 0 },
  planned: 6,
  completed: 6,
  folded: '',
  direction: 'input',
  origin: 'user',
  effect: 'none',
  shown: 'none',
}
const allowed: DecisionInput = {
  examination: clean,
  policy: { verdict: 'allow', reasons: [] },
  budget: { spent_micro: 0, limit_micro: 1_000_000 },
  severity: 0,
}

const verdict = fc.constantFrom<Verdict>('allow', 'review', 'deny')
const stage: fc.Arbitrary<Stage> = fc.record({
  id: fc.constantFrom('normalise', 'threat-signature-scan', 'cedar-policy', 'lambda-floor'),
  verdict,
  reasons: fc.uniqueArray(fc.constantFrom(...REASONS.slice(1)), { maxLength: 2 }),
})

test('the order of the stages never changes a decision or its reasons', () => {
  fc.assert(
    fc.property(
      fc
        .array(stage, { maxLength: 7 })
        .chain((stages) => fc.tuple(fc.constant(stages), fc.shuffledSubarray(stages, { minLength: stages.length }))),
      ([one, other]) => {
        assert.deepEqual(decide(one), decide(other))
      },
    ),
    { seed: 3 },
  )
})

test('one more verdict never lifts the meet', () => {
  fc.assert(
    fc.property(fc.array(verdict), verdict, (verdicts, more) => {
      assert.ok(RANK[meet([...verdicts, more])] <= RANK[meet(verdicts)])
    }),
    { seed: 4 },
  )
})

const count = (prefix: string): fc.Arbitrary<RuleCount> =>
  fc.record({
    rule: fc.integer({ min: 1, max: 26 }).map((n) => `${prefix}${String(n).padStart(2, '0')}`),
    severity: fc.constantFrom('block', 'hold', 'note'),
    values: fc.integer({ min: 1, max: 12 }),
  })
const inputs: fc.Arbitrary<LambdaInputs> = fc.record({
  threats: fc.array(count('T'), { maxLength: 14 }),
  values: fc.array(count('P'), { maxLength: 14 }),
  sensitivity: fc.constantFrom('PUBLIC', 'INTERNAL', 'RESTRICTED', 'SECRET'),
  effect: fc.constantFrom('none', 'read', 'write', 'external', 'destructive'),
  origin: fc.constantFrom('user', 'system', 'model', 'tool', 'retrieved'),
  severity_milli: fc.integer({ min: 0, max: 10_000 }),
  invisible: fc.integer({ min: 0, max: 20 }),
  mixed_script_words: fc.integer({ min: 0, max: 6 }),
  decoded_children: fc.integer({ min: 0, max: 64 }),
  completed: fc.integer({ min: 0, max: 6 }),
  planned: fc.constant(6),
  spent_micro: fc.integer({ min: 0, max: 2_000_000 }),
  budget_micro: fc.constant(1_000_000),
})

test('one more firing rule never raises lambda and never lowers the charge', () => {
  fc.assert(
    fc.property(inputs, count('T'), count('P'), (base, threat, value) => {
      const before = lambdaOf(base)!
      for (const more of [
        { ...base, threats: [...base.threats, threat] },
        { ...base, values: [...base.values, value] },
      ]) {
        const after = lambdaOf(more)!
        assert.ok(after.lambda.value <= before.lambda.value)
        assert.ok(after.charge_micro >= before.charge_micro)
      }
    }),
    { seed: 5 },
  )
})

test('lambda is a number of six decimals between the floor of its axes and the ceiling', () => {
  fc.assert(
    fc.property(inputs, (base) => {
      const { lambda, charge_micro } = lambdaOf(base)!
      assert.ok(lambda.raw >= 0.01 && lambda.raw <= 1 && lambda.value <= 0.97)
      assert.equal(lambda.passed, lambda.value >= 0.9)
      for (const { value } of lambda.axes)
        assert.ok(value >= 0.01 && value <= 1 && Math.abs(value * 1e6 - Math.round(value * 1e6)) < 1e-6)
      assert.ok(Number.isInteger(charge_micro) && charge_micro >= 0 && charge_micro <= 250_000)
    }),
    { seed: 6 },
  )
})

test('a firing rule never weakens the decision', () => {
  fc.assert(
    fc.property(verdict, verdict, fc.constantFrom<Verdict>('review', 'deny'), (threat, policy, worse) => {
      const at = (own: Verdict) => {
        const stages = clean.stages.map((one) => (one.id === 'threat-signature-scan' ? { ...one, verdict: own } : one))
        return decisionOf({ ...allowed, examination: { ...clean, stages }, policy: { verdict: policy, reasons: [] } })
          .decision
      }
      assert.ok(RANK[at(meet([threat, worse]))] <= RANK[at(threat)])
    }),
    { seed: 7 },
  )
})

test('halves are rounded up: a coverage of 1 in 64 and a product that ends in five', () => {
  const raw = (change: Partial<LambdaInputs>) => lambdaOf({ ...base, ...change })!.lambda.axes
  const axis = (name: string, change: Partial<LambdaInputs>) => raw(change).find((one) => one.name === name)?.value
  assert.equal(axis('coverage', { planned: 128, completed: 3 }), 0.023438)
  assert.equal(axis('consequence', { effect: 'write', origin: 'retrieved', severity_milli: 5005 }), 0.873738)
  assert.equal(axis('transparency', { invisible: 1 }), 0.9375)
})
const base: LambdaInputs = {
  threats: [],
  values: [],
  sensitivity: 'PUBLIC',
  effect: 'none',
  origin: 'user',
  severity_milli: 0,
  invisible: 0,
  mixed_script_words: 0,
  decoded_children: 0,
  completed: 1,
  planned: 1,
  spent_micro: 0,
  budget_micro: 1_000_000,
}

test('only the eight worst values count', () => {
  const many = lambdaOf({ ...base, values: [{ rule: 'P05', severity: 'note', values: 5000 }] })!
  const eight = lambdaOf({ ...base, values: [{ rule: 'P05', severity: 'note', values: 8 }] })!
  assert.equal(many.lambda.raw, eight.lambda.raw)
  const worst = lambdaOf({
    ...base,
    values: [
      { rule: 'P05', severity: 'note', values: 8 },
      { rule: 'P01', severity: 'block', values: 1 },
    ],
  })!
  assert.ok(worst.lambda.raw < eight.lambda.raw)
})

test('what cannot be answered is a review or a denial, never an allow', () => {
  assert.deepEqual(decisionOf({ ...allowed, policy: null }).reasons, ['POLICY_ERROR'])
  const noBudget = decisionOf({ ...allowed, budget: null })
  assert.deepEqual(
    [noBudget.decision, noBudget.reasons, noBudget.lambda],
    ['review', ['BUDGET_UNAVAILABLE', 'LAMBDA_UNAVAILABLE'], null],
  )
  const nothing = decisionOf({ ...allowed, examination: { ...clean, planned: 0, completed: 0 } })
  assert.deepEqual(
    [nothing.decision, nothing.reasons, nothing.charge_micro],
    ['review', ['LAMBDA_UNAVAILABLE'], 250_000],
  )
})

test('fired and passed gates are all six, and normalising is not one of them', () => {
  const stages = clean.stages.map((one) =>
    one.id === 'normalise' ? { ...one, verdict: 'review' as const, reasons: ['DECODE_BOUND' as const] } : one,
  )
  const { gates_fired, gates_passed, reasons } = decisionOf({ ...allowed, examination: { ...clean, stages } })
  assert.deepEqual([gates_fired, gates_passed.length, reasons], [[], 6, ['DECODE_BOUND']])
})

test('a person lifts a review once it is valid, and never a denial', () => {
  const reviewed = { ...allowed, policy: { verdict: 'review' as const, reasons: ['POLICY_REVIEW' as const] } }
  assert.deepEqual(decisionOf({ ...reviewed, approval: 'valid' }).reasons, ['APPROVED_BY_REVIEW'])
  assert.deepEqual(decisionOf({ ...reviewed, approval: 'stale' }).reasons, ['POLICY_REVIEW', 'APPROVAL_STALE'])
  const denied = { ...allowed, policy: { verdict: 'deny' as const, reasons: ['POLICY_FORBID' as const] } }
  assert.equal(decisionOf({ ...denied, approval: 'valid' }).decision, 'deny')
})

test('the budget is exceeded by one micro-unit and not by none', () => {
  const at = (spent_micro: number) =>
    decisionOf({
      ...allowed,
      examination: { ...clean, effect: 'write' },
      budget: { spent_micro, limit_micro: 1_000_000 },
    })
  assert.equal(at(987_500).charge_micro, 12_500)
  assert.equal(at(987_500).stages.find(({ id }) => id === 'session-risk-budget')?.verdict, 'allow')
  assert.equal(at(987_501).stages.find(({ id }) => id === 'session-risk-budget')?.verdict, 'review')
})
