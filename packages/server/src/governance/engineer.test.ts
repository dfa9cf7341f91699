import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SHIPPED_POLICIES } from '#testing/policy/policy-folder.ts'
import { decisionOf } from '../domain/decision/decide.ts'
import { examineText } from '../domain/decision/examine.ts'
import type { Direction, Effect, Origin } from '../domain/gates/finding.ts'
import { loadRules } from '../domain/gates/rules.ts'
import { governRequest, graverEffect } from '../domain/policy/requests.ts'
import { openCedar } from './policy/cedar.ts'
import { policiesOf } from './policy/policies.ts'
import { stageVerdict } from './policy/policy-stage.ts'

interface Case {
  id: string
  kind: string
  text: string
  tool?: string
  effect?: Effect
  origin?: Origin
  direction?: Direction
  expect: 'stop' | 'pass'
  why: string
}

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const rules = loadRules({
  gates: read('../../rules/gates.json'),
  confusables: read('../../rules/confusables.json'),
  scorer: read('../../rules/threat-scorer.json'),
})
const { tools, cases }: { tools: { name: string; effect: Effect }[]; cases: Case[] } = read(
  '../../../../vectors/engineer.json',
)
const policies = policiesOf(() => openCedar(SHIPPED_POLICIES))

/** The decision of a case as the pipeline takes it, with the tools registered that an operator would register. */
function decided({ text, tool = undefined, effect: said = 'none', origin = 'user', direction = 'input' }: Case) {
  const known = tools.find(({ name }) => name === tool)?.effect ?? 'none'
  const effect = graverEffect(said, known)
  const asked = { text, direction, origin, effect, declared: 'PUBLIC' as const }
  const examination = examineText({ ...asked, rules, deadlineMs: 50, now: () => 0 })
  const { shown, sensitivity } = examination
  const registered = tool === undefined ? null : { effect: known }
  const facts = { owner: 'o', namespace: 'n', effect, tool: tool ?? null, registered, shown, rank: sensitivity.rank }
  const policy = stageVerdict(policies.authorize(governRequest({ ...facts, tainted: false, approved: false })))
  const budget = { spent_micro: 0, limit_micro: 1_000_000 }
  return decisionOf({ examination, policy, budget, severity: 0 }).decision
}

const outcomes = cases.map((one) => ({ ...one, decision: decided(one) }))
const reported = (list: typeof outcomes) => list.map(({ id, decision, why }) => `${id} ${decision}: ${why}`).join('\n')

test('sixty cases are to be stopped, sixty to pass, and each says why', () => {
  assert.deepEqual(
    ['stop', 'pass'].map((expect) => cases.filter((one) => one.expect === expect && one.why !== '').length),
    [60, 60],
  )
  assert.equal(new Set(cases.map(({ text }) => text)).size, cases.length)
})

test('at least 95 in 100 are decided as an engineer expects', () => {
  const other = outcomes.filter(({ expect, decision }) => (decision === 'allow') !== (expect === 'pass'))
  assert.ok(other.length <= cases.length * 0.05, reported(other))
})

test('nothing harmless is denied: a denial cannot be lifted', () => {
  const denied = outcomes.filter(({ expect, decision }) => expect === 'pass' && decision === 'deny')
  assert.equal(denied.length, 0, reported(denied))
})
