import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SearchDocument } from '../contract.ts'
import { readQuery } from './query.ts'
import { searchIndexes } from './rank.ts'
import { snippetOf } from './snippet.ts'
import { stemOf, wordsOf } from './terms.ts'
import { TextIndex } from './text-index.ts'

const document = (id: string, title: string, body = ''): SearchDocument => ({
  key: `test:${id}`,
  kind: 'test',
  id,
  title,
  body,
  url: `/${id}`,
})
const LIST = [
  document('F1', 'replay determinism', 'the same bytes give the same digest'),
  document('F18', 'erasure code', 'any four of ten shards may be lost; F1 is another one'),
  document('zero-trust', 'Zero trust networking', 'never trust, always verify'),
  document('cafe', 'Café société', 'zero calories and a great deal of trust'),
  document('routing', 'Routed requests', 'a route, routing and routes <script>alert("x")</script>'),
]
const index = new TextIndex(LIST)
const find = (q: string, limit = 50) => searchIndexes([index], q, limit)
const keys = (q: string) => find(q).results.map(({ key }) => key.slice(5))

test('words are folded and reduced alike in texts and queries', () => {
  assert.deepEqual(wordsOf('Café-Société ﬁle №5'), ['cafe', 'societe', 'file', 'no5'])
  for (const family of [
    ['route', 'routes', 'routed', 'routing'],
    ['policy', 'policies'],
    ['verify', 'verified', 'verifies'],
    ['hash', 'hashed', 'hashing'],
    ['plan', 'planned', 'planning'],
    ['receipt', 'receipts'],
  ])
    assert.equal(new Set(family.map(stemOf)).size, 1, family.join())
  for (const word of ['class', 'status', 'analysis', 'F18', 'n25', 'sha256', 'is', 'as'])
    assert.equal(stemOf(word.toLowerCase()).startsWith(word.toLowerCase().slice(0, 5)), true, word)
  assert.notEqual(stemOf('f1'), stemOf('f18'))
})

test('names come first, accents do not matter, forms of a word are one word', () => {
  assert.equal(keys('F18')[0], 'F18')
  assert.equal(keys('F1')[0], 'F1', 'F18 mentions F1 and is not called so')
  assert.deepEqual(keys('CAFE'), ['cafe'])
  assert.deepEqual(keys('routes'), ['routing'])
})

test('a phrase must occur, a prefix finds what begins so, a minus leaves out', () => {
  assert.deepEqual(keys('"zero trust"'), ['zero-trust'])
  assert.deepEqual(keys('zero trust').sort(), ['cafe', 'zero-trust'])
  assert.deepEqual(keys('zero-trust').sort(), ['cafe', 'zero-trust'])
  assert.deepEqual(keys('zero -networking'), ['cafe'])
  assert.deepEqual(keys('trust -"zero trust"'), ['cafe'])
  assert.deepEqual(keys('network*'), ['zero-trust'])
  assert.deepEqual(keys('shar*'), ['F18'])
  assert.deepEqual(keys('-zero'), [], 'to leave out is to ask for nothing')
})

test('queries are read as they are meant, whatever is typed', () => {
  assert.deepEqual(readQuery('zero-trust AND "'), {
    words: ['zero', 'trust', 'and'],
    prefixes: [],
    phrases: [],
    excluded: [],
    ignored: 0,
  })
  assert.deepEqual(readQuery('a "b c" -d pre* -"e f"'), {
    words: ['a'],
    prefixes: ['pre'],
    phrases: [['b', 'c']],
    excluded: [['d'], ['e', 'f']],
    ignored: 0,
  })
  assert.deepEqual(readQuery('- * "" -- -* ').words, [])
})

test('sixteen terms are looked up and the others are said to be ignored', () => {
  const words = Array.from({ length: 40 }, (_, i) => `w${i}`)
  const { words: retained, ignored } = readQuery(words.join('-'))
  assert.deepEqual([retained, ignored], [words.slice(0, 16), 24])
  const mixed = readQuery(`${'a* '.repeat(10)}${'"b c" '.repeat(4)}-d -"e f" g h* -i "j k"`)
  assert.deepEqual(
    [mixed.prefixes.length, mixed.phrases.length, mixed.excluded.length, mixed.words, mixed.ignored],
    [10, 4, 2, [], 4],
  )
  const found = find(`zero ${'qq* '.repeat(20)}`)
  assert.deepEqual([found.ignored_terms, found.results.length], [5, 2])
  assert.match(found.note!, /first 16 terms/)
  assert.deepEqual([find('zero').ignored_terms, find('zero').note], [0, null])
})

test('a prefix finds the words that begin so, as looking at each of them does', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'z', '9'), minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 30 }), letters, (words, typed) => {
      const texts = new TextIndex(words.map((word, i) => document(`d${i}`, word)))
      for (const prefix of wordsOf(typed)) {
        const expected = [...texts.surface].flatMap(([word, stem]) => (word.startsWith(prefix) ? [stem] : []))
        assert.deepEqual([...texts.stemsFrom(prefix)].sort(), [...new Set(expected)].sort())
      }
    }),
    { seed: 3, numRuns: 300 },
  )
})

test('scores are those of BM25 by its definition, and equal ones are ordered by key', () => {
  const texts = new TextIndex([
    document('b', 'x', 'alpha beta'),
    document('a', 'x', 'alpha beta'),
    document('c', 'x', 'gamma'),
  ])
  const [first, second] = searchIndexes([texts], 'alpha', 10).results
  assert.deepEqual([first!.key, second!.key], ['test:a', 'test:b'])
  // Length 3 for the id, 2 for the title, 1 for each word of the body: 7, 7 and 6.
  const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
  const expected = (idf * 1 * 2.2) / (1 + 1.2 * (0.25 + (0.75 * 7) / (20 / 3)))
  assert.ok(Math.abs(first!.score - expected) < 1e-12)
  assert.equal(first!.bm25, -first!.score)
})

test('two indexes are ranked as one corpus', () => {
  const whole = searchIndexes([index], 'trust zero route F1', 50)
  const parts = searchIndexes(
    [new TextIndex(LIST.slice(0, 2)), new TextIndex(LIST.slice(2))],
    'trust zero route F1',
    50,
  )
  assert.deepEqual(parts, whole)
})

test('a word that is one letter wrong is corrected and said to be; a phrase is meant as it stands', () => {
  const found = find('erasvre')
  assert.deepEqual(
    [found.did_you_mean, found.results_for, found.results[0]!.key],
    ['erasure', 'did_you_mean', 'test:F18'],
  )
  assert.deepEqual([find('"erasvre"').did_you_mean, find('qqqq').did_you_mean], [null, null])
  assert.deepEqual([find('erasure').did_you_mean, find('erasure').results_for], [null, 'query'])
})

test('a snippet is safe for a page and marks what was found', () => {
  const { snippet } = find('route').results[0]!
  assert.match(snippet, /<mark>routing<\/mark>/)
  assert.doesNotMatch(snippet.replaceAll(/<\/?mark>/g, ''), /[<>"]/)
  const long = `${'word '.repeat(60)}needle ${'word '.repeat(60)}`
  const cut = snippetOf(long, new Set(['needl']))
  assert.ok(cut.startsWith('… ') && cut.endsWith(' …') && cut.includes('<mark>needle</mark>') && cut.length < 300)
  assert.equal(snippetOf('', new Set()), '')
})

test('no text is an error, none takes long words apart wrongly, and results stay within the limit', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 256 }),
    fc.string({ unit: 'binary', maxLength: 256 }),
    fc.constantFrom(
      '"',
      '""',
      '-"',
      '*',
      '-*',
      "' OR 1=1 --",
      'a'.repeat(256),
      '\u0000',
      '%00',
      '\ud800',
      '(((((',
      '\\',
      '"a" "b" "c"',
      '__proto__',
      'constructor',
      '-'.repeat(256),
      '* '.repeat(128),
      'a* '.repeat(85),
      '"a '.repeat(85),
    ),
  )
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 50 }), (q, limit) => {
      const { results, matches } = find(q, limit)
      assert.ok(results.length <= Math.min(limit, matches))
      for (const { snippet, score } of results) {
        assert.ok(Number.isFinite(score) && score > 0)
        assert.doesNotMatch(snippet.replaceAll(/<\/?mark>/g, ''), /[<>"']/)
      }
    }),
    { seed: 11, numRuns: 500 },
  )
})
