// The second half of the simulated worlds, in a file of its own so that two cores share them.
import { test } from 'node:test'
import { simulatedGates } from '#testing/stepping-simulation/gates.ts'
import { simulate } from '#testing/stepping-simulation/run.ts'

const governing = await simulatedGates()

test('whatever happens on one to four nodes, the model holds: seeds 101 to 200', async () => {
  for (let seed = 101; seed <= 200; seed += 1) await simulate(seed, governing)
})
