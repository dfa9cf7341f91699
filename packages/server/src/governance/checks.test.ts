import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { PATIENT } from '#testing/gate-workers/patient.ts'
import { policyFolder, SHIPPED_POLICIES } from '#testing/policy/policy-folder.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { GATE_NAMES } from '../domain/decision/verdict.ts'
import type { Rules } from '../domain/gates/rules.ts'
import { systemClock } from '../platform/clock.ts'
import type { Check } from '../ports.ts'
import { governanceChecks } from './checks.ts'
import { openCedar } from './policy/cedar.ts'
import { policiesOf } from './policy/policies.ts'
import { type GateOptions, openGates, RULES_FOLDER } from './workers/gate-engine.ts'

const good = () => policiesOf(() => openCedar(SHIPPED_POLICIES))

async function report(t: TestContext, options: Partial<GateOptions> = {}, policies = good()) {
  // Whether a gate sees is no question of how fast this machine is.
  const { inlineDeadlineMs, hangMs } = PATIENT.gatePool
  const gates = await openGates({ folder: RULES_FOLDER, threads: 1, inlineDeadlineMs, hangMs, ...options })
  t.after(() => gates.close())
  await gates.started()
  const [gate, policy] = governanceChecks(gates, policies, systemClock) as [Check, Check]
  assert.deepEqual([gate.name, gate.blocking(), policy.name, policy.blocking()], ['gates', true, 'policy', true])
  return { gates: await settled(gate), policy: await policy.run(), gate, policyCheck: policy, engine: gates }
}

test('gates and policies that answer rightly are ready and show by which digests', async (t) => {
  const { gates, policy, engine } = await report(t)
  assert.deepEqual([gates.state, gates.detail.rules_digest], ['OK', engine.status().rules_digest])
  assert.deepEqual([policy.state, policy.detail.must_allow, policy.detail.must_deny], ['OK', 'allow', 'deny'])
  assert.equal(policy.detail.policy_digest, good().status().policy_digest)
})

const without = (gate: string) => (rules: Rules) => ({
  ...rules,
  rules: rules.rules.filter((rule) => rule.gate !== gate),
})
for (const gate of ['threat-signature-scan', 'pii-egress-guard'])
  test(`${gate} gone blind is named, and the policies stay ready`, async (t) => {
    const { gates, policy } = await report(t, { prepare: without(gate) })
    assert.deepEqual([gates.state, gates.detail.code, gates.detail.failing], ['FAILED', 'GATE_BLIND', [gate]])
    assert.equal(policy.state, 'OK')
  })

test('rules that did not load fail the gates alone', async (t) => {
  const { gates, policy } = await report(t, { folder: '/nowhere' })
  assert.deepEqual([gates.state, gates.detail.code, policy.state], ['FAILED', 'RULES_UNUSABLE', 'OK'])
})

test('threads that do not start make the gates not ready', async (t) => {
  const program = new URL('../../testing/gate-workers/dead-worker.ts', import.meta.url)
  const { gate, engine } = await report(t, { program })
  const text = 'x'.repeat(4096)
  await engine.examine({ text, direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' })
  const { state, detail } = await gate.run()
  assert.deepEqual([state, detail.code], ['FAILED', 'THREADS_DOWN'])
})

test('threads that end with the text they are given make the gates not ready, though short texts are answered', async (t) => {
  const program = new URL('../../testing/gate-workers/exiting-worker.ts', import.meta.url)
  const { gates } = await report(t, { program })
  assert.deepEqual([gates.state, gates.detail.code, gates.blocking], ['FAILED', 'THREADS_DOWN', undefined])
  assert.match(String(gates.detail.reason), /failed when it was tried/)
})

test('a text that ends a thread shows for a minute and does not make the gates not ready', async (t) => {
  const program = new URL('../../testing/gate-workers/faulty-worker.ts', import.meta.url)
  const gates = await openGates({ folder: RULES_FOLDER, threads: 1, program })
  t.after(() => gates.close())
  let later = 0
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + later }
  const [check] = governanceChecks(gates, good(), clock) as [Check]
  await gates.started()
  assert.equal((await settled(check)).state, 'OK')
  await gates.examine({ ...ASKED, text: `EXIT ${'x'.repeat(4096)}` })
  const { state, blocking, detail } = await settled(check)
  assert.deepEqual([state, blocking, detail.code], ['FAILED', false, 'THREADS_LOST'])
  assert.match(String(detail.reason), /ended by itself/)
  later = 61_000
  assert.equal((await settled(check)).state, 'OK')
})

const ASKED = { direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' } as const

/** Once no thread is late: the one that takes the place of another needs a moment. */
async function settled(check: Check) {
  for (;;) {
    const found = await check.run()
    if (found.detail.code !== 'THREADS_LATE') return found
    await pause(20)
  }
}

test('rules or policies that were not taken over are told, and the last good ones keep the service ready', async (t) => {
  using policyFiles = policyFolder({}, SHIPPED_POLICIES)
  const rules = freshFolder('rules')
  t.after(() => rmSync(rules, { recursive: true, force: true }))
  cpSync(RULES_FOLDER, rules, { recursive: true })
  const policies = policiesOf(() => openCedar(policyFiles.path))
  const { gate, engine, policyCheck } = await report(t, { folder: rules }, policies)
  writeFileSync(join(rules, 'gates.json'), '{')
  policyFiles.write('tools.cedar', 'permit (')
  await engine.reload()
  policies.reload()
  for (const check of [gate, policyCheck]) {
    const { state, blocking, detail } = await check.run()
    assert.deepEqual([state, blocking, detail.code], ['FAILED', false, 'RELOAD_FAILED'])
    assert.equal(detail.reason, detail.reload_failed)
  }
})

test('every gate is tried by one of the two checks', async (t) => {
  const { gates } = await report(t)
  assert.deepEqual([...(gates.detail.tried as string[]), 'cedar-policy'].sort(), [...GATE_NAMES].sort())
})

const sets: [what: string, name: string, content: string | null, code: string][] = [
  ['that does not load', 'schema.cedarschema', null, 'POLICIES_UNUSABLE'],
  [
    'that permits what nobody permitted',
    'open.cedar',
    '@id("open") permit (principal, action == Orch::Action::"InvokeTool", resource);',
    'POLICY_VERDICT_WRONG',
  ],
  [
    'that forbids everything',
    'shut.cedar',
    '@id("shut") @reason("POLICY_FORBID") forbid (principal, action, resource);',
    'POLICY_VERDICT_WRONG',
  ],
]
for (const [what, name, content, code] of sets)
  test(`a policy set ${what} fails the policy check alone`, async (t) => {
    using folder = policyFolder({}, SHIPPED_POLICIES)
    content === null ? folder.remove(name) : folder.write(name, content)
    const { gates, policy } = await report(
      t,
      {},
      policiesOf(() => openCedar(folder.path)),
    )
    assert.deepEqual([gates.state, policy.state, policy.detail.code], ['OK', 'FAILED', code], JSON.stringify(policy))
  })
