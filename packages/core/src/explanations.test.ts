import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { explain, explainAll, GATE_EXPLANATIONS, REASON_EXPLANATIONS, RULE_EXPLANATIONS } from './explanations.ts'

test('every title and sentence fits on one line and the sentence ends', () => {
  for (const { code, title, sentence } of [...REASON_EXPLANATIONS, ...GATE_EXPLANATIONS, ...RULE_EXPLANATIONS]) {
    assert.ok(title.length >= 3 && title.length <= 60, code)
    assert.ok(sentence.length <= 120 && sentence.endsWith('.'), `${code}: ${sentence.length}`)
  }
})

test('each code is explained once, in the order it came, and an unknown one is left out', () => {
  assert.deepEqual(
    explainAll(['T01', 'THREAT_SIGNATURE', 'T01', 'OF_SOMEBODY_ELSE']).map(({ code }) => code),
    ['T01', 'THREAT_SIGNATURE'],
  )
  assert.equal(explain('constructor'), null)
})

test('docs/reasons.md lists exactly this table', () => {
  const page = readFileSync(new URL('../../../docs/reasons.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, code, title, sentence]) => ({
    code,
    title,
    sentence,
  }))
  assert.deepEqual(rows, [...REASON_EXPLANATIONS, ...GATE_EXPLANATIONS, ...RULE_EXPLANATIONS])
})
