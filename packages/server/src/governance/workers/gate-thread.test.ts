import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startThread } from './gate-thread.ts'

const SAYS_ITS_LIMITS = `
  import { parentPort, resourceLimits } from 'node:worker_threads'
  const { maxOldGenerationSizeMb, maxYoungGenerationSizeMb } = resourceLimits
  parentPort.postMessage({ digest: JSON.stringify([maxOldGenerationSizeMb, maxYoungGenerationSizeMb]) })`

test('a text cannot make a thread of the gates take the memory of the service', async () => {
  const program = new URL(`data:text/javascript,${encodeURIComponent(SAYS_ITS_LIMITS)}`)
  const said = Promise.withResolvers<string>()
  const thread = startThread(program, {} as never, { ready: said.resolve, ended: said.resolve })
  assert.equal(await said.promise, '[256,3]')
  thread.end()
})
