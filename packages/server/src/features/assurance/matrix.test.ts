import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runFormulas } from '../../domain/formulas.ts'
import { type AssuranceSources, CHECKS } from './checks.ts'

const TEXT = readFileSync(new URL('../../../../core/src/formulas/formula-registry.json', import.meta.url), 'utf8')
const run = await runFormulas(() => '2026-01-01T00:00:00.000Z')
const sources = (more: Partial<AssuranceSources>): AssuranceSources =>
  ({
    registryFile: async () => ({ present: true, text: TEXT }),
    formulaRun: async () => run,
    catalog: [],
    ...more,
  }) as AssuranceSources

test('a locked formula with a counterexample fails the test results by name', async () => {
  const checks = run.checks.map((check) => (check.formula_id === 'F18' ? { ...check, passed: false } : check))
  const outcome = await CHECKS['TEVV-1'](sources({ formulaRun: async () => ({ ...run, checks }) }))
  assert.deepEqual([outcome.passed, outcome.detail], [false, 'a counterexample was found for F18'])
})

test('seven checks, or a conjecture without its counterexample, fail the test results', async () => {
  const seven = { ...run, checks: run.checks.slice(1) }
  const promoted = { ...run, counterexample: { ...run.counterexample, stands: false } }
  for (const formulas of [seven, promoted])
    assert.equal((await CHECKS['TEVV-1'](sources({ formulaRun: async () => formulas }))).passed, false)
})

test('a label that is none of the nine fails the data card', async () => {
  const catalog = (word: string) => [{ id: 'a.read', labels: ['LIVE', word] }]
  assert.equal((await CHECKS['DC-1'](sources({ catalog: catalog('SAMPLE') }))).passed, true)
  const outcome = await CHECKS['DC-1'](sources({ catalog: catalog('PROVEN') }))
  assert.deepEqual([outcome.passed, outcome.evidence.foreign], [false, ['PROVEN']])
})

test('an operation without labels fails the data card and is named', async () => {
  const catalog = [
    { id: 'a.read', labels: ['SAMPLE'] },
    { id: 'b.read', labels: [] },
  ]
  const { passed, evidence } = await CHECKS['DC-1'](sources({ catalog }))
  assert.deepEqual([passed, evidence.operations, evidence.with_labels, evidence.without_labels], [false, 2, 1, 1])
  assert.deepEqual(evidence.operations_without_labels, ['b.read'])
})

test('a lambda that lets a request pass fails the model card, and a formula that nothing calls is not covered', async () => {
  const lambdaUse = { ...run.lambdaUse, passed: false }
  assert.equal((await CHECKS['MC-1'](sources({ formulaRun: async () => ({ ...run, lambdaUse }) }))).passed, false)
  const { passed, evidence } = await CHECKS['TEVV-1'](sources({}))
  const rows: { id: string; called_by: string[] }[] = JSON.parse(TEXT).payload.locked
  const uncalled = rows.filter(({ called_by }) => called_by.length === 0).map(({ id }) => id)
  assert.deepEqual([passed, evidence.not_called_yet], [true, uncalled])
})

test('a registry that promotes lambda fails the model card', async () => {
  const text = TEXT.replace('"Conjecture 1"', '"Theorem 1"')
  await assert.rejects(async () => CHECKS['MC-1'](sources({ registryFile: async () => ({ present: true, text }) })))
})
