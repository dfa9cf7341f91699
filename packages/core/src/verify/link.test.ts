import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalizePortable } from '../canonical.ts'
import { GENESIS_PREV } from '../doctrine.ts'
import { utf8Encode } from '../encoding.ts'
import { bodyTemplate, bodyText, type ReceiptDraft } from '../receipt.ts'
import { readBody } from './body.ts'
import { plainLink, plainValueEnd, readLink } from './link.ts'
import { canonicalOrNull } from './shape.ts'

const draft: ReceiptDraft = {
  kind: 'agent-step',
  ns: 'public',
  chain: 'governance',
  ts_utc: '2026-01-02T03:04:05.678Z',
  request_id: 'r-1',
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: { rules_digest: 'a', policy_digest: 'b' },
  payload: {
    decision: 'ALLOW',
    gates: ['a', 'b'],
    lambda: 0.95,
    nested: { deep: [{}, [], -12, true, null] },
    none: {},
  },
}
const textOf = (given: Partial<ReceiptDraft> = {}, prev = 'ab'.repeat(32), seq = 7): string =>
  bodyText(bodyTemplate({ ...draft, ...given }, null), prev, seq)

/** The one thing that must hold: the short way never says anything but what the full reader says. */
function agree(text: string): boolean {
  const bytes = utf8Encode(text)
  const full = readBody(bytes)
  const read = readLink(bytes)
  const { kind, ns, chain, seq, prev, ts_utc } = full.ok ? full.body : ({} as Record<string, undefined>)
  if (full.ok && read.ok) {
    const { link } = read
    assert.deepEqual([link.kind, link.ns, link.chain, link.seq], [kind, ns, chain, seq])
    assert.deepEqual([link.prev, link.ts_utc], [prev, ts_utc])
    assert.equal(read.digest, full.digest)
  } else assert.deepEqual(read, full, text)
  const short = plainLink(text)
  if (short !== null)
    assert.deepEqual({ ok: full.ok, ...short }, { ok: true, kind, ns, chain, seq, prev, ts_utc }, text)
  return short !== null
}

test('a plain body is read from its text alone, first or later in its chain', () => {
  assert.ok(agree(textOf()))
  assert.ok(agree(textOf({ policy: null }, GENESIS_PREV, 0)))
  assert.ok(agree(textOf({ ns: 'tenant-1', payload: {} })))
})

test('what is canonical but not plain is left to the full reader, which accepts it', () => {
  for (const payload of [
    { text: 'Grüße' },
    { text: 'a "word"' },
    { big: Number.MAX_SAFE_INTEGER },
    { '': { '"': 1 } },
  ]) {
    const text = textOf({ payload })
    assert.equal(readBody(utf8Encode(text)).ok, true)
    assert.equal(agree(text), false)
  }
})

test('only the first receipt of a chain follows 64 zeros, by the short way as by the long one', () => {
  assert.equal(agree(textOf({}, GENESIS_PREV, 1)), false)
  assert.equal(agree(textOf({}, 'ab'.repeat(32), 0)), false)
})

test('every change of one character is read alike by both', () => {
  const text = textOf()
  for (let at = 0; at < text.length; at += 1)
    for (const other of ['0', '9', '"', '\\', ',', '}', ' ', '.', '-', 'e', 'z', '\u0000', 'ü'])
      agree(`${text.slice(0, at)}${other}${text.slice(at + 1)}`)
})

test('every character left out or doubled is read alike by both', () => {
  const text = textOf()
  for (let at = 0; at < text.length; at += 1) {
    agree(text.slice(0, at) + text.slice(at + 1))
    agree(text.slice(0, at + 1) + text.slice(at))
  }
})

/** Written where a payload stands: spellings that a lenient reader lets through. */
const SPELLINGS = [
  '{"a":1,"a":2}',
  '{"b":1,"a":2}',
  '{"10":1,"9":2}',
  '{"9":1,"10":2}',
  '{"a":-0}',
  '{"a":01}',
  '{"a":1.0}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":-.5}',
  '{"a":1e3}',
  '{"a":1E3}',
  '{"a":0.5e1}',
  '{"a":0.00001}',
  '{"a":0.0001}',
  '{"a":0.1000000000000000055511151231257827}',
  '{"a":9007199254740993}',
  '{"a":999999999999999}',
  '{"a":9999999999999999}',
  '{"a":-}',
  '{"a":+1}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":nul}',
  '{"a":truefalse}',
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":1,}',
  '{,"a":1}',
  '{ }',
  '[ ]',
  '[]',
  '"x"',
  '{"a":"\t"}',
  '{"a":"\u007f"}',
  '{"a":"\\u0041"}',
  '{"__proto__":{"a":1}}',
  '{"constructor":1,"prototype":2}',
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  `{"a":${'['.repeat(600)}${']'.repeat(600)}}`,
]

test('spellings that a lenient reader lets through are judged as the full reader judges them', () => {
  const [before, after] = textOf({ payload: {} }).split('"payload":{}') as [string, string]
  for (const payload of SPELLINGS) agree(`${before}"payload":${payload}${after}`)
  for (const payload of SPELLINGS) agree(`${before}"payload":{}${after.slice(0, -1)},"z":${payload}}`)
})

test('whatever value the short way accepts is its own canonical text', () => {
  let accepted = 0
  const inside = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .dictionary(fc.string({ maxLength: 3 }), fc.oneof(fc.integer(), fc.double(), fc.string()))
      .map((value) => canonicalOrNull(value) ?? JSON.stringify(value)),
    fc.double().map(String),
    fc.constantFrom(...SPELLINGS),
  )
  fc.assert(
    fc.property(inside, (text) => {
      if (plainValueEnd(text, 0) !== text.length) return
      accepted += 1
      assert.equal(canonicalizePortable(JSON.parse(text)), text)
    }),
    { seed: 11, numRuns: 4_000 },
  )
  assert.ok(accepted > 400, `${accepted} accepted`)
})

test('any payload is read alike by both, plain or not', () => {
  let plain = 0
  const payload = fc.dictionary(
    fc.string({ maxLength: 4 }),
    fc.oneof(fc.integer(), fc.double({ min: 0, max: 1 }), fc.string(), fc.array(fc.boolean()), fc.constant({})),
  )
  fc.assert(
    fc.property(payload, (given) => {
      if (canonicalOrNull(given) === null) return
      if (agree(textOf({ payload: given }))) plain += 1
    }),
    { seed: 12, numRuns: 2_000 },
  )
  assert.ok(plain > 200, `${plain} plain`)
})
