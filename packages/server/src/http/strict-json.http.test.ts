import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'

const { url } = await startApp({ after })
const echo = `${url}/api/orch/v1/layer/echo`
const open = `${url}/api/orch/v1/layer/open`

const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as never)))

const refused: [what: string, body: string | Uint8Array, type: string, loc: (string | number)[]][] = [
  ['two equal keys', '{"a":1,"a":2}', 'json_duplicate_key', ['body', 'a']],
  ['two equal keys, one of them escaped', '{"a":1,"\\u0061":2}', 'json_duplicate_key', ['body', 'a']],
  ['two equal keys far down', '{"x":[0,{"b":1,"b":1}]}', 'json_duplicate_key', ['body', 'x', 1, 'b']],
  ['65 levels', nested(65), 'json_depth', ['body']],
  ['a lone surrogate, escaped', '{"a":"\\ud800"}', 'json_lone_surrogate', ['body', 'a']],
  ['a lone surrogate in a key', '{"\\udfff":1}', 'json_lone_surrogate', ['body']],
  ['a lone surrogate, raw', bytes('{"a":"', [0xed, 0xa0, 0x80], '"}'), 'json_invalid_utf8', ['body']],
  ['an overlong encoding', bytes('{"a":"', [0xc0, 0xaf], '"}'), 'json_invalid_utf8', ['body']],
  ['a cut multi-byte character', bytes('{"a":"', [0xe2, 0x82]), 'json_invalid_utf8', ['body']],
  ['a number too large for a double', '{"a":1e400}', 'json_number_range', ['body', 'a']],
  ['NaN', '{"a":NaN}', 'json_syntax', ['body', 'a']],
  ['Infinity', '{"a":-Infinity}', 'json_syntax', ['body', 'a']],
  ['garbage behind the value', '{"a":1} x', 'json_syntax', ['body']],
  ['two values', '{}{}', 'json_syntax', ['body']],
  ['a byte order mark', bytes([0xef, 0xbb, 0xbf], '{}'), 'json_syntax', ['body']],
  ['a trailing comma', '{"a":1,}', 'json_syntax', ['body']],
  ['a comment', '{/**/}', 'json_syntax', ['body']],
  ['single quotes', "{'a':1}", 'json_syntax', ['body']],
  ['a leading zero', '{"a":01}', 'json_syntax', ['body', 'a']],
  ['a raw control character', '{"a":"\n"}', 'json_syntax', ['body', 'a']],
]
for (const [what, body, type, loc] of refused)
  test(`${what} is refused with its place`, async () => {
    const { status, json } = await post(open, body)
    assert.equal(status, 422)
    assert.equal(json.detail.length, 1)
    assert.equal(json.detail[0].type, type)
    assert.deepEqual(json.detail[0].loc.slice(0, loc.length), loc)
  })

test('64 levels are read', async () => {
  assert.equal((await post(open, nested(64))).status, 200)
})

test('top-level values that are no object are refused', async () => {
  for (const body of ['[]', '1', '"x"', 'null', 'true']) {
    const { status, json } = await post(open, body)
    assert.equal(status, 422, body)
    assert.deepEqual(json.detail[0].loc, ['body'])
  }
})

const HOSTILE = ['__proto__', 'constructor', 'prototype']
for (const key of HOSTILE) {
  test(`the key ${key} is an unknown property where the contract is closed`, async () => {
    const { status, json } = await post(echo, `{"${key}":{"polluted":true}}`)
    assert.equal(status, 422)
    assert.deepEqual(json.detail, [
      {
        loc: ['body', key],
        msg: 'this property is not part of the contract; allowed: claims, note, amount, deep',
        type: 'extra_forbidden',
      },
    ])
  })

  test(`the key ${key} is plain data where any property is allowed, and pollutes nothing`, async () => {
    const body = `{"${key}":{"polluted":true},"in":{"${key}":{"polluted":1}}}`
    const { status, text } = await post(open, body)
    assert.equal(status, 200)
    assert.ok(text.includes(`"seen":${body}`), text)
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    assert.equal((Object as unknown as Record<string, unknown>).polluted, undefined)
  })
}

test('every fault is named with its place, not only the first', async () => {
  const { status, json } = await post(
    echo,
    '{"claims":[{"claim_id":7},{},{"claim_id":"ok","x":1}],"amount":"3","surplus":0}',
  )
  assert.equal(status, 422)
  const places = json.detail.map((fault: { loc: unknown[] }) => fault.loc.join('.')).sort()
  assert.deepEqual(places, [
    'body.amount',
    'body.claims.0.claim_id',
    'body.claims.1.claim_id',
    'body.claims.2.x',
    'body.surplus',
  ])
  for (const fault of json.detail) {
    assert.deepEqual(Object.keys(fault).sort(), ['loc', 'msg', 'type'])
    assert.equal(typeof fault.msg, 'string')
  }
  assert.deepEqual(json.detail.find((fault: { loc: unknown[] }) => fault.loc[2] === 0).loc, [
    'body',
    'claims',
    0,
    'claim_id',
  ])
})

test('at most 32 faults are named', async () => {
  const claims = Array.from({ length: 60 }, () => ({ claim_id: 1 }))
  const { json } = await post(echo, JSON.stringify({ claims }))
  assert.equal(json.detail.length, 32)
})

test('a key that looks like a position stays a key', async () => {
  const { json } = await post(echo, '{"0":1}')
  assert.deepEqual(json.detail[0].loc, ['body', '0'])
})

const uncoerced = [
  '{"amount":"3"}',
  '{"amount":true}',
  '{"amount":1.5}',
  '{"amount":null}',
  '{"note":12}',
  '{"claims":{}}',
]
for (const body of uncoerced)
  test(`${body} is not coerced into what was asked for`, async () => {
    assert.equal((await post(echo, body)).status, 422)
  })

test('out of range is refused, never moved into range', async () => {
  for (const amount of [-1, 11]) assert.equal((await post(echo, JSON.stringify({ amount }))).status, 422)
  for (const amount of [0, 10]) assert.equal((await post(echo, JSON.stringify({ amount }))).json.body.amount, amount)
})

// U+1F600, a letter with a combining mark, and a family of seven code points joined into one sign.
for (const sign of ['\u{1F600}', 'x'])
  test(`lengths count code points: ${sign.length} UTF-16 units each`, async () => {
    for (const [count, status] of [
      [1, 422],
      [2, 200],
      [3, 200],
      [4, 200],
      [5, 422],
    ] as const)
      assert.equal((await post(echo, JSON.stringify({ note: sign.repeat(count) }))).status, status, `${count} of them`)
  })

test('one sign made of several code points counts each of them', async () => {
  assert.equal((await post(echo, JSON.stringify({ note: 'e\u0301e\u0301' }))).status, 200)
  assert.equal((await post(echo, JSON.stringify({ note: 'e\u0301e\u0301x' }))).status, 422)
  assert.equal((await post(echo, JSON.stringify({ note: '\u{1F469}\u200D\u{1F469}\u200D\u{1F466}' }))).status, 422)
})
