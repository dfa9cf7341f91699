import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { explain, GATE_EXPLANATIONS, RULE_EXPLANATIONS } from '@orch/core'
import { REASONS } from '../../domain/decision/verdict.ts'
import { HALTS } from '../agent/rules/halts.ts'
import { STEP_REASONS } from '../stepping/rules/decision.ts'

const { rules } = JSON.parse(readFileSync(new URL('../../../rules/gates.json', import.meta.url), 'utf8')) as {
  rules: { id: string; title: string }[]
}

test('every reason of a decision and every rule of the gates is explained in words, by one title', () => {
  for (const reason of [...REASONS, ...STEP_REASONS]) assert.notEqual(explain(reason), null, reason)
  for (const { id, title } of rules) assert.equal(explain(id)?.title, title, id)
})

test('the six gates are named in words, in the order they are asked', () => {
  const listing = readFileSync(new URL('./listing.ts', import.meta.url), 'utf8')
  assert.equal(GATE_EXPLANATIONS.length, 6)
  for (const { code } of GATE_EXPLANATIONS) assert.ok(listing.includes(`'${code}'`), code)
})

test('no rule is explained that does not run', () => {
  const known = new Set([...rules.map(({ id }) => id), 'S-MARK', 'S-CRED', 'S-INT', 'S-PID', 'S-TOPIC'])
  assert.deepEqual(
    RULE_EXPLANATIONS.map(({ code }) => code).filter((code) => !known.has(code)),
    [],
  )
})

test('every halt of the agent and every code of the anatomy, in its sources and policies, is explained in words', () => {
  const textOf = (folder: URL, end: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(end) && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('')
  const sources = textOf(new URL('../anatomy/rules/', import.meta.url), '.ts')
  const policies = textOf(new URL('../../../../../policies/anatomy/', import.meta.url), '.cedar')
  const codes = [
    ...Object.keys(HALTS),
    ...Array.from(sources.matchAll(/'([A-Z]+(?:_[A-Z0-9]+)+)'/g), ([, code]) => code!),
    ...Array.from(policies.matchAll(/@reason\("(\w+)"\)/g), ([, code]) => code!),
  ]
  // Two words of the trace say what went well and are no reasons.
  const reasons = codes.filter((code) => !['EVALUATION_ONLY', 'INTENT_CONDITIONS_SATISFIED'].includes(code))
  assert.ok(reasons.length > 50)
  assert.deepEqual([...new Set(reasons.filter((code) => explain(code) === null))], [])
})
