import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { policyFolder, SHIPPED_POLICIES } from '#testing/policy/policy-folder.ts'
import type { PolicyRequest } from '../../domain/policy/authorization.ts'
import { EXAMPLE_REQUESTS, type GovernFacts, governRequest, inferRequest } from '../../domain/policy/requests.ts'
import { openCedar } from './cedar.ts'

const { authorize } = openCedar(SHIPPED_POLICIES)
const seen = (request: PolicyRequest) => {
  const { outcome, reasons, determining } = authorize(request)
  return [outcome, reasons.join(), determining.join()]
}
const text = {
  owner: 'local',
  namespace: 'local',
  tool: null,
  registered: null,
  rank: 0,
  tainted: false,
  approved: false,
}
const govern = (facts: Partial<GovernFacts>) => seen(governRequest({ ...text, effect: 'none', ...facts }))
const tool = (effect: GovernFacts['effect'], facts: Partial<GovernFacts> = {}) =>
  govern({ effect, tool: 'a_tool', registered: { effect }, ...facts })
const infer = (zone: 'local' | 'external', rank: number) =>
  seen(inferRequest({ owner: 'local', namespace: 'local', target: 'm', zone, rank }))

const DEFAULT_DENY = ['deny', 'POLICY_DEFAULT_DENY', '']

test('govern-text permits text that does nothing or reads, whatever its rank', () => {
  for (const effect of ['none', 'read'] as const)
    for (const rank of [0, 1, 2, 3]) assert.deepEqual(govern({ effect, rank }), ['allow', '', 'govern-text'])
})

test('an effect beyond read without a tool meets the default deny', () => {
  assert.deepEqual(govern({ effect: 'write' }), DEFAULT_DENY)
  for (const effect of ['external', 'destructive'] as const)
    assert.deepEqual(govern({ effect }).slice(0, 2), DEFAULT_DENY.slice(0, 2))
})

test('infer-local permits every rank in the local zone', () => {
  for (const rank of [0, 1, 2, 3]) assert.deepEqual(infer('local', rank), ['allow', '', 'infer-local'])
})

test('infer-external permits ranks 0 and 1, infer-egress forbids 2 and 3', () => {
  for (const rank of [0, 1]) assert.deepEqual(infer('external', rank), ['allow', '', 'infer-external'])
  for (const rank of [2, 3]) assert.deepEqual(infer('external', rank), ['deny', 'SENSITIVITY_EGRESS', 'infer-egress'])
})

test('a zone nobody declared is not permitted', () => {
  assert.deepEqual(infer('elsewhere' as 'local', 0), DEFAULT_DENY)
})

test('tool-use permits a registered tool and no other', () => {
  for (const effect of ['none', 'read', 'write'] as const) {
    assert.deepEqual(tool(effect), ['allow', '', 'tool-use'])
    assert.deepEqual(tool(effect, { registered: null }), DEFAULT_DENY)
  }
})

test('tool-high-effect sends external and destructive tools to review until they are approved', () => {
  for (const effect of ['external', 'destructive'] as const) {
    assert.deepEqual(tool(effect), ['review', 'POLICY_REVIEW', 'tool-high-effect'])
    assert.deepEqual(tool(effect, { approved: true }), ['allow', '', 'tool-use'])
  }
})

test('tool-tainted sends tainted arguments to review, unless the tool only reads or the call is approved', () => {
  assert.deepEqual(tool('write', { tainted: true }), ['review', 'TAINTED_ARGUMENT', 'tool-tainted'])
  assert.deepEqual(tool('read', { tainted: true }), ['allow', '', 'tool-use'])
  assert.deepEqual(tool('write', { tainted: true, approved: true }), ['allow', '', 'tool-use'])
  assert.deepEqual(tool('external', { tainted: true }), [
    ...['review', 'POLICY_REVIEW,TAINTED_ARGUMENT', 'tool-high-effect,tool-tainted'],
  ])
})

test('an unregistered tool is denied whatever it is called, and approval does not help', () => {
  for (const effect of ['external', 'destructive'] as const)
    for (const approved of [false, true])
      assert.deepEqual(
        tool(effect, { registered: null, approved, tainted: true }).slice(0, 2),
        DEFAULT_DENY.slice(0, 2),
      )
})

test('a caller cannot talk a destructive tool down to one that reads', () => {
  const said = govern({ effect: 'read', tool: 'session_clear', registered: { effect: 'destructive' } })
  assert.deepEqual(said, ['review', 'POLICY_REVIEW', 'tool-high-effect'])
})

test('a set whose schema cannot answer what is asked is refused as a whole, with the place in the schema', () => {
  using folder = policyFolder({}, SHIPPED_POLICIES)
  const place = { folder: folder.path, asked: EXAMPLE_REQUESTS }
  openCedar(place)
  const schema = readFileSync(join(folder.path, 'schema.cedarschema'), 'utf8')
  folder.write('schema.cedarschema', schema.replace('entity Caller { namespace: String };', 'entity Caller;'))
  assert.throws(() => openCedar(place), {
    name: 'PolicySetError',
    message: /^schema\.cedarschema does not fit what the service asks for Govern: .*`namespace` .*Caller/,
  })
})
