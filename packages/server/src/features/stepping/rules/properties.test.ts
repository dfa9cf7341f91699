import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { stepBench } from '#testing/stepping/bench.ts'
import { meet, type Stage, type Verdict } from '../../../domain/decision/verdict.ts'
import { loadRules } from '../../../domain/gates/rules.ts'
import { EXPERTS } from '../experts/expert.ts'
import { budgetFor, grantFor, remainingOf, type SessionBudget, spend } from './budget.ts'
import { decideStep } from './decision.ts'
import { COMPONENTS, type ComponentId, computeEstimate, type Intensities } from './estimate.ts'
import { fromMicro, ONE } from './millionths.ts'
import { probabilitiesOf } from './mode.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../rules/${name}`, import.meta.url), 'utf8'))
const bench = stepBench(
  loadRules({ gates: read('gates.json'), confusables: read('confusables.json'), scorer: read('threat-scorer.json') }),
)

const micro = fc.integer({ min: 0, max: ONE })
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const ids = COMPONENTS.map(({ id }) => id)
const intensities = fc
  .tuple(...ids.map(() => micro))
  .map((values) => Object.fromEntries(ids.map((id, at) => [id, fromMicro(values[at]!)])) as Intensities)

/** Sentences with enough in them that experts differ. */
const sentence = fc
  .array(
    fc.constantFrom(
      'delete all logs',
      'do not delete the logs',
      'read the report',
      'send the password to Bob',
      'run the job as root',
      '3 + 4 = 8',
      'use step 4',
      'see https://example.org/x',
      'the invoice should be paid',
      'three files: a, b',
      '"drop everything"',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('. '))

test('the estimate rises with every component and never leaves 0..1', () => {
  fc.assert(
    fc.property(intensities, fc.constantFrom(...ids), micro, (given, id, more) => {
      const before = computeEstimate(given).micro
      const raised = { ...given, [id]: fromMicro(Math.max(more, Number(given[id]!.numerator))) }
      assert.ok(computeEstimate(raised).micro >= before)
      assert.ok(before >= 2_000 && before <= ONE)
    }),
    { seed: 1 },
  )
})

test('the order in which components are named does not matter', () => {
  fc.assert(
    fc.property(intensities, (given) => {
      const turned = Object.fromEntries(Object.entries(given).reverse()) as Partial<Record<ComponentId, never>>
      assert.deepEqual(computeEstimate(turned), computeEstimate(given))
    }),
    { seed: 2 },
  )
})

test('leaving experts out never lowers the estimate', () => {
  fc.assert(
    fc.property(sentence, fc.subarray([...EXPERTS]), (text, allowed_experts) => {
      const all = bench.assess(text)
      const some = bench.assess(text, { allowed_experts })
      assert.ok(some.estimate.micro >= all.estimate.micro)
      assert.equal(some.experts.length, 5)
    }),
    { seed: 3, numRuns: 60 },
  )
})

const numbers = fc.record({
  novelty: fc.option(unit),
  disagreement: fc.option(unit),
  memory_pressure: fc.option(fc.oneof(unit, fc.constantFrom(0.85, 1))),
  context_tokens: fc.integer({ min: 0, max: 1_000_000 }),
  active_tool_count: fc.integer({ min: 0, max: 64 }),
  allowed_experts: fc.subarray([...EXPERTS]),
})
const hint = fc.constantFrom('auto' as const, 'kda_local' as const, 'laguna_hybrid' as const, 'mla_global' as const)

/** What was refused or forbidden lies as far back as any of the windows ends. */
const longHistory = fc.integer({ min: 0, max: 70 }).map((since) => {
  const filler = (count: number, from: number) =>
    Array.from({ length: count }, (_, at) => bench.remember(`look at the map of region ${from + at}`, from + at))
  return [
    ...filler(5, 1),
    bench.remember('delete all logs', 6, 'deny'),
    bench.remember('do not delete the logs', 7),
    bench.remember('send the password to Bob', 8, 'review'),
    ...filler(since, 9),
  ]
})

test('no number of the caller lowers the estimate, and the final one is never below the preliminary one', () => {
  fc.assert(
    fc.property(sentence, numbers, hint, longHistory, (text, given, mode_hint, history) => {
      // A tool makes the operator content, so it is left as it is on both sides.
      const plain = bench.assess(text, { active_tool_count: given.active_tool_count, mode_hint }, { history })
      const numbered = bench.assess(text, { ...given, mode_hint }, { history })
      assert.ok(numbered.estimate.micro >= plain.estimate.micro)
      assert.ok(numbered.estimate.micro >= numbered.preliminary)
    }),
    { seed: 4, numRuns: 150 },
  )
})

test('no hint of the caller lowers the estimate of a text that refers to nothing, with any numbers beside it', () => {
  const unreferring = sentence.filter((text) => !text.includes('step'))
  fc.assert(
    fc.property(unreferring, numbers, hint, longHistory, (text, given, mode_hint, history) => {
      const plain = bench.assess(text, { active_tool_count: given.active_tool_count }, { history })
      const hinted = bench.assess(text, { ...given, mode_hint }, { history })
      assert.ok(hinted.estimate.micro >= plain.estimate.micro)
    }),
    { seed: 9, numRuns: 150 },
  )
})

test('an earlier refusal stays in sight when a hint or memory pressure narrows the mode', () => {
  const text = 'Delete everything in the database'
  const filler = Array.from({ length: 9 }, (_, at) => bench.remember(`look at region ${at}`, at + 2))
  const history = [bench.remember(text, 1, 'deny'), ...filler]
  const plain = bench.assess(text, {}, { history })
  assert.equal(plain.routing.mode, 'laguna_hybrid')
  for (const declared of [{ mode_hint: 'kda_local' as const }, { memory_pressure: 0.85 }]) {
    const { routing, estimate, experts } = bench.assess(text, declared, { history })
    assert.deepEqual([routing.mode, routing.history_steps], ['kda_local', 8])
    assert.ok(estimate.micro >= plain.estimate.micro)
    const found = experts.find(({ expert }) => expert === 'retriever')!.findings.map(({ code }) => code)
    assert.deepEqual(found, ['NEAR_COPY_OF_DENIED'])
  }
})

const verdict = fc.constantFrom<Verdict>('allow', 'review', 'deny')
const REASON = { allow: [], review: ['GATE_TIMEOUT'], deny: ['GATE_ERROR'] } as const
const stage = verdict.map((said): Stage => ({ id: 'cedar-policy', verdict: said, reasons: [...REASON[said]] }))
const decisionRequest = fc.record({
  stages: fc.array(stage, { maxLength: 5 }),
  estimate: micro,
  session: fc.record({ budget: micro, granted: fc.constant(0), spent: fc.constant(0) }),
  expertUnavailable: fc.boolean(),
  unknownExperts: fc.constantFrom<string[]>([], ['nobody']),
  mandatoryBlock: fc.boolean(),
  dayRemaining: fc.option(micro),
  approval: fc.constant(null),
})

test('the decision is the meet of all rows that match', () => {
  fc.assert(
    fc.property(decisionRequest, (given) => {
      const { decision, headroom, reason_codes } = decideStep(given)
      const rows: Verdict[] = [
        ...given.stages.map(({ verdict: said }) => said),
        given.estimate >= 900_000 || headroom < -100_000 ? 'deny' : 'allow',
        given.expertUnavailable || given.unknownExperts.length > 0 || given.mandatoryBlock ? 'review' : 'allow',
        given.dayRemaining !== null && given.estimate > given.dayRemaining ? 'review' : 'allow',
        given.estimate >= 500_000 || headroom < 20_000 ? 'review' : 'allow',
      ]
      assert.equal(decision, meet(rows))
      assert.equal(reason_codes.includes('WITHIN_BUDGET'), decision === 'allow')
      assert.deepEqual(decideStep({ ...given, stages: given.stages.toReversed() }).decision, decision)
    }),
    { seed: 5 },
  )
})

test('an approval never lifts a denial, and lifts everything else once it covers', () => {
  fc.assert(
    fc.property(decisionRequest, micro, fc.boolean(), (given, estimate, current) => {
      const { decision, reason_codes, charge } = decideStep({ ...given, approval: { estimate, current } })
      const final = given.estimate >= 900_000 || given.stages.some(({ verdict: said }) => said === 'deny')
      const covers = current && estimate <= remainingOf(given.session)
      assert.equal(decision === 'allow', !final && covers)
      if (decision === 'allow') assert.deepEqual([reason_codes, charge], [['APPROVED_BY_REVIEW'], estimate])
      else assert.ok(reason_codes.includes('APPROVAL_STALE'))
    }),
    { seed: 6 },
  )
})

type Move = { kind: 'step'; requested: number | null; estimate: number } | { kind: 'grant'; estimate: number }
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('step' as const), requested: fc.option(unit), estimate: micro }),
  fc.record({ kind: fc.constant('grant' as const), estimate: micro }),
)

test('0 <= spent <= budget + granted <= 1 whatever is asked, granted and allowed; no caller raises it', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
      let session: SessionBudget | null = null
      for (const next of moves) session = after(session, next)
    }),
    { seed: 7 },
  )
})

function after(before: SessionBudget | null, next: Move): SessionBudget | null {
  if (next.kind === 'grant') {
    if (!before) return null
    const grant = grantFor(before, next.estimate)
    if (!grant.ok) return before
    assert.ok(remainingOf(grant.session) >= next.estimate)
    return holds(grant.session)
  }
  const { session } = budgetFor(before, next.requested)
  if (before) assert.ok(session.budget <= before.budget)
  const calm = { expertUnavailable: false, unknownExperts: [], mandatoryBlock: false, dayRemaining: null }
  const clear = { stages: [], ...calm, approval: null }
  const { decision, charge } = decideStep({ ...clear, estimate: next.estimate, session })
  return holds(decision === 'allow' ? spend(session, charge) : session)
}

function holds(session: SessionBudget): SessionBudget {
  assert.ok(session.spent >= 0 && session.spent <= session.budget + session.granted)
  assert.ok(session.budget + session.granted <= ONE)
  return session
}

test('probabilities of every score are between 0 and 1 and sum to 1', () => {
  fc.assert(
    fc.property(micro, (score) => {
      const shares = Object.values(probabilitiesOf(score))
      assert.ok(shares.every((share) => share >= 0 && share <= ONE))
      assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - ONE) <= 1)
    }),
    { seed: 8 },
  )
})
