import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandWith, envelopeOf, keys, setting, statement } from '#testing/anatomy.ts'
import type { ReplayCapsule } from '../schemas.ts'
import { analysisReply, analyze } from './analyze.ts'
import { readAnalysisBody } from './bodies.ts'
import { digestOf } from './json-shape.ts'
import { readCapsule, replay } from './replay.ts'

const facts = { diskDigest: setting.policy.digest, ledgerBound: true }
async function capsule(): Promise<ReplayCapsule> {
  const envelope = await envelopeOf(statement(), keys.production)
  const read = readAnalysisBody({
    command: commandWith({ context: { evidenceDigest: digestOf(statement()) } }),
    envelope,
  })
  assert.ok(read.ok)
  const done = analyze(read.value, setting)
  assert.ok(done.ok)
  return JSON.parse(analysisReply(done, 'e'.repeat(64)).replayCapsuleJson)
}
const codes = (value: unknown, given = facts, under = setting) =>
  replay(value, under, given).issues.map(({ code }) => code)

test('a capsule replays to the same result', async () => {
  const made = await capsule()
  const result = replay(made, setting, facts)
  assert.deepEqual([result.valid, result.inputMatch, result.policyMatch, result.resultMatch], [true, true, true, true])
  assert.deepEqual([result.authentic, result.trust, result.issues], [true, 'ledger-bound', []])
  assert.deepEqual(result.current, {
    inputDigest: made.inputDigest,
    policyDigest: made.policyDigest,
    resultDigest: made.resultDigest,
  })
})

test('each issue is told by its code', async () => {
  const made = await capsule()
  const other = 'f'.repeat(64)
  assert.deepEqual(codes({ ...made, inputDigest: other }), ['INPUT_DIGEST_MISMATCH'])
  assert.deepEqual(codes({ ...made, policyDigest: other }), ['POLICY_DRIFT'])
  assert.deepEqual(codes({ ...made, resultDigest: other }), ['RESULT_DIGEST_MISMATCH'])
  assert.deepEqual(codes(made, { ...facts, diskDigest: other }), ['POLICY_RUNTIME_STALE'])
  assert.deepEqual(codes(made, { ...facts, diskDigest: null as unknown as string }), ['POLICY_RUNTIME_STALE'])
})

test('an edited input shows in both digests, and a capsule made up whole is consistent but not ours', async () => {
  const made = await capsule()
  const edited = { ...made, input: { ...made.input, command: commandWith({ context: { riskScore: 1 } }) } }
  assert.deepEqual(codes(edited), ['INPUT_DIGEST_MISMATCH', 'RESULT_DIGEST_MISMATCH'])
  assert.equal(replay(edited, setting, facts).authentic, false)
  const unbound = replay(made, setting, { ...facts, ledgerBound: false })
  assert.deepEqual([unbound.valid, unbound.authentic, unbound.trust], [true, false, 'untrusted'])
})

test('another ring gives another result under the same policies', async () => {
  const made = await capsule()
  assert.deepEqual(codes(made, facts, { ...setting, trust: { ...setting.trust, ring: [] } }), [
    'RESULT_DIGEST_MISMATCH',
  ])
})

test('an input whose analysis would be too long says so', async () => {
  const made = await capsule()
  const purposes = Array.from({ length: 7 }, (_, at) => `${at}${'x'.repeat(16_000)}`)
  const changes = [{ path: 'resource.attrs.allowedPurposes', value: [] }]
  const scenarios = Array.from({ length: 16 }, (_, at) => ({ id: `s${at}`, changes }))
  const input = { command: commandWith({ resource: { allowedPurposes: purposes } }), scenarios }
  assert.deepEqual(codes({ ...made, input, inputDigest: digestOf(input) }), ['OUTPUT_LIMIT_EXCEEDED'])
})

test('what is no capsule is refused as one', async () => {
  const made = await capsule()
  const wrong: unknown[] = [
    ...[null, [], {}, 'x', { ...made, more: 1 }, { ...made, schema: 'orch.anatomy.replay.v2' }, { ...made, input: [] }],
    { ...made, input: { ...made.input, statement: 'x'.repeat(196_608) } },
    ...[
      { ...made, receiptDigest: undefined },
      { ...made, resultDigest: 'F'.repeat(64) },
    ],
  ]
  for (const value of wrong) {
    assert.equal(readCapsule(value), null)
    assert.deepEqual(codes(value), ['CAPSULE_INVALID'])
  }
  for (const input of [{}, { command: 1, more: 1 }, { command: 'x'.repeat(20_000) }])
    assert.deepEqual(codes({ ...made, input }), ['CAPSULE_INVALID'])
})
