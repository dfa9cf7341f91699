import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECK_STATUSES, CHECKS, type CheckStatus, check, makeReport, type VerificationReport } from '@orch/core'
import fc from 'fast-check'
import { exitOfReport, worstExit } from './commands/verify.ts'

const report = (statuses: readonly CheckStatus[], details = {}): VerificationReport =>
  makeReport(
    'receipt',
    CHECKS.map((name, at) => check(name, statuses[at]!, 'because', name === 'signature' ? details : {})),
    { digest: '0'.repeat(64) },
  )
const statuses = fc.tuple(...CHECKS.map(() => fc.constantFrom(...CHECK_STATUSES)))
const demands = fc.record({
  strict: fc.boolean(),
  chain: fc.boolean(),
  requireProduction: fc.boolean(),
  allowUnsigned: fc.boolean(),
})

test('no combination of flags turns a mismatch into anything but 3', () => {
  fc.assert(
    fc.property(statuses, demands, (found, asked) => {
      const code = exitOfReport(report(found), asked)
      assert.equal(code === 3, found.includes('MISMATCH'))
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('0 always means that structure and digest hold, and the signature too unless unsigned was allowed', () => {
  fc.assert(
    fc.property(statuses, demands, (found, asked) => {
      if (exitOfReport(report(found), asked) !== 0) return
      const [structure, signature, digest, chain, , trust] = found
      assert.deepEqual([structure, digest], ['VERIFIED', 'VERIFIED'])
      assert.ok(signature === 'VERIFIED' || (asked.allowUnsigned && signature === 'UNSIGNED'))
      if (asked.chain) assert.equal(chain, 'VERIFIED')
      if (asked.requireProduction) assert.equal(trust, 'VERIFIED')
      if (asked.strict) assert.ok(found.every((status) => status === 'VERIFIED'))
    }),
    { seed: 2, numRuns: 2000 },
  )
})

test('unsigned receipts do not excuse others that are signed by a key nobody knows', () => {
  const mixed = report(['VERIFIED', 'UNSIGNED', 'VERIFIED', 'VERIFIED', 'UNAVAILABLE', 'UNAVAILABLE'], {
    unsigned: 1,
    unknown: 1,
  })
  assert.equal(exitOfReport(mixed, { allowUnsigned: true }), 5)
  const plain = report(['VERIFIED', 'UNSIGNED', 'VERIFIED', 'VERIFIED', 'UNAVAILABLE', 'UNAVAILABLE'], {
    unsigned: 2,
    unknown: 0,
  })
  assert.equal(exitOfReport(plain, { allowUnsigned: true }), 0)
})

test('the worst of several results counts, and none at all is not enough', () => {
  assert.equal(worstExit([0, 5, 3]), 3)
  assert.equal(worstExit([0, 5]), 5)
  assert.equal(worstExit([0]), 0)
  assert.equal(worstExit([]), 5)
})
