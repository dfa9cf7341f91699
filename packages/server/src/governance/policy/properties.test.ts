import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthorizationAnswer, DetailedError } from '@cedar-policy/cedar-wasm/nodejs'
import fc from 'fast-check'
import { policyFolder, TOY_SCHEMA, toyRequest } from '#testing/policy/policy-folder.ts'
import type { AnnotatedPolicy } from './annotated-policies.ts'
import { openCedar } from './cedar.ts'
import { toVerdict } from './verdict.ts'

const SEED = { seed: 1 }
const RANK = { deny: 0, review: 1, allow: 2 }

const condition = fc.constantFrom('context.n > 1', 'context.n < 3', 'context.n == 2', 'resource.open', '!resource.open')
const action = fc.constantFrom('action', 'action == Toy::Action::"look"', 'action == Toy::Action::"touch"')
const outcome = fc.constantFrom('', '@outcome("review")', '@outcome("deny")')
const permits = fc.array(fc.tuple(action, condition), { minLength: 1, maxLength: 2 })
const forbids = fc.array(fc.tuple(outcome, action, condition), { maxLength: 2 })
const oneForbid = fc.tuple(outcome, action, condition)

const permitText = ([scope, when]: [string, string], at: number) =>
  `@id("p${at}") permit (principal, ${scope}, resource) when { ${when} };\n`
const forbidText = ([annotation, scope, when]: [string, string, string], at: number) =>
  `@id("f${at}") ${annotation} forbid (principal, ${scope}, resource) when { ${when} };\n`

test('adding a forbid never makes any decision milder', () => {
  const requests = ['look', 'touch'].flatMap((name) =>
    [1, 2, 3].flatMap((n) => [true, false].map((open) => toyRequest(name, n, open))),
  )
  fc.assert(
    fc.property(permits, forbids, oneForbid, (some, others, added) => {
      const before = [...some.map(permitText), ...others.map(forbidText)].join('')
      const after = before + forbidText(added, others.length)
      const [first, second] = [before, after].map((policies) => {
        using folder = policyFolder({ 'schema.cedarschema': TOY_SCHEMA, 'a.cedar': policies })
        return openCedar(folder.path)
      })
      for (const request of requests) {
        const [was, is] = [first!.authorize(request).outcome, second!.authorize(request).outcome]
        assert.ok(RANK[is] <= RANK[was], `${was} became ${is} for ${JSON.stringify(request)} under\n${after}`)
      }
    }),
    { ...SEED, numRuns: 40 },
  )
})

const policy = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  text: fc.constant(''),
  effect: fc.constantFrom('permit' as const, 'forbid' as const),
  outcome: fc.constantFrom('review' as const, 'deny' as const),
  code: fc.constantFrom('ONE', 'TWO'),
})
const detail = { message: 'm', help: null, code: null, url: null, severity: null }
const answer = fc.oneof(
  fc.constant<AuthorizationAnswer>({ type: 'failure', errors: [detail], warnings: [] }),
  fc.record<AuthorizationAnswer & { type: 'success' }>({
    type: fc.constant('success' as const),
    response: fc.record({
      decision: fc.constantFrom('allow' as const, 'deny' as const),
      diagnostics: fc.record({
        reason: fc.subarray(['a', 'b', 'c', 'unheard-of']),
        errors: fc.subarray(['a', 'b']).map((ids) => ids.map((policyId) => ({ policyId, error: detail }))),
      }),
    }),
    warnings: fc.constant<DetailedError[]>([]),
  }),
)

test('no answer with an error, of any shape, is an allow or a review', () => {
  fc.assert(
    fc.property(fc.array(policy), answer, (policies, given) => {
      const verdict = toVerdict(given, new Map(policies.map((one): [string, AnnotatedPolicy] => [one.id, one])))
      const erred = given.type === 'failure' || given.response.diagnostics.errors.length > 0
      if (erred) assert.deepEqual([verdict.outcome, verdict.reasons], ['deny', ['POLICY_ERROR']])
      else assert.equal(verdict.outcome === 'allow', given.response.decision === 'allow')
      assert.equal(verdict.errors.length > 0, erred)
      if (verdict.outcome === 'review') assert.ok(verdict.forbids.every((forbid) => forbid.outcome === 'review'))
      assert.equal(verdict.reasons.length === 0, verdict.outcome === 'allow')
    }),
    SEED,
  )
})
