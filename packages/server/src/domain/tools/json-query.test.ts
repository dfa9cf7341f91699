import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MAX_MATCHES, queryJson } from './json-query.ts'

const matches = (document: unknown, query: string) => {
  const answered = queryJson(document, query)
  assert.ok(answered.ok, `${query}: ${answered.ok ? '' : answered.reason}`)
  return answered.matches
}

const DOCUMENT = { a: { b: [10, 20, { c: null }] }, 'x/y': 1, 'm~n': 2, '': 3, "it's": 4 }
const cases: [query: string, found: unknown[]][] = [
  ['', [DOCUMENT]],
  ['/a/b/1', [20]],
  ['/x~1y', [1]],
  ['/m~0n', [2]],
  ['/', [3]],
  ['/a/b/2/c', [null]],
  ['/a/b/9', []],
  ['/a/b/01', []],
  ['/a/b/-1', []],
  ['/a/b/length', []],
  ['/a/missing', []],
  ['$', [DOCUMENT]],
  ['$.a.b[0]', [10]],
  ['$.a.b[-1].c', [null]],
  ['$.a.b[-9]', []],
  ['$.a.b[*]', [10, 20, { c: null }]],
  ["$['x/y']", [1]],
  ['$["it\'s"]', [4]],
  ['$.a.*[1]', [20]],
]
for (const [query, found] of cases)
  test(`${JSON.stringify(query)} finds ${JSON.stringify(found)}`, () =>
    assert.deepEqual(matches(DOCUMENT, query), found))

for (const query of [
  'a',
  '$..a',
  '$.a[?(@.b)]',
  '$[0:2]',
  '$.a[',
  "$['a\\']",
  '/a~2',
  '$.',
  '$[1e3]',
  `/${'a'.repeat(2000)}`,
])
  test(`${query.slice(0, 20)} is refused with a reason`, () => assert.equal(queryJson(DOCUMENT, query).ok, false))

test('names of the prototype are found only where the document has them', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.deepEqual(matches({}, `/${name}`), [])
    assert.deepEqual(matches({}, `$.${name}`), [])
    assert.deepEqual(matches(JSON.parse(`{"${name}":7}`), `/${name}`), [7])
  }
})

test('a pointer to any place of any document finds what stands there', () => {
  const keyed = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 })
  fc.assert(
    fc.property(keyed, (document) => {
      for (const [key, value] of Object.entries(document))
        assert.deepEqual(matches(document, `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`), [value])
    }),
    { seed: 4 },
  )
})

test('a wildcard over a huge document is refused once it matches too much', () => {
  const wide = Array.from({ length: MAX_MATCHES + 1 }, () => [1])
  assert.equal(queryJson(wide, '$[*]').ok, false)
  const square = Array.from({ length: MAX_MATCHES }, () => Array.from({ length: 200 }, () => 0))
  assert.equal(queryJson(square, '$[*][*]').ok, false)
  assert.equal(matches(square, '$[*][0]').length, MAX_MATCHES)
})
