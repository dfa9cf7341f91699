import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkLambda, type LambdaInputs, type ReceiptBody } from '@orch/core'
import { loadRules } from '../gates/rules.ts'
import { type Decision, decisionOf } from './decide.ts'
import { decisionRecord } from './decision-record.ts'
import { type Examination, examineText } from './examine.ts'
import type { Verdict } from './verdict.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const rules = loadRules({
  gates: read('../../../rules/gates.json'),
  confusables: read('../../../rules/confusables.json'),
  scorer: read('../../../rules/threat-scorer.json'),
})
const { defaults, vectors } = read('../../../../../vectors/decisions.json')

interface Judged {
  examination: Examination
  decision: Decision
}

interface Vector {
  text: string
  options: Record<string, unknown>
}

function run(vector: Vector): Judged {
  const options = { ...defaults, ...vector.options }
  const { origin, direction, effect, declared } = options
  const clock = { rules, deadlineMs: 50, now: () => 0 }
  const seen = examineText({ text: vector.text, origin, direction, effect, declared, ...clock })
  const examination = options.planned ? late(seen, options.planned, options.completed) : seen
  const budget = { spent_micro: options.spent_micro, limit_micro: options.budget_micro }
  return {
    examination,
    decision: decisionOf({ examination, policy: options.policy, budget, severity: options.severity }),
  }
}

/** As if one evaluation of the threat gate had not come back in time. */
function late(examination: Examination, planned: number, completed: number): Examination {
  const stages = examination.stages.map((stage) =>
    stage.id === 'threat-signature-scan'
      ? { ...stage, verdict: 'review' as Verdict, reasons: ['GATE_TIMEOUT' as const] }
      : stage,
  )
  return { ...examination, stages, planned, completed }
}

test('there are vectors for all twenty cases', () => {
  assert.deepEqual(new Set(vectors.map(({ id }: { id: string }) => Number.parseInt(id, 10))).size, 20)
})

for (const vector of vectors) {
  test(`vector ${vector.id}: ${JSON.stringify(vector.text).slice(0, 60)} is ${vector.expect.decision}`, () => {
    const { examination, decision } = run(vector)
    const { expect } = vector
    assert.deepEqual(
      [...new Set(examination.findings.map(({ rule, severity }) => `${rule}:${severity}`))].sort(),
      expect.findings,
    )
    assert.equal(examination.sensitivity.class, expect.class)
    assert.equal(decision.lambda?.value, expect.lambda)
    assert.equal(decision.lambda?.raw, expect.raw)
    assert.equal(decision.decision, expect.decision)
    assert.deepEqual(decision.reasons, expect.reasons)
    for (const count of ['invisible', 'mixed_script_words', 'decoded_children'] as const)
      if (expect[count] !== undefined) assert.equal(examination.transparency[count], expect[count])
    if (expect.path) assert.deepEqual(examination.findings[0]?.path, expect.path)
    assert.equal(decision.gates_fired.length + decision.gates_passed.length, 6)
  })
}

/** Lambda once more, from the inputs a receipt carries and in plain floating point: nothing of the code above. */
function recomputed(i: LambdaInputs): { raw: number; charge: number } {
  const product = (factors: number[]) => factors.reduce((all, one) => all * one, 1)
  const axis = (value: number) => Math.round(Math.min(1, Math.max(0.01, value)) * 1e6) / 1e6
  const T = { block: 0.4, hold: 0.75, note: 0.95 }
  const P = { block: 0.5, hold: 0.8, note: 0.97 }
  const integrity = axis(product(i.threats.map(({ severity }) => T[severity])))
  const values = i.values.flatMap(({ severity, values }) => Array<number>(values).fill(P[severity]))
  const privacy = axis(product(values.sort((a, b) => a - b).slice(0, 8)))
  const sensitivity = { PUBLIC: 1, INTERNAL: 0.96, RESTRICTED: 0.6, SECRET: 0.4 }[i.sensitivity]
  const effect = { none: 1, read: 1, write: 0.95, external: 0.9, destructive: 0.6 }[i.effect]
  const origin = { user: 1, system: 1, model: 1, tool: 0.95, retrieved: 0.92 }[i.origin]
  const consequence = axis(effect * origin * (1 - 0.3 * Math.max(0, (i.severity_milli / 1000 - 5) / 5)))
  const parts = [
    0.5 * Math.min(1, i.invisible / 8),
    0.3 * Math.min(1, i.mixed_script_words / 3),
    0.2 * Math.min(1, i.decoded_children / 4),
  ]
  const transparency = axis(1 - parts.reduce((all, one) => all + one, 0))
  const charge = Math.round(250_000 * (1 - Math.min(integrity, privacy, sensitivity, consequence, transparency)))
  const budget = axis(1 - 0.5 * Math.min(1, (i.spent_micro + charge) / i.budget_micro) ** 2)
  const axes = [integrity, privacy, sensitivity, consequence, transparency, axis(i.completed / i.planned), budget]
  const weights = [0.25, 0.2, 0.15, 0.15, 0.1, 0.1, 0.05]
  return { raw: Math.exp(axes.reduce((sum, value, at) => sum + (weights[at] as number) * Math.log(value), 0)), charge }
}

test('lambda and charge of every vector come out again from the inputs alone', () => {
  for (const vector of vectors) {
    const { lambda, lambda_inputs, charge_micro } = run(vector).decision
    const again = recomputed(lambda_inputs as LambdaInputs)
    assert.ok(Math.abs(again.raw - (lambda?.raw ?? 0)) <= 1e-6, vector.id)
    assert.equal(again.charge, charge_micro, vector.id)
  }
})

/** The payload a receipt would keep of a vector. The policy's own record has no part in lambda. */
function payloadOf(vector: Vector): Record<string, unknown> {
  const empty = { reasons: [], determining: [], forbids: [], errors: [], engine: '', policy_digest: '' }
  return decisionRecord({ ...run(vector), policy: { outcome: 'allow', ...empty } })
}

test('the verifier computes lambda of every vector again, and finds each that was changed', () => {
  const statusOf = (payload: Record<string, unknown>) =>
    checkLambda({ kind: 'decision', payload } as ReceiptBody)?.status
  for (const vector of vectors) {
    const payload = payloadOf(vector)
    assert.equal(statusOf(payload), 'VERIFIED', vector.id)
    for (const name of ['lambda', 'lambda_raw'])
      for (const by of [-0.000002, 0.000002])
        assert.equal(statusOf({ ...payload, [name]: (payload[name] as number) + by }), 'MISMATCH', vector.id)
  }
})

const SCRIPT = fileURLToPath(new URL('../../../../../examples/recompute_lambda.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0
const python = (payloads: unknown) =>
  spawnSync('python3', [SCRIPT], { input: JSON.stringify(payloads), encoding: 'utf8' })

test('Python, with its standard library alone, computes lambda of every vector again from the receipt', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  const { status, stdout, stderr } = python(vectors.map(payloadOf))
  assert.equal(status, 0, stderr + stdout)
  const printed = [...stdout.matchAll(/computed (\S+)/g)].map(([, value]) => Number(value))
  assert.equal(printed.length, vectors.length)
  for (const [at, value] of printed.entries())
    assert.ok(Math.abs(value - vectors[at].expect.lambda) <= 1e-6, vectors[at].id)
})

test('Python finds a lambda that was changed in the receipt', (t) => {
  if (!hasPython) return t.skip('SKIPPED: python3 absent')
  for (const vector of vectors.slice(0, 3)) {
    const payload = payloadOf(vector)
    assert.equal(python({ payload: { ...payload, lambda: 0.95 } }).status, 3)
  }
})
