import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../gates/finding.ts'
import { joined, located } from './message-pointers.ts'

const finding = (start: number, end: number, pointer: string | null = null): Finding => ({
  gate: 'pii-egress-guard',
  rule: 'P01',
  rule_version: 1,
  severity: 'block',
  score: 0.5,
  view: 'raw',
  path: [],
  pointer,
  start,
  end,
  sample_masked: 'us-ssn',
  validator: null,
})
const parts = [
  { pointer: '/messages/0/content', text: '\u{1F600}ab' },
  { pointer: '/messages/1/content', text: 'cdef' },
]

test('a finding is told by its place in its message, in code points', () => {
  assert.equal(joined(parts), '\u{1F600}ab\ncdef')
  const [first, second] = located([finding(1, 3), finding(5, 8)], parts)
  assert.deepEqual([first?.pointer, first?.start, first?.end], ['/messages/0/content', 1, 3])
  assert.deepEqual([second?.pointer, second?.start, second?.end], ['/messages/1/content', 1, 4])
})

test('a finding over the gap, or one with a pointer of its own, stays as it is', () => {
  assert.deepEqual(located([finding(2, 5), finding(0, 1, '/x')], parts), [finding(2, 5), finding(0, 1, '/x')])
})
