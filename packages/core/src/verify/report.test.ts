import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECK_STATUSES, CHECKS, type CheckStatus, check, makeReport, noInput, verdictOf, worstOf } from './report.ts'

const checksOf = (statuses: readonly CheckStatus[]) => CHECKS.map((name, i) => check(name, statuses[i]!, 'because'))

function* everyCombination(): Generator<CheckStatus[]> {
  for (let n = 0; n < CHECK_STATUSES.length ** CHECKS.length; n += 1)
    yield CHECKS.map((_, i) => CHECK_STATUSES[Math.floor(n / CHECK_STATUSES.length ** i) % CHECK_STATUSES.length]!)
}

test('all combinations of statuses get the verdict of the rule', () => {
  const counts: Record<string, number> = {}
  for (const statuses of everyCombination()) {
    const verdict = verdictOf(checksOf(statuses))
    counts[verdict] = (counts[verdict] ?? 0) + 1
    assert.equal(verdict === 'FAIL', statuses.includes('MISMATCH'))
    assert.equal(verdict === 'PASS', new Set(statuses).size === 1 && statuses[0] === 'VERIFIED')
    const core = statuses.slice(0, 3).every((status) => status === 'VERIFIED')
    if (verdict === 'PARTIAL')
      assert.ok(core && statuses.every((status) => ['VERIFIED', 'UNAVAILABLE', 'DEMO'].includes(status)))
  }
  assert.deepEqual(counts, { PASS: 1, PARTIAL: 26, FAIL: 5 ** 6 - 4 ** 6, INCONCLUSIVE: 4 ** 6 - 27 })
})

test('no checks at all are no verdict', () => {
  assert.equal(verdictOf([]), 'NO_INPUT')
  assert.equal(noInput('unknown', 'nothing came').verdict, 'NO_INPUT')
})

test('a report states what it does not prove, and only the clock it was given', () => {
  const report = makeReport('receipt', checksOf(['VERIFIED']), null)
  assert.equal(report.does_not_prove.length, 3)
  assert.equal(report.checked_at, null)
  assert.equal(makeReport('receipt', [], null, '2026-01-01T00:00:00.000Z').checked_at, '2026-01-01T00:00:00.000Z')
})

test('the worst part speaks for the whole', () => {
  assert.equal(worstOf(['VERIFIED', 'UNAVAILABLE', 'MISMATCH', 'UNSIGNED']), 'MISMATCH')
  assert.equal(worstOf(['VERIFIED', 'UNAVAILABLE', 'UNSIGNED']), 'UNSIGNED')
  assert.equal(worstOf(['VERIFIED', 'DEMO', 'UNAVAILABLE']), 'UNAVAILABLE')
  assert.equal(worstOf(['VERIFIED', 'DEMO']), 'DEMO')
  assert.equal(worstOf([]), null)
})
