import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { derivedIndexes } from './derived.ts'

/** Keeps texts and tells them; as large as they are long. */
function fresh(maxSize = 10_000) {
  const closed: string[][] = []
  const indexes = derivedIndexes(Type.Object({ text: Type.String() }), maxSize, () => {
    const texts = new Map<string, string>()
    return {
      get size() {
        return [...texts.values()].join('').length
      },
      add: (values) => values.forEach(({ key, value }) => void texts.set(key, value.text)),
      remove: (key) => void texts.delete(key),
      answer: (query: string) => [...texts.values()].filter((text) => text.includes(query)),
      close: () => void closed.push([...texts.values()]),
    }
  })
  const row = (key: string, text: unknown): [string, string] => [key, JSON.stringify({ text })]
  const add = (key: string, since: number, rows: [string, string][], revision: number | null, removed: string[] = []) =>
    indexes.add({ key, since, rows, removed, revision, now: 0 })
  const ask = (key: string, revision: number, purged = 0) => indexes.ask({ key, revision, purged, query: '' })
  return { indexes, closed, row, add, ask }
}

test('an index answers when it stands where the documents do, and says since when it lacks some', () => {
  const { row, add, ask } = fresh()
  assert.deepEqual(ask('a', 2), { since: -1 })
  add('a', -1, [row('1', 'one')], null)
  assert.deepEqual(ask('a', 2), { since: -1 })
  add('a', 0, [row('2', 'two'), row('3', 7), ['4', '"text"']], 2)
  assert.deepEqual([ask('a', 2), ask('a', 1), ask('b', 1)], [{ answer: ['one', 'two'] }, ask('a', 2), { since: -1 }])
  assert.deepEqual(ask('a', 3), { since: 2 })
  add('a', 2, [row('1', 'eins')], 3, ['1', '2'])
  assert.deepEqual([ask('a', 3), ask('a', 3, 3)], [{ answer: ['eins'] }, { answer: ['eins'] }])
  assert.deepEqual(ask('a', 4, 4), { since: -1 })
})

test('a page of an index that is gone is not taken for the whole of it', () => {
  const { indexes, closed, row, add, ask } = fresh()
  add('a', -1, [row('1', 'one')], null)
  indexes.drop('a')
  assert.deepEqual([add('a', 0, [row('2', 'two')], 2), ask('a', 2)], [false, { since: -1 }])
  assert.deepEqual(closed, [['one']])
})

test('what was used least goes for another, and one that is larger than the room stays until then', () => {
  const { closed, row, add, ask } = fresh()
  for (const key of ['a', 'b']) add(key, -1, [row('1', key)], 1)
  assert.deepEqual([ask('a', 1), ask('b', 1)], [{ answer: ['a'] }, { answer: ['b'] }])
  add('c', -1, [row('1', 'c'.repeat(50_000))], 1)
  assert.deepEqual([ask('a', 1), ask('b', 1), closed], [{ since: -1 }, { since: -1 }, [['a'], ['b']]])
  assert.ok('answer' in ask('c', 1))
  add('d', -1, [row('1', 'd')], 1)
  assert.deepEqual([ask('c', 1), ask('d', 1)], [{ since: -1 }, { answer: ['d'] }])
})
