import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalBytes, canonicalize } from './canonical.ts'
import { parseStrictJson } from './json.ts'
import { parseJsonText } from './json-text.ts'
import { readBody } from './verify/body.ts'

test('a name with an escape is read as it is written, whatever was read before it', () => {
  for (const parse of [parseJsonText, (text: string) => parseStrictJson(text)]) {
    // The first of each two is what the parser of the engine takes the second for.
    for (const [first, second] of [
      ['{"\\\\":1}', '\n'],
      ['{"w":0,"ab\\\\":1}', 'ab\n'],
      ['{"w":0,"ab\\\\":1}', 'aba'],
    ] as const) {
      parse(first)
      const members = Object.keys(parse(first) as object).slice(0, -1)
      const name = second.endsWith('a') ? `${second.slice(0, -1)}\\u0061` : JSON.stringify(second).slice(1, -1)
      const text = `{${members.map((one) => `"${one}":0,`).join('')}"${name}":1}`
      assert.deepEqual(Object.keys(parse(text) as object), [...members, second], text)
    }
  }
})

test('any value is read back, with names of every kind and spaces anywhere', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary-ascii' }),
    fc.constantFrom('\\', 'a\\', '"', '\n', '__proto__', '1', ''),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 0 }),
      fc.array(tie('tree')),
      fc.dictionary(name, tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(tree, fc.constantFrom(undefined, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      assert.equal(JSON.stringify(parseJsonText(text), null, indent), text)
    }),
    { seed: 20261116, numRuns: 500 },
  )
})

test('what is no JSON throws as it does for the parser of the engine', () => {
  for (const text of ['', '{"a\\', '{"\\u00":1}', '{"a\\n":}', '[1,]', '"\\"'])
    assert.throws(() => parseJsonText(text), SyntaxError, text)
})

test('the body of a receipt over such names stays what it was signed as', () => {
  const body = (name: string) => ({
    ...{ schema: 'orch.receipt/v1', ns: 'public', chain: 'mint', seq: 0, prev: '0'.repeat(64), kind: 'mint' },
    ...{ ts_utc: '2026-01-02T04:00:00.000Z', request_id: 'r', policy: null, doctrine: 'v11' },
    actor: { owner: 'o', key_id: null, auth_mode: 'open' },
    payload: { q: 1, [name]: 1 },
  })
  readBody(canonicalBytes(body('zz\\')))
  const found = readBody(canonicalBytes(body('zz\n')))
  assert.ok(found.ok, JSON.stringify(found))
  assert.equal(canonicalize(found.body), canonicalize(body('zz\n')))
})
