import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalize } from './canonical.ts'
import { GENESIS_PREV } from './doctrine.ts'
import { bodyFault, bodyTemplate, bodyText, RECEIPT_KINDS, type ReceiptDraft } from './receipt.ts'

const draft: ReceiptDraft = {
  kind: 'decision',
  ns: 'public',
  chain: 'governance',
  ts_utc: '2026-01-02T03:04:05.678Z',
  request_id: 'r-1',
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: { rules_digest: 'a', policy_digest: 'b' },
  payload: { decision: 'ALLOW', lambda: 0.95, text: 'Grüße "quoted"\n' },
}
const body = (seq = 0, prev = GENESIS_PREV): Record<string, unknown> =>
  JSON.parse(bodyText(bodyTemplate(draft, null), prev, seq))

test('the filled template is the canonical form of the body it means', () => {
  fc.assert(
    fc.property(fc.nat(), fc.stringMatching(/^[0-9a-f]{64}$/), fc.string({ unit: 'grapheme' }), (seq, prev, text) => {
      const filled = bodyText(bodyTemplate({ ...draft, payload: { text } }, null), prev, seq)
      assert.equal(filled, canonicalize(JSON.parse(filled)))
    }),
    { seed: 2 },
  )
})

test('every kind of the closed list makes a body without fault', () => {
  for (const kind of RECEIPT_KINDS) assert.equal(bodyFault({ ...body(), kind }), null)
  assert.equal(RECEIPT_KINDS.length, 18)
})

test('dropping any field, or adding one, is a fault', () => {
  for (const name of Object.keys(body())) {
    const { [name]: _, ...rest } = body()
    assert.match(bodyFault(rest)!, /exactly the fields/)
  }
  assert.match(bodyFault({ ...body(), extra: 1 })!, /exactly the fields/)
})

test('each field out of its rule is named', () => {
  const faults: [string, unknown, RegExp][] = [
    ['schema', 'orch.receipt/v2', /^schema/],
    ['doctrine', 'v12', /^doctrine/],
    ['kind', 'other', /^kind/],
    ['ns', 'Public', /^ns/],
    ['chain', '', /^chain/],
    ['chain', 'a/b', /^chain/],
    ['chain', 'a'.repeat(65), /^chain/],
    ['seq', -1, /^seq/],
    ['seq', 1.5, /^seq/],
    ['seq', '0', /^seq/],
    ['prev', 'AB'.repeat(32), /^prev/],
    ['prev', 'ab'.repeat(31), /^prev/],
    ['ts_utc', '2026-01-02T03:04:05Z', /^ts_utc/],
    ['ts_utc', 5, /^ts_utc/],
    ['request_id', null, /^request_id/],
    ['actor', { owner: 'x' }, /^actor/],
    ['actor', null, /^actor/],
    ['policy', {}, /^policy/],
    ['payload', [], /^payload/],
    ['payload', null, /^payload/],
  ]
  for (const [name, value, reason] of faults) assert.match(bodyFault({ ...body(), [name]: value })!, reason)
})

test('64 zeros stand before the first receipt of a chain and before no other', () => {
  assert.match(bodyFault(body(1, GENESIS_PREV))!, /64 zeros/)
  assert.match(bodyFault(body(0, 'ab'.repeat(32)))!, /64 zeros/)
  assert.equal(bodyFault(body(1, 'ab'.repeat(32))), null)
})

test('no JSON value makes the check of a body throw', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => assert.equal(typeof bodyFault(value), 'string')),
    { seed: 3 },
  )
})
