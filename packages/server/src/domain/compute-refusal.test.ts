import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InputError, ServiceError } from '../errors.ts'
import { ComputeError } from '../platform/compute/job.ts'
import { toComputeRefusal } from './compute-refusal.ts'

test('work above the cap is a fault of the request, with both numbers', () => {
  const refusal = toComputeRefusal(new ComputeError('work_limit_exceeded', 'too much', { work: 7, cap: 5 }), 'body')
  assert.ok(refusal instanceof InputError)
  const [{ loc, type, ctx } = assert.fail()] = refusal.detail
  assert.deepEqual([loc, type, ctx], [['body'], 'work_limit_exceeded', { work: 7, cap: 5 }])
})

test('a full queue, a deadline and a closed pool are refusals of the service', () => {
  const refused = (code: 'queue_full' | 'wait_exceeded' | 'deadline_exceeded' | 'closed') => {
    const refusal = toComputeRefusal(new ComputeError(code, 'words of the pool'), 'query')
    assert.ok(refusal instanceof ServiceError)
    return [refusal.code, refusal.status, refusal.headers['retry-after']]
  }
  assert.deepEqual(refused('queue_full'), ['compute_busy', 503, '1'])
  assert.deepEqual(refused('wait_exceeded'), ['compute_busy', 503, '1'])
  assert.deepEqual(refused('deadline_exceeded'), ['compute_timeout', 503, undefined])
  assert.deepEqual(refused('closed'), ['draining', 503, '5'])
})

test('a thread that could not begin in time is told as busy, one that ended is a failure', () => {
  const late = toComputeRefusal(new ComputeError('thread_crashed', 'not loaded', { startMs: 10_000 }), 'query')
  assert.ok(late instanceof ServiceError)
  assert.deepEqual([late.code, late.status, late.headers['retry-after']], ['compute_busy', 503, '1'])
  const ended = new ComputeError('thread_crashed', 'it ended')
  assert.equal(toComputeRefusal(ended, 'query'), ended)
})

test('what is no refusal comes back as it is', () => {
  for (const error of [new ComputeError('job_failed', 'broken'), new Error('other'), 'text', null])
    assert.equal(toComputeRefusal(error, 'query'), error)
})

test('a wait that ended without a thread is not told as a full queue', () => {
  const messageOf = (code: 'queue_full' | 'wait_exceeded') =>
    (toComputeRefusal(new ComputeError(code, 'words of the pool'), 'body') as Error).message
  assert.match(messageOf('queue_full'), /as many computations wait/)
  assert.match(messageOf('wait_exceeded'), /no thread was free/)
})
