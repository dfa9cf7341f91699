import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { CHAIN_OF_TITLE_PIN, chainOfTitlePolicy, POLICY_RULES, type PolicyRule } from './policy.ts'
import { verifyStatement } from './statement.ts'

const golden = JSON.parse(readFileSync(new URL('../../../../vectors/golden.json', import.meta.url), 'utf8'))
type Statement = {
  predicateType: string
  subject: { digest: { gitCommit: string } }[]
  predicate: Record<string, Record<string, unknown>>
}
const statement = (): Statement => structuredClone(golden.statement_record.statement)

type Kernel = { verified: boolean; registry: { witnesses: Record<string, unknown>[]; agreed_lock_digest: string } }
const kernelOf = (value: Statement) => value.predicate.provenance!.kernel_verification as Kernel
const registryOf = (value: Statement) => kernelOf(value).registry

const BREAKERS: Record<PolicyRule, ((value: Statement) => unknown)[]> = {
  predicate_type_matches: [(value) => (value.predicateType = 'https://slsa.dev/provenance/v1')],
  doctrine_is_v11: [(value) => ((value.predicate as Record<string, unknown>).doctrine = 'v12')],
  kernel_verified: [
    (value) => (value.predicate.provenance!.kernel_verified = false),
    (value) => (value.predicate.provenance!.kernel_verified = 'true'),
    (value) => (kernelOf(value).verified = false),
    (value) => (registryOf(value).witnesses = []),
    (value) => registryOf(value).witnesses.splice(2),
    (value) => registryOf(value).witnesses.push({ ...registryOf(value).witnesses[0]!, source: 'formula-tiers' }),
    (value) => (registryOf(value).witnesses[2]!.kernel_commit = 'c7c0ba17'),
    (value) => (registryOf(value).witnesses[2]!.locked_formula_ids = ['F1']),
    (value) => (value.predicate.provenance!.kernel_pin = 'c7c0ba18'),
    (value) => registryOf(value).witnesses.fill(registryOf(value).witnesses[0]!),
    (value) => (registryOf(value).witnesses[1]!.lock_digest = '0'.repeat(64)),
    (value) => (registryOf(value).witnesses[1]!.lambda_status = 'Theorem 1'),
    (value) => (registryOf(value).agreed_lock_digest = '0'.repeat(64)),
    (value) => delete value.predicate.provenance!.kernel_verification,
  ],
  honesty_invariants_all_true: [
    (value) => (value.predicate.honesty_invariants!.no_fabricated_measured = false),
    (value) => (value.predicate.honesty_invariants!.lambda_is_conjecture_not_theorem = 1),
    (value) => delete value.predicate.honesty_invariants!.locked8_immutable,
    (value) => (value.predicate.lambda!.is_theorem = true),
    (value) => (value.predicate.lambda!.status = 'Theorem 1'),
    (value) => (value.predicate.seal = { tier: 'PROVEN' }),
    (value) => Object.assign(value.predicate, { energy_measured: [{ joules: 5, label: 'MEASURED' }] }),
    (value) => (value.predicate.energy_disclosure = { label: 'MEASURED' }),
    (value) => (value.predicate.other = { deep: { label: 'LIVE' } }),
    (value) => Object.assign(value.subject[0]!, { annotations: { locked_proven: ['F1'] } }),
    (value) => Object.assign(kernelOf(value), { locked_proven: ['F1'] }),
    (value) => Object.assign(registryOf(value), { dispute_crosswalk: { payload: { locked_proven_ids: ['F1'] } } }),
    (value) => (value.predicate.attestation = { orch: { build_track: 'SLSA_BUILD_LEVEL_3', vsa: null } }),
    (value) => (value.predicate.attestation = { orch: { build_track: 'NOT_CLAIMED', vsa: {} } }),
  ],
  provenance_coverage_is_one: [
    (value) => (value.predicate.provenance!.provenance_coverage = 0.999),
    (value) => (value.predicate.provenance!.provenance_coverage = '1'),
    (value) => (value.predicate.provenance!.corpus_source = { note: ' ' }),
    (value) => delete value.predicate.provenance!.training,
    (value) => Object.assign(value.predicate.provenance!, { build_commit: { commit: null } }),
    (value) =>
      Object.assign(value.predicate.provenance!, { sovereign_weights: { sha256: null, bytes: null, note: 7 } }),
  ],
  subject_binds_kernel_commit: [
    (value) => (value.subject[0]!.digest.gitCommit = 'c7c0ba18'),
    (value) => (value.subject = []),
    (value) => value.subject.push({ digest: { gitCommit: 'another' } }),
  ],
}

test('the golden statement meets all six rules, in their order', () => {
  const { checks, failed } = chainOfTitlePolicy(statement(), CHAIN_OF_TITLE_PIN)
  assert.deepEqual(Object.keys(checks), [...POLICY_RULES])
  assert.ok(Object.values(checks).every((holds) => holds === true))
  assert.deepEqual(failed, [])
})

for (const rule of POLICY_RULES) {
  test(`${rule} fails alone when only its fact is wrong`, async () => {
    for (const spoil of BREAKERS[rule]) {
      const value = statement()
      spoil(value)
      assert.deepEqual(chainOfTitlePolicy(value, CHAIN_OF_TITLE_PIN).failed, [rule])
      const report = await verifyStatement(value, { keys: [] })
      assert.equal(report.verdict, 'FAIL')
      assert.match(report.checks[0]!.reason, new RegExp(rule))
    }
  })
}

test('a commit is compared with the pin and not merely present', () => {
  const pin = { ...CHAIN_OF_TITLE_PIN, kernelCommit: 'deadbeef' }
  assert.deepEqual(chainOfTitlePolicy(statement(), pin).failed, ['subject_binds_kernel_commit'])
})

test('a value that is no statement fails every rule', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(chainOfTitlePolicy(value, CHAIN_OF_TITLE_PIN).failed, [...POLICY_RULES])
    }),
    { seed: 6 },
  )
})

test('the signature status names each case', async () => {
  const statusOf = async (value: unknown, trust = { keys: [] }) =>
    (await verifyStatement(value, trust)).subject?.signature_status
  assert.equal(await statusOf(statement()), 'NO-ENVELOPE-SUPPLIED')
  assert.equal(await statusOf(golden.statement_record), 'UNSIGNED-READ-ONLY')
  assert.equal(await statusOf(golden.statement_envelope), 'SIGNER-UNKNOWN')
  assert.equal(await statusOf({ ...golden.statement_envelope, payloadType: 'x' }), 'SIGNATURE-INVALID')
})
