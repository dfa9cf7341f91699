import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sinkWarning } from './open.ts'

test('a store that several nodes may share is not used with a sink of one node without a warning', () => {
  assert.match(sinkWarning({ store: 'postgres', gdwSink: 'file' }) ?? '', /ORCH_GDW_SINK=web/)
  assert.equal(sinkWarning({ store: 'postgres', gdwSink: 'web' }), null)
  assert.equal(sinkWarning({ store: 'sqlite', gdwSink: 'file' }), null)
})
