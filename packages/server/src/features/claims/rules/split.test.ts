import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compoundMarkers } from './atomize.ts'
import { codePoints, slice } from './code-points.ts'
import { split, splitPoints } from './split.ts'
import { isWhitespace, trim } from './whitespace.ts'

const FRAGMENTS = [
  '. ',
  '.',
  '... ',
  '… ',
  '! ',
  '? "',
  '; ',
  '。',
  '！',
  '」',
  '\n',
  '\r\n',
  '\u2028',
  '- ',
  '# ',
  '1. ',
]
const WORDS = [
  'Dr',
  'e.g',
  'U.S',
  'no',
  '7',
  'The',
  'It',
  'word',
  '&amp',
  'J',
  '😀',
  'e\u0301',
  '(',
  '"',
  ' ',
  '\u200b',
  '\ufeff',
]
const text = fc.array(fc.constantFrom(...FRAGMENTS, ...WORDS), { maxLength: 60 }).map((parts) => parts.join(''))

test('pieces are in order, never overlap, are trimmed and hold something that is not punctuation', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary', maxLength: 80 })), (sample) => {
      const { source, pieces } = split(sample)
      let last = 0
      for (const { start, end, guarded } of pieces) {
        assert.ok(start >= last && end > start && end <= source.points.length)
        last = end
        const statement = slice(source, start, end)
        assert.equal(trim(statement), statement)
        assert.match(statement, /[^\s!-/:-@[-`{-~\u2010-\u2027\u2030-\u205e\u0085]/u)
        for (const { at } of guarded) assert.ok(at >= start && at < end)
      }
    }),
    { seed: 3, numRuns: 10_000 },
  )
})

test('what lies between the pieces is whitespace, punctuation and list markers: no word is lost', () => {
  fc.assert(
    fc.property(text, (sample) => {
      const { source, pieces } = split(sample)
      const remaining = new Set(
        pieces.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)),
      )
      const lost = [...source.points].filter((point, at) => !remaining.has(at) && !isWhitespace(point))
      assert.match(String.fromCodePoint(...lost), /^[-!-/:-@[-`{-~\u2010-\u2027\u2030-\u205e\d]*$/u)
    }),
    { seed: 4, numRuns: 10_000 },
  )
})

test('a piece taken by itself is cut no further', () => {
  fc.assert(
    fc.property(text, (sample) => {
      const { source, pieces } = split(sample)
      for (const { start, end } of pieces) {
        const again = split(slice(source, start, end))
        // A piece that begins like a list item is one when it stands at the start of a line; it loses its marker then.
        if (again.pieces.length > 1) assert.fail(JSON.stringify([sample, slice(source, start, end)]))
      }
    }),
    { seed: 5, numRuns: 10_000 },
  )
})

test('positions in code points and in units name the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (sample) => {
      const { points, units } = codePoints(sample)
      assert.deepEqual(
        [...points],
        Array.from(sample, (character) => character.codePointAt(0)),
      )
      assert.deepEqual([units[0], units.at(-1)], [0, sample.length])
    }),
    { seed: 6, numRuns: 10_000 },
  )
})

/** What is read of a text is counted instead of time: the number of steps is what an attacker would grow. */
function stepsFor(sample: string): number {
  let steps = 0
  const source = codePoints(sample)
  const points = new Proxy(source.points, {
    get(target, key) {
      if (key !== 'length') steps += 1
      return Reflect.get(target, key, target)
    },
  })
  const text = {
    slice(start: number, end: number) {
      steps += end - start
      return sample.slice(start, end)
    },
  }
  splitPoints({ ...source, points, text: text as string })
  return steps
}

const HOSTILE = [
  '. ',
  'a. ',
  'dr. ',
  '"',
  '- ',
  '.',
  '&',
  'a.',
  '“',
  '#',
  '( ',
  '。',
  '\n',
  '1) ',
  'x; ',
  '). ',
  '(((. ',
  '&a; ',
]
for (const fragment of HOSTILE)
  test(`text of nothing but ${JSON.stringify(fragment)} costs steps in proportion to its length`, () => {
    const of = (size: number) => stepsFor(fragment.repeat(Math.ceil(size / fragment.length)))
    const [short, long] = [of(1000), of(8000)]
    assert.ok(long <= 9 * short + 1000, `${short} steps for 1000 characters, ${long} for 8000`)
  })

test('a compound is suspected by a word outside double quotes or a semicolon before the end', () => {
  assert.deepEqual(compoundMarkers('It rose AND fell; or so'), [';', 'and', 'or'])
  assert.deepEqual(compoundMarkers('He said "this and that" once;'), [])
  assert.deepEqual(compoundMarkers('He said “this; and that” once'), [])
  assert.deepEqual(compoundMarkers('A 5" pipe and a bend'), ['and'])
  assert.deepEqual(compoundMarkers('Sandy orders butter'), [])
})

test('a row of numbers before a sentence is kept, and a date without a year is not cut', () => {
  const statements = (sample: string) => {
    const { source, pieces } = split(sample)
    return pieces.map(({ start, end }) => slice(source, start, end))
  }
  assert.deepEqual(statements('1. 2. 3. Revenue rose. 42.'), ['1. 2. 3. Revenue rose. 42.'])
  assert.deepEqual(statements('Am 1. 1. stieg er.'), ['Am 1. 1. stieg er.'])
  assert.deepEqual(statements('1. Revenue rose.'), ['Revenue rose.'])
})
