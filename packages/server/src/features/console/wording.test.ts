import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageOf, countOf, reviewsSentence, serviceSentence } from './wording.ts'

test('an age is told in its largest whole unit and never rounded up', () => {
  const told = [0, 1, 59, 119, 3_599, 7_199, 86_400, 172_799].map(ageOf)
  assert.deepEqual(told, ['0 seconds', '1 second', '59 seconds', '1 minute', '59 minutes', '1 hour', '1 day', '1 day'])
})

test('one is one and more are many', () => {
  assert.deepEqual(
    [countOf(1, 'receipt', 'receipts'), countOf(12_345, 'receipt', 'receipts')],
    ['1 receipt', '12,345 receipts'],
  )
})

const checks = (...outcomes: ('OK' | 'FAILED' | 'UNKNOWN')[]) =>
  outcomes.map((outcome, at) => ({ name: `part${at}`, outcome, blocking: false, reason: null }))
const service = { ready: true, draining: false, production_ready: false, blocking: [], checked_at: '' }

test('ready is never said alone of a service with a part out of order', () => {
  assert.equal(serviceSentence({ ...service, checks: checks('OK', 'OK') }), 'Ready: 2 checks passed just now.')
  assert.equal(
    serviceSentence({ ...service, checks: checks('OK', 'FAILED', 'UNKNOWN') }),
    'Ready, with part1, part2 not in order.',
  )
  assert.equal(
    serviceSentence({ ...service, ready: false, blocking: ['part0'], checks: checks('FAILED') }),
    'Not ready: blocked by part0.',
  )
  assert.match(serviceSentence({ ...service, ready: false, draining: true, checks: [] }), /shutting down/)
})

test('a count that was not read is not told as none', () => {
  const reviews = {
    namespace: 'team',
    counted_to: 10_000,
    oldest_seconds: null,
    four_eyes: false,
    items: [],
    order: 'newest first' as const,
  }
  assert.match(reviewsSentence({ ...reviews, waiting: null }), /did not say/)
  assert.equal(reviewsSentence({ ...reviews, waiting: 0 }), 'No review waits in the namespace team.')
  assert.equal(reviewsSentence({ ...reviews, waiting: 1 }), '1 review waits in the namespace team.')
})
