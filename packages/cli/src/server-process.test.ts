import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { endOf, endText } from './server-process.ts'

const waiting = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })

test('a process that somebody else kills has failed, and the sentence names the signal', async () => {
  const child = waiting()
  const ended = endOf(child, new AbortController().signal)
  child.kill('SIGKILL')
  const end = await ended
  assert.deepEqual(end, { code: 1, killedBy: 'SIGKILL' })
  assert.match(endText(end), /^was ended by SIGKILL, which orch did not send; .*memory/)
})

test('a process that Ctrl-C ends was interrupted, and one that ends by itself keeps its code', async () => {
  const interrupt = new AbortController()
  const ended = endOf(waiting(), interrupt.signal)
  interrupt.abort()
  assert.deepEqual(await ended, { code: 130, killedBy: null })
  const own = spawn(process.execPath, ['-e', 'process.exitCode = 7'], { stdio: 'ignore' })
  assert.deepEqual(await endOf(own, new AbortController().signal), { code: 7, killedBy: null })
})
