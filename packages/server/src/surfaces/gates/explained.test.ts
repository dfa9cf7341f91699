import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { explain, RULE_EXPLANATIONS } from '@orch/core'
import { REASONS } from '../../domain/decision/verdict.ts'
import { STEP_REASONS } from '../../domain/stepping/decision.ts'

const { rules } = JSON.parse(readFileSync(new URL('../../../rules/gates.json', import.meta.url), 'utf8')) as {
  rules: { id: string; title: string }[]
}

test('every reason of a decision and every rule of the gates is explained in words, by one title', () => {
  for (const reason of [...REASONS, ...STEP_REASONS]) assert.notEqual(explain(reason), null, reason)
  for (const { id, title } of rules) assert.equal(explain(id)?.title, title, id)
})

test('no rule is explained that does not run', () => {
  const known = new Set([...rules.map(({ id }) => id), 'S-MARK', 'S-CRED', 'S-INT', 'S-PID', 'S-TOPIC'])
  assert.deepEqual(
    RULE_EXPLANATIONS.map(({ code }) => code).filter((code) => !known.has(code)),
    [],
  )
})
