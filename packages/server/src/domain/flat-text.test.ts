import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunksOf, joined } from './receipt-view.ts'

test('parts come out as one text', () => {
  assert.deepEqual([joined(), joined('a'), joined('a', '', 'bc')], ['', 'a', 'abc'])
})

test('a text is cut into chunks of a width, the last one as long as what is left', () => {
  const digits = '0123456789'
  assert.deepEqual(chunksOf('', 5), [])
  assert.deepEqual(chunksOf(digits, 11), [digits])
  assert.deepEqual(chunksOf(digits, 10), [digits])
  assert.deepEqual(chunksOf(digits, 9), ['012345678', '9'])
  assert.deepEqual(chunksOf(digits, 5), ['01234', '56789'])
})
