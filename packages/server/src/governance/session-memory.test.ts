import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SessionMemory } from './session-memory.ts'

const MAX_SESSIONS = 10_000

test('as many sessions are remembered as fit; one more pushes out the one that spoke longest ago, read or not', () => {
  const memory = new SessionMemory()
  const isRemembered = (n: number) => memory.tail(`s${n}`, 0) !== ''
  for (let n = 1; n < MAX_SESSIONS; n++) memory.remember(`s${n}`, 'words', 0)
  assert.ok(isRemembered(1), 'one below the bound')
  memory.remember(`s${MAX_SESSIONS}`, 'words', 0)
  assert.ok(isRemembered(1), 'at the bound')
  memory.remember(`s${MAX_SESSIONS + 1}`, 'words', 0)
  assert.deepEqual([isRemembered(1), isRemembered(2), isRemembered(MAX_SESSIONS + 1)], [false, true, true])
})

test('what a session said is forgotten after ten minutes', () => {
  const memory = new SessionMemory()
  memory.remember('s', 'words', 0)
  assert.deepEqual([memory.tail('s', 599_999) !== '', memory.tail('s', 600_000), memory.tail(null, 0)], [true, '', ''])
})
