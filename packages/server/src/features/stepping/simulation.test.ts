// Crashes, restarts, stopped processes, jumping clocks, failing sinks and stores, lost answers: two hundred happenings for
// each seed, held against a model after every one. The same seed is the same world, byte for byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulatedGates } from '#testing/stepping-simulation/gates.ts'
import { simulate } from '#testing/stepping-simulation/run.ts'

const governing = await simulatedGates()

test('a seed repeats byte for byte', async () => {
  const [once, again] = [await simulate(1, governing), await simulate(1, governing)]
  assert.ok(once.length > 100)
  assert.deepEqual(again, once)
})

test('whatever happens on one to four nodes, the model holds: seeds 1 to 100', async () => {
  for (let seed = 1; seed <= 100; seed += 1) await simulate(seed, governing)
})
