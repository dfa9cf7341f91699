import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '#testing/organs/loop-turns.ts'
import { countTokens, toTokens } from './tokens.ts'

test('the loop turns while the tables are loaded for the first text and while a long one is counted', async () => {
  const first = await countTurns(() => countTokens('hello world'))
  assert.equal(first.value, 2)
  assert.ok(first.turns > 20, `the loop turned ${first.turns} times`)
  const long = await countTurns(() => countTokens('receipts '.repeat(50_000)))
  assert.equal(long.value, 50_002)
  assert.ok(long.turns > 20, `the loop turned ${long.turns} times`)
})

test('texts that are hard to cut are cut alike at their beginnings, and special tokens are text', async () => {
  const run = 'a'.repeat(8192)
  const [long, more, special, hello] = await toTokens([run, `${run}b`, '<|endoftext|>', 'hello world'])
  assert.deepEqual(more!.slice(0, long!.length - 128), long!.slice(0, -128))
  assert.ok(special!.length > 1)
  assert.deepEqual(hello, [24912, 2375])
  const [rocket, satellite] = await toTokens(['\ud83d\ude80', '\ud83d\ude81'].map((end) => `${'x'.repeat(511)}${end}`))
  assert.notDeepEqual(rocket, satellite)
  assert.equal(await countTokens('\ud83d'), await countTokens('\ufffd'))
})
