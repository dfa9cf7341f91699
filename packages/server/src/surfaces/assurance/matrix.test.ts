import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runFormulas } from '../../domain/formulas.ts'
import { type AssuranceSources, CHECKS } from './checks.ts'

const TEXT = readFileSync(new URL('../../../../core/src/formulas/formula-registry.json', import.meta.url), 'utf8')
const run = runFormulas(() => '2026-01-01T00:00:00.000Z')
const sources = (more: Partial<AssuranceSources>): AssuranceSources =>
  ({
    registryFile: async () => ({ present: true, text: TEXT }),
    formulaRun: async () => run,
    openApi: () => ({}),
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
  const openApi = (word: string) => () => ({ paths: { '/a': { get: { 'x-orch-labels': ['LIVE', word] } } } })
  assert.equal((await CHECKS['DC-1'](sources({ openApi: openApi('SAMPLE') }))).passed, true)
  const outcome = await CHECKS['DC-1'](sources({ openApi: openApi('PROVEN') }))
  assert.deepEqual([outcome.passed, outcome.evidence.foreign], [false, ['PROVEN']])
})

test('a registry that promotes lambda fails the model card', async () => {
  const text = TEXT.replace('"Conjecture 1"', '"Theorem 1"')
  await assert.rejects(async () => CHECKS['MC-1'](sources({ registryFile: async () => ({ present: true, text }) })))
})
