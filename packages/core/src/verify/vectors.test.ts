import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Case, differences, inputOf, type KeysFile, trustOf } from '../../../../vectors/cases.ts'
import { CHECKS, makeReport, verifyAny } from '../index.ts'

const read = (name: string): string => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')
const keys = JSON.parse(read('keys.json')) as KeysFile
const cases = JSON.parse(read('cases.json')) as Case[]

for (const one of cases) {
  test(`vector: ${one.name}`, async () => {
    const report = await verifyAny(inputOf(one), trustOf(keys, one))
    assert.deepEqual(differences(one, report), [], JSON.stringify(report.checks, null, 1))
    assert.ok(report.checks.every(({ reason }) => reason.length > 10))
  })
}

test('the committed ledger export is the one of the cases', () => {
  assert.equal(cases.find(({ name }) => name === 'a ledger export')?.text, read('ledger.jsonl'))
})

test('the names of the cases are sentences of their own, and every verdict and check occurs', () => {
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length)
  assert.deepEqual([...new Set(cases.map(({ expected }) => expected.verdict))].sort(), [
    'FAIL',
    'INCONCLUSIVE',
    'NO_INPUT',
    'PARTIAL',
    'PASS',
  ])
  for (const check of CHECKS) {
    const at = CHECKS.indexOf(check)
    assert.ok(
      cases.some(({ expected }) => expected.statuses[at] === 'MISMATCH'),
      check,
    )
  }
})

test('a case whose report differs in any part is told apart', () => {
  const [one] = cases as [Case]
  const empty = makeReport('unknown', [], null)
  assert.ok(differences(one, empty).length >= 3)
})
