import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorize, commandWith, envelopeOf, keys, statement, trust } from '#testing/anatomy.ts'
import { bind } from './bind.ts'
import { readBindBody } from './bodies.ts'
import { digestOf } from './json-shape.ts'
import { PROVEN } from './prove.ts'

const named = digestOf(statement())
const run = (body: unknown) => {
  const read = readBindBody(body)
  assert.ok(read.ok)
  return bind(read.value.command, read.value.evidence, trust, authorize, PROVEN)
}
const command = (evidenceDigest: string | null, facts: Parameters<typeof commandWith>[0] = {}) =>
  commandWith({ ...facts, context: { ...facts?.context, evidenceDigest } })

test('a permitted intent that names its admitted evidence is eligible, and still has no authority', async () => {
  const envelope = await envelopeOf(statement(), keys.production)
  for (const digest of [named, `sha256:${named}`, named!.toUpperCase()]) {
    const result = run({ command: command(digest), envelope })
    assert.deepEqual(
      [result.policyEligible, result.combinedOutcome, result.executionAuthority],
      [true, 'ALLOW', 'none'],
    )
    assert.deepEqual(result.evidenceBinding.reasons, ['STATEMENT_DIGEST_MATCHED'])
    assert.deepEqual([result.requestId, result.traceId], ['synthetic-request', 'synthetic-trace'])
  }
})

test('each condition alone withholds eligibility', async () => {
  const envelope = await envelopeOf(statement(), keys.production)
  const cases: [string, unknown, string, string[]][] = [
    [
      'intent blocked',
      { command: command(named, { context: { mfa: false } }), envelope },
      'BLOCK',
      ['STATEMENT_DIGEST_MATCHED'],
    ],
    ['unsigned', { command: command(named), statement: statement() }, 'REVIEW', ['STATEMENT_DIGEST_MATCHED']],
    [
      'demo key',
      { command: command(named), envelope: await envelopeOf(statement(), keys.demo) },
      'REVIEW',
      ['STATEMENT_DIGEST_MATCHED'],
    ],
    [
      'forged word',
      { command: command(named), statement: statement(), verification: { verified: true } },
      'REVIEW',
      ['STATEMENT_DIGEST_MATCHED'],
    ],
    ['other digest', { command: command('c'.repeat(64)), envelope }, 'BLOCK', ['STATEMENT_DIGEST_MISMATCH']],
    ['malformed digest', { command: command('abc'), envelope }, 'BLOCK', ['STATEMENT_DIGEST_MISMATCH']],
    ['no evidence', { command: command(named) }, 'REVIEW', ['EVIDENCE_MISSING']],
    [
      'no digest',
      { command: command(null, { action: 'ReadResource', resource: { requiresApproval: false } }), envelope },
      'REVIEW',
      ['EVIDENCE_REQUIRED'],
    ],
    ['neither', { command: command(null) }, 'BLOCK', ['EVIDENCE_MISSING', 'EVIDENCE_REQUIRED']],
    ['no command', { command: {}, envelope }, 'BLOCK', ['EVIDENCE_REQUIRED']],
  ]
  for (const [why, body, outcome, reasons] of cases) {
    const result = run(body)
    assert.equal(result.policyEligible, false, why)
    assert.deepEqual([result.combinedOutcome, result.evidenceBinding.reasons], [outcome, reasons], why)
  }
})

test('the body is closed, holds one piece of evidence and needs a command', () => {
  const paths = (body: unknown) => {
    const read = readBindBody(body)
    return read.ok ? [] : read.faults.map(({ path }) => path)
  }
  assert.deepEqual(paths({ command: {}, statement: {}, envelope: {}, more: 1 }), ['more', 'envelope'])
  assert.deepEqual(paths({}), ['command'])
  assert.deepEqual(paths(null), [''])
  assert.deepEqual(paths({ command: {}, statement: 'x' }), ['statement'])
  assert.deepEqual(paths({ command: { request: commandWith() } }), [])
})
