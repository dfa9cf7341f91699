import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as afterReload from '../../../../console/src/operator/wording.ts'
import * as sent from './wording.ts'

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const facts = fc.record({
  healthy: maybe(fc.boolean()),
  reason: maybe(fc.string()),
  evidence: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))),
  p50_ms: maybe(fc.double({ noNaN: true })),
  p99_ms: maybe(fc.double({ noNaN: true })),
  calls: fc.nat(),
})

test('a reload says every fact in the words the page was sent with', () => {
  fc.assert(
    fc.property(facts, (fact) => {
      for (const words of [sent, afterReload]) assert.equal(words.stateOf(fact.healthy), sent.stateOf(fact.healthy))
      assert.equal(afterReload.latencyOf(fact.p50_ms), sent.latencyOf(fact.p50_ms))
      assert.equal(afterReload.evidenceOf(fact), sent.evidenceOf(fact))
      assert.equal(afterReload.callsOf(fact.calls), sent.callsOf(fact.calls))
      assert.equal(afterReload.timesOf(fact), sent.timesOf(fact))
    }),
    { seed: 1 },
  )
})
