import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { coverageOf, POLICY_RULES, type PolicyRule, reading, sha256Hex, verifyStatement } from '@orch/core'
import { runFormulas, verifiedKernel } from '../../domain/formulas.ts'
import { discloseEnergy, discloseProvenance } from './readings.ts'
import { readOnlyEnvelope } from './record.ts'
import { buildStatement, claimsUnread } from './statement.ts'
import { type Anchor, judgeStatement, notOurs } from './verification.ts'

const AT = '2026-01-01T00:00:00.000Z'
const REGISTRY = readFileSync(new URL('../../../../core/src/formulas/formula-registry.json', import.meta.url), 'utf8')
const run = await runFormulas(() => '2026-01-01T00:00:00.000Z')
const absent = { path: 'x', present: false as const, reason: 'not in this build' }
type ProvenanceReadings = Parameters<typeof discloseProvenance>[0]

const readings = (more: Partial<ProvenanceReadings> = {}): ProvenanceReadings => ({
  corpus: absent,
  training: absent,
  weights: absent,
  kernel: verifiedKernel({ present: true, text: REGISTRY }, run),
  build: { commit: null, source: 'none' },
  ...more,
})
const built = (more: Partial<ProvenanceReadings> = {}) =>
  buildStatement({
    provenance: discloseProvenance(readings(more)),
    energy: discloseEnergy(0, []),
    label: 'MODELED',
    builtAt: AT,
  })

const judged = async (input: unknown, anchor: Anchor = notOurs, requireTransparency = false) => {
  const report = await verifyStatement(input, { keys: [], checkedAt: AT })
  return judgeStatement({ report, anchor, requireTransparency, verifiedAt: AT })
}

test('a statement built with nothing present is fully disclosed and passes', async () => {
  const statement = built()
  assert.equal(statement.predicate.provenance.provenance_coverage, 1)
  const found = await judged({ statement, envelope: readOnlyEnvelope(statement) })
  assert.deepEqual([found.verdict, found.policy.failed, found.signature.status], ['PASSED', [], 'UNSIGNED-READ-ONLY'])
})

// biome-ignore lint/suspicious/noExplicitAny: the tests change a statement in every place
type Statement = any
const breakers: Record<PolicyRule, (statement: Statement) => void> = {
  predicate_type_matches: (s) => {
    s.predicateType = 'https://slsa.dev/provenance/v1'
  },
  doctrine_is_v11: (s) => {
    s.predicate.doctrine = 'v12'
  },
  kernel_verified: (s) => {
    s.predicate.provenance.kernel_verified = false
  },
  honesty_invariants_all_true: (s) => {
    s.predicate.honesty_invariants.no_fabricated_measured = false
  },
  provenance_coverage_is_one: (s) => {
    s.predicate.provenance.provenance_coverage = 0.95
  },
  subject_binds_kernel_commit: (s) => {
    s.subject[0].digest.gitCommit = 'c7c0ba18'
  },
}
for (const rule of POLICY_RULES)
  test(`a statement that breaks ${rule} fails with exactly that rule`, async () => {
    const statement = structuredClone(built()) as Statement
    breakers[rule](statement)
    for (const input of [statement, { statement, envelope: readOnlyEnvelope(statement) }]) {
      const found = await judged(input)
      assert.deepEqual([found.verdict, found.ok, found.policy.failed], ['FAILED', false, [rule]])
      assert.deepEqual(found.reasons, [`the rule ${rule} does not hold`])
    }
  })

test('a kernel that is not verified fails through the readings, not through an edit', async () => {
  const kernel = verifiedKernel({ present: true, text: REGISTRY.replace('F22', 'F24') }, run)
  const found = await judged(built({ kernel }))
  assert.deepEqual([found.verdict, found.policy.failed], ['FAILED', ['kernel_verified']])
})

test('a locked formula whose check fails now is no longer among the eight that were witnessed', async () => {
  const checks = run.checks.map((check) => (check.formula_id === 'F18' ? { ...check, passed: false } : check))
  const kernel = verifiedKernel({ present: true, text: REGISTRY }, { ...run, checks })
  const found = await judged(built({ kernel }))
  assert.deepEqual(found.policy.failed, ['kernel_verified', 'honesty_invariants_all_true'])
})

test('a field that is null without a reason lowers the coverage below one', () => {
  const whole = discloseProvenance(readings())
  const { build_commit } = whole
  assert.equal(coverageOf({ ...whole, build_commit: { ...build_commit, note: ' ' } }), 0.947368)
  assert.equal(coverageOf({ ...whole, corpus_source: { ...whole.corpus_source, note: '' } }), 0.947368)
  assert.equal(coverageOf({ ...whole, training: { ...whole.training, note: '' } }), 0.315789)
})

test('what is there is taken over as it was read, and numbers that print differently elsewhere become text', () => {
  const text = JSON.stringify({
    method: 'from scratch',
    config: { seed: 7, learning_rate: 5e-5, lora_r: [1], epochs: 1.5 },
  })
  const file = { path: 'r.json', present: true as const, bytes: text.length, sha256: sha256Hex(text), text }
  const { training, corpus_sha, sovereign_weights } = discloseProvenance(
    readings({ training: file, corpus: file, weights: file }),
  )
  assert.deepEqual([training.source, training.source_sha256, training.method], ['r.json', file.sha256, 'from scratch'])
  assert.deepEqual(
    [training.config.seed, training.config.learning_rate, training.config.lora_r, training.config.epochs],
    [7, '0.00005', null, 1.5],
  )
  assert.deepEqual([corpus_sha, sovereign_weights.bytes, sovereign_weights.present], [file.sha256, text.length, true])
})

test('a training receipt that is no JSON object gives nulls and says so', () => {
  for (const text of ['', 'null', '[]', '{"a":']) {
    const file = { path: 'r.json', present: true as const, bytes: 1, sha256: '0'.repeat(64), text }
    const { training, provenance_coverage } = discloseProvenance(readings({ training: file }))
    assert.deepEqual([training.config.seed, provenance_coverage], [null, 1])
    assert.match(training.note, /not a JSON object/)
  }
})

test('a label without a reading behind it is found wherever it stands', () => {
  const claim = { label: 'MEASURED', joules: 1 }
  assert.equal(claimsUnread({ a: [{ b: claim }] }, new Set()), true)
  assert.equal(claimsUnread({ a: [{ b: claim }] }, new Set([claim])), false)
  assert.equal(claimsUnread({ a: { ...claim } }, new Set([claim])), true, 'a copy is not the reading')
  assert.equal(claimsUnread({ energy_label: 'LIVE' }, new Set()), true)
  assert.equal(claimsUnread({ label: 'MODELED', note: 'MEASURED' }, new Set()), false)
})

test('energy that was read keeps the invariant, and energy that was written in breaks it', () => {
  const taken = reading(
    'meter x',
    () => AT,
    () => ({ joules: 1, at: AT }),
  )
  const honest = discloseEnergy(1, [{ meter: 'x', reading: taken }])
  const provenance = discloseProvenance(readings())
  const parts = { provenance, label: 'MODELED' as const, builtAt: AT }
  assert.equal(buildStatement({ ...parts, energy: honest }).predicate.honesty_invariants.no_fabricated_measured, true)
  const forged = { ...discloseEnergy(0, []), energy_disclosure: { ...honest.energy_disclosure } }
  assert.equal(buildStatement({ ...parts, energy: forged }).predicate.honesty_invariants.no_fabricated_measured, false)
  assert.throws(() =>
    discloseEnergy(1, [{ meter: 'x', reading: { value: { joules: 1, at: AT }, source: 'x', readAt: AT } as never }]),
  )
})

test('requiring transparency leaves the verdict open without a proof and never saves a failing one', async () => {
  const statement = built()
  const included: Anchor = { ...notOurs, status: 'INCLUDED' }
  assert.equal((await judged(statement, notOurs, true)).verdict, 'UNKNOWN')
  assert.equal((await judged(statement, { ...notOurs, status: 'UNREACHABLE' }, true)).verdict, 'UNKNOWN')
  assert.equal((await judged(statement, included, true)).verdict, 'PASSED')
  const broken = structuredClone(statement) as Statement
  breakers.doctrine_is_v11(broken)
  assert.equal((await judged(broken, included, true)).verdict, 'FAILED')
  assert.equal((await judged(statement, { ...notOurs, status: 'INVALID' })).verdict, 'FAILED')
})

test('the policy file names the package and the six rules, and pins what the evaluator pins', () => {
  const rego = readFileSync(new URL('../../../../../policies/chain_of_title.rego', import.meta.url), 'utf8')
  assert.match(rego, /^package orch\.attest\.chain_of_title$/m)
  for (const rule of POLICY_RULES) assert.match(rego, new RegExp(`^default ${rule} := false$`, 'm'))
  const rules = [...rego.matchAll(/^default (\w+) :=/gm)].map(([, name]) => name)
  assert.deepEqual(rules, [...POLICY_RULES, 'passed'])
  for (const pin of ['urn:orch:attest:chain-of-title:v1', 'v11', 'c7c0ba17']) assert.ok(rego.includes(`"${pin}"`), pin)
})
