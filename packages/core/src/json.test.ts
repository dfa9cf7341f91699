import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonErrorCode, JsonPath } from './json.ts'
import { JsonError, parseStrictJson } from './json.ts'

function refused(input: Uint8Array | string, code: JsonErrorCode, path: JsonPath, offset?: number): void {
  assert.throws(
    () => parseStrictJson(input),
    (error) => {
      assert.ok(error instanceof JsonError)
      assert.deepEqual([error.code, error.path], [code, path])
      if (offset !== undefined) assert.equal(error.offset, offset)
      return true
    },
  )
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const bytes = (...codes: number[]): Uint8Array => Uint8Array.from(codes)

test('equal keys are refused at the second one, however they are spelled', () => {
  refused('{"a":1,"a":2}', 'duplicate_key', ['a'], 7)
  refused('{"a":1,"\\u0061":2}', 'duplicate_key', ['a'], 7)
  refused('[0,{"x":{"k":1,"j":2,"k":3}}]', 'duplicate_key', [1, 'x', 'k'], 21)
  refused('{"__proto__":1,"__proto__":2}', 'duplicate_key', ['__proto__'])
  refused('{"":1,"":2}', 'duplicate_key', [''])
  assert.deepEqual(parseStrictJson('[{"a":1},{"a":2},{"A":{"a":1}}]'), [{ a: 1 }, { a: 2 }, { A: { a: 1 } }])
})

test('equal keys are found among many, first against last', () => {
  const members = Array.from({ length: 10_000 }, (_, i) => `"k${i}":${i}`).join(',')
  assert.equal(Object.keys(parseStrictJson(`{${members}}`) as object).length, 10_000)
  for (const key of ['k0', 'k15', 'k16', 'k17', 'k9999']) {
    refused(`{${members},"${key}":0}`, 'duplicate_key', [key], members.length + 2)
  }
})

test('half a surrogate pair is refused, raw or escaped, in a value or in a key', () => {
  refused('{"a":["\\ud83d"]}', 'lone_surrogate', ['a', 0], 7)
  refused('["\\ude02\\ud83d"]', 'lone_surrogate', [0], 2)
  refused('["\ud83d"]', 'lone_surrogate', [0], 2)
  refused('["\ud83dx"]', 'lone_surrogate', [0], 2)
  refused('["\ud83d\\ude02"]', 'lone_surrogate', [0], 2)
  refused('["\\ud83d\ude02"]', 'lone_surrogate', [0], 2)
  refused('{"a":1,"b":{"\\udead":1}}', 'lone_surrogate', ['b'], 13)
  assert.equal(parseStrictJson('"\\ud83d\\uDE02\ud83d\ude02"'), '\u{1f602}\u{1f602}')
})

test('a number that overflows is refused and one that underflows is 0', () => {
  refused('{"a":[1,1e400]}', 'number_range', ['a', 1], 8)
  refused('-1E+309', 'number_range', [], 0)
  refused(`[1${'0'.repeat(400)}]`, 'number_range', [0], 1)
  refused(`[1${'0'.repeat(309)}.5]`, 'number_range', [0], 1)
  assert.equal(parseStrictJson('1e-400'), 0)
  assert.equal(parseStrictJson('1.7976931348623157e308'), Number.MAX_VALUE)
  assert.equal(parseStrictJson(`1${'0'.repeat(308)}`), 1e308)
  assert.equal(parseStrictJson(`0.${'0'.repeat(400)}1`), 0)
})

test('-0 is read as 0, however it is written and wherever it stands', () => {
  const zeros = ['-0', '-0.0', '-0e5', '-1e-400']
  for (const zero of zeros) assert.equal(parseStrictJson(zero), 0, zero)
  const text = `{"list":[${zeros}],"__proto__":{"a":-0},"\\n":-0.5,"t":"-0","n":null}`
  const plain = '{"list":[0,0,0,0],"__proto__":{"a":0},"\\n":-0.5,"t":"-0","n":null}'
  assert.deepEqual(parseStrictJson(text), JSON.parse(plain))
})

test('64 levels pass and 65 do not, and ten megabytes of brackets end at the 65th', () => {
  assert.deepEqual(parseStrictJson(nested(64)), JSON.parse(nested(64)))
  refused(nested(65), 'depth', Array(64).fill(0), 64)
  refused('['.repeat(10_000_000), 'depth', Array(64).fill(0), 64)
  refused('{"a":'.repeat(100_000), 'depth', Array(64).fill('a'), 320)
  assert.throws(() => parseStrictJson('[[]]', { maxDepth: 1 }), { code: 'depth', path: [0] })
  assert.equal(parseStrictJson('7', { maxDepth: 0 }), 7)
})

test('a depth the stack could not hold is refused as misuse', () => {
  for (const maxDepth of [-1, 1.5, 513, Number.NaN]) {
    assert.throws(() => parseStrictJson('1', { maxDepth }), RangeError)
  }
  assert.deepEqual(parseStrictJson(nested(512), { maxDepth: 512 }), JSON.parse(nested(512)))
})

test('invalid UTF-8 is refused at the first faulty sequence, and so is a byte order mark', () => {
  refused(bytes(0x22, 0xff, 0x22), 'invalid_utf8', [], 1)
  refused(bytes(0x22, 0xc3, 0xa9, 0xc0, 0xaf, 0x22), 'invalid_utf8', [], 3)
  refused(bytes(0x22, 0xef, 0xbf, 0xbd, 0xed, 0xa0, 0x80, 0x22), 'invalid_utf8', [], 4)
  refused(bytes(0x22, 0xe2, 0x82), 'invalid_utf8', [], 1)
  refused(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d), 'syntax', [], 0)
  refused('\ufeff{}', 'syntax', [], 0)
})

test('a syntax fault is reported with its offset and never with the path of a sibling', () => {
  refused('', 'syntax', [], 0)
  refused('{"a":{"b":1},"c":{]', 'syntax', ['c'], 18)
  refused('[1,]', 'syntax', [1], 3)
  refused('[{"a":1},{,', 'syntax', [1], 10)
  refused('{"a":1}}', 'syntax', [], 7)
  refused('"\\x"', 'syntax', [], 1)
  refused('"a\nb"', 'syntax', [], 2)
  for (const text of [
    '01',
    '-',
    '1.',
    '.5',
    '1e',
    '+1',
    'NaN',
    'Infinity',
    'nul',
    "'a'",
    '[1 2]',
    '{"a" 1}',
    '{a:1}',
  ]) {
    refused(text, 'syntax', text.startsWith('[') ? [0] : text.startsWith('{"') ? ['a'] : [])
  }
})

test('__proto__, constructor and prototype become own properties and pollute nothing', () => {
  const value = parseStrictJson('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}')
  assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor'])
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.equal(({} as { admin?: boolean }).admin, undefined)
})

test('the fault itself never echoes what the sender wrote', () => {
  assert.throws(() => parseStrictJson('{"secret-token" oops'), { message: 'the input is not valid JSON' })
})

test('what a clean value prints is read back as JSON.parse reads it, spaced or not', () => {
  const value = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' })
  fc.assert(
    fc.property(value, fc.constantFrom('', ' ', '\t', '\r\n '), (json, space) => {
      const text = JSON.stringify(json, null, space)
      assert.deepEqual(parseStrictJson(new TextEncoder().encode(text)), JSON.parse(text))
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('no damaged text is accepted that JSON.parse refuses, and only the documented faults are refused beyond it', () => {
  const damaged = fc
    .tuple(
      fc.jsonValue({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom(...'{}[]",:\\u0-+.eE1 \n\0tf'.split('')),
      fc.boolean(),
    )
    .map(([json, at, letter, insert]) => {
      const text = JSON.stringify(json)
      const cut = at % (text.length + 1)
      return text.slice(0, cut) + letter + text.slice(insert ? cut : cut + 1)
    })
  fc.assert(
    fc.property(damaged, (text) => {
      assert.equal(strictVerdict(text) === 'syntax', nativeRefuses(text), JSON.stringify(text))
    }),
    { seed: 2, numRuns: 5000 },
  )
})

/** A text may hold a syntax fault behind another one; the first is reported, so the rest is judged without it. */
function strictVerdict(text: string): JsonErrorCode | 'accept' {
  try {
    parseStrictJson(text)
    return 'accept'
  } catch (error) {
    assert.ok(error instanceof JsonError)
    return error.code !== 'syntax' && nativeRefuses(text) ? 'syntax' : error.code
  }
}

function nativeRefuses(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

test('more values than the caller takes are refused where the first of them stands', () => {
  const bounded = (text: string, maxValues: number) => () => parseStrictJson(text, { maxValues })
  assert.deepEqual(bounded('{"a":[1,{"b":2}]}', 5)(), { a: [1, { b: 2 }] })
  assert.throws(
    bounded('{"a":[1,{"b":2}]}', 4),
    (error) => error instanceof JsonError && error.code === 'values' && error.path.join() === 'a,1,b',
  )
  assert.throws(bounded('[]', 0), JsonError)
  assert.equal((parseStrictJson(`[${'0,'.repeat(200_000)}0]`) as number[]).length, 200_001)
})
