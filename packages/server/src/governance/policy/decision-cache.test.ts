import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecisionCache } from './decision-cache.ts'

test('the cache forgets what was not asked for the longest', () => {
  const cache = new DecisionCache<{ n: number }>(2)
  cache.set('a', { n: 1 })
  cache.set('b', { n: 2 })
  assert.deepEqual(cache.get('a'), { n: 1 })
  cache.set('c', { n: 3 })
  assert.equal(cache.get('b'), undefined)
  assert.deepEqual([cache.get('a'), cache.get('c'), cache.size], [{ n: 1 }, { n: 3 }, 2])
})

test('long texts and a cache of size nought keep nothing', () => {
  const [cache, none] = [new DecisionCache<object>(2), new DecisionCache<object>(0)]
  cache.set('x'.repeat(2049), {})
  none.set('a', {})
  assert.deepEqual([cache.size, none.size], [0, 0])
})
