import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOf, unitsOf, WordMap } from './word-map.ts'

test('a map of words answers as one of strings does, wherever in a row of units a word stands', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'ß', '忽'), maxLength: 4 }), { maxLength: 60 })
  fc.assert(
    fc.property(words, words, (known, asked) => {
      const [map, reference] = [new WordMap(), new Map<string, number>()]
      for (const word of known) {
        if (reference.has(word)) continue
        reference.set(word, reference.size + 1)
        map.set(word, reference.size)
      }
      for (const word of [...known, ...asked]) {
        assert.equal(map.get(word), reference.get(word) ?? 0)
        const units = unitsOf(`xx${word}y`)
        assert.equal(map.find(units, 2, 2 + word.length, hashOf(word)), reference.get(word) ?? 0)
      }
      assert.deepEqual([...map.words()], [...reference.keys()])
    }),
    { seed: 7, numRuns: 500 },
  )
})

test('a map holds more words than it began with room for', () => {
  const map = new WordMap()
  const words = Array.from({ length: 5000 }, (_, at) => `word${at}`)
  words.forEach((word, at) => {
    map.set(word, at + 1)
  })
  assert.deepEqual(
    words.map((word) => map.get(word)),
    words.map((_, at) => at + 1),
  )
  assert.equal(map.get('word5000'), 0)
})

test('words of one hash are told apart by their letters', () => {
  const [one, other] = collision()
  const map = new WordMap()
  map.set(one, 1)
  assert.equal(hashOf(one), hashOf(other))
  assert.deepEqual([map.get(one), map.get(other)], [1, 0])
  map.set(other, 2)
  assert.deepEqual([map.get(one), map.get(other)], [1, 2])
})

/** Among some hundred thousand words at random two have one hash. */
function collision(): [string, string] {
  const seen = new Map<number, string>()
  for (let at = 0, state = 1; at < 1_000_000; at++) {
    const codes = Array.from({ length: 4 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return 0x4e00 + ((state >>> 8) % 20_000)
    })
    const word = String.fromCharCode(...codes)
    const before = seen.get(hashOf(word))
    if (before !== undefined && before !== word) return [before, word]
    seen.set(hashOf(word), word)
  }
  throw new Error('no two words have one hash')
}
