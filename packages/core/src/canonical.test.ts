import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  assertPortable,
  CanonicalError,
  canonicalBytes,
  canonicalBytesPortable,
  canonicalize,
  canonicalizePortable,
  round6,
} from './canonical.ts'

const vectors = new URL('../../../../shared/vectors/jcs/', import.meta.url)

function refusedAt(value: unknown, path: (string | number)[], reason: RegExp, check = canonicalize): void {
  assert.throws(
    () => check(value),
    (error) => {
      assert.ok(error instanceof CanonicalError)
      assert.deepEqual(error.path, path)
      assert.match(error.reason, reason)
      return true
    },
  )
}

test('the six published RFC 8785 files come out byte for byte', (t) => {
  if (!existsSync(vectors)) return t.skip('SKIPPED: ../shared absent')
  const names = readdirSync(new URL('input/', vectors)).map((file) => file.replace('.json', ''))
  assert.equal(names.length, 6)
  for (const name of names) {
    const value = JSON.parse(readFileSync(new URL(`input/${name}.json`, vectors), 'utf8'))
    const hex = readFileSync(new URL(`outhex/${name}.txt`, vectors), 'utf8').replace(/\s/g, '')
    assert.equal(canonicalize(value), readFileSync(new URL(`output/${name}.json`, vectors), 'utf8'), name)
    assert.equal(Buffer.from(canonicalBytes(value)).toString('hex'), hex, name)
  }
})

test('numbers print as ECMAScript prints them and -0 as 0', () => {
  assert.equal(canonicalize([-0, 1.0, 1e21, 1e-7, 0.1 + 0.2, 5e-324]), '[0,1,1e+21,1e-7,0.30000000000000004,5e-324]')
})

test('keys are sorted by UTF-16 code unit, not by code point, among few and among many', () => {
  const few = { '\u{1f602}': 1, '\ufb33': 2, a: 3, A: 4, 10: 5, 9: 6, '': 7 }
  assert.equal(canonicalize(few), '{"":7,"10":5,"9":6,"A":4,"a":3,"\u{1f602}":1,"\ufb33":2}')
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${(i * 37) % 100}`, i]))
  const keys = Object.keys(JSON.parse(canonicalize(many)))
  assert.deepEqual(keys, Object.keys(many).sort())
})

test('what JSON would drop or rewrite in silence is refused with its path', () => {
  refusedAt(undefined, [], /undefined/)
  refusedAt({ a: { b: undefined } }, ['a', 'b'], /undefined/)
  refusedAt([1, () => 1], [1], /function/)
  refusedAt({ a: [Symbol('s')] }, ['a', 0], /symbol/)
  refusedAt({ n: 10n }, ['n'], /bigint/)
  refusedAt({ a: 1, b: [Number.NaN] }, ['b', 0], /finite/)
  refusedAt([Number.NEGATIVE_INFINITY], [0], /finite/)
  refusedAt({ a: '\ud800' }, ['a'], /surrogate/)
  refusedAt({ '\udc00': 1 }, ['\udc00'], /surrogate/)
  refusedAt(Array(2), [0], /undefined/)
})

test('objects that are not plain data are refused', () => {
  class Person {
    name = 'x'
  }
  for (const value of [new Date(0), new Map(), new Uint8Array(2), /x/, new Person(), Object('text')]) {
    refusedAt({ v: value }, ['v'], /not plain/)
  }
  assert.equal(canonicalize(Object.assign(Object.create(null), { a: 1 })), '{"a":1}')
})

test('a toJSON method is not called, it is refused as a function', () => {
  refusedAt({ toJSON: () => 'other' }, ['toJSON'], /function/)
})

test('a cycle and nesting over 512 are refused, 512 is not', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  refusedAt(cycle, Array(512).fill('self'), /never ends/)
  let deep: unknown[] = []
  for (let i = 1; i < 512; i++) deep = [deep]
  assert.equal(canonicalize(deep), '['.repeat(512) + ']'.repeat(512))
  refusedAt([deep], Array(512).fill(0), /too deep/)
})

test('a __proto__ key is data like any other', () => {
  assert.equal(canonicalize(JSON.parse('{"b":1,"__proto__":{"a":2}}')), '{"__proto__":{"a":2},"b":1}')
})

test('keys are quoted the same the first time, from the cache and after the cache is full', () => {
  const record = { 'a"b': 1, '\n': 2, '\u00e9': 3 }
  const expected = '{"\\n":2,"a\\"b":1,"\u00e9":3}'
  assert.equal(canonicalize(record), expected)
  for (let i = 0; i < 3000; i++) assert.equal(canonicalize({ [`key "${i}`]: i }), `{"key \\"${i}":${i}}`)
  assert.equal(canonicalize(record), expected)
  assert.throws(() => canonicalizePortable(record), CanonicalError)
})

const anyJson = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })

test('the canonical form is a fixed point and keeps the value', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = canonicalize(value)
      assert.equal(canonicalize(JSON.parse(text)), text)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
    }),
    { seed: 1, numRuns: 1000 },
  )
})

test('the order in which keys were set does not matter', () => {
  const record = fc.dictionary(fc.string({ unit: 'binary' }), anyJson, { maxKeys: 40 })
  fc.assert(
    fc.property(record, fc.infiniteStream(fc.nat()), (value, order) => {
      const shuffled = Object.entries(value)
        .map((entry) => ({ entry, rank: order.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
      assert.equal(canonicalize(Object.fromEntries(shuffled.map(({ entry }) => entry))), canonicalize(value))
    }),
    { seed: 2, numRuns: 300 },
  )
})

test('what Python would print differently is not portable', () => {
  const portable = (value: unknown) => canonicalizePortable(value)
  refusedAt({ a: { '\u00e9': 1 } }, ['a', '\u00e9'], /ASCII/, portable)
  for (const n of [2 ** 53, -(2 ** 53), 1e16, 1e21, -0, 0.00005, 0.000099999, -1e-5, 1e-7]) {
    refusedAt([n], [0], /print differently/, portable)
    assert.throws(() => assertPortable([n]), CanonicalError)
  }
  for (const n of [0, 1.0, 2 ** 53 - 1, 0.0001, -0.123456, 4503599627370495.5]) assertPortable({ n })
})

test('round6 rounds to six decimals and always gives a portable number', () => {
  const cases = [
    [0.1234567, 0.123457],
    [1.0000004, 1],
    [-0.1234564, -0.123456],
    [0.9, 0.9],
    [123456789.1234567, 123456789.123457],
  ]
  for (const [from, expected] of cases) assert.equal(round6(from as number), expected)
  assert.deepEqual([0.00004, 0.00006, -0.00004, -1e-9].map(round6), [0, 0.0001, 0, 0])
  assert.throws(() => round6(Number.NaN), CanonicalError)
  const score = fc.double({ noNaN: true, min: -1e9, max: 1e9 })
  fc.assert(
    fc.property(score, (n) => {
      assertPortable(round6(n))
      assert.equal(round6(round6(n)), round6(n))
    }),
    { seed: 3, numRuns: 2000 },
  )
})

const PYTHON = `
import hashlib, json, sys
for line in sys.stdin.buffer:
    text = json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    print(hashlib.sha256(text.encode("utf-8")).hexdigest())
`

test('Python recomputes the same bytes from anything portable', async (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('SKIPPED: python3 is not installed')
  const { sha256Hex } = await import('./digest.ts')
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map(round6),
    portableDouble,
  )
  const key = fc.string({ unit: 'binary-ascii' })
  const { value } = fc.letrec((tie) => ({
    leaf: fc.oneof(number, fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null)),
    value: fc.oneof({ maxDepth: 4 }, tie('leaf'), fc.array(tie('value')), fc.dictionary(key, tie('value'))),
  }))
  const samples = fc.sample(value, { seed: 4, numRuns: 2000 })
  // The reader's key order must not matter either, so Python gets plain JSON and not the canonical text.
  const python = spawnSync('python3', ['-c', PYTHON], { input: samples.map((v) => `${JSON.stringify(v)}\n`).join('') })
  assert.equal(python.status, 0, String(python.stderr))
  const digests = String(python.stdout).trim().split('\n')
  assert.deepEqual(
    digests,
    samples.map((v) => sha256Hex(canonicalBytesPortable(v))),
  )
})

const portableDouble = fc.double({ noNaN: true, min: -9e15, max: 9e15 }).filter((n) => {
  const size = Math.abs(n)
  return !Object.is(n, -0) && (size === 0 || size >= 1e-4)
})
