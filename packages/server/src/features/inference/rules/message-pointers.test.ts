import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../../../domain/gates/finding.ts'
import { joined, located, locatedInBody, type Part, partsOf, together } from './message-pointers.ts'

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
const origin = 'user'
const parts: Part[] = [
  { pointer: '/messages/0/content', text: '\u{1F600}ab', origin, list: null },
  { pointer: '/messages/1/content', text: 'cdef', origin, list: null },
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

test('the parts of one message are also read side by side, and what is found there is told by their list', () => {
  const list = '/messages/2/content'
  const split: Part[] = [
    ...parts,
    { pointer: `${list}/0/text`, text: '123-45', origin, list },
    { pointer: `${list}/1/text`, text: '-6789', origin, list },
  ]
  assert.deepEqual(together(split), ['123-45-6789'])
  assert.deepEqual(together(parts), [])
  const found = locatedInBody([finding(0, 11, '/1/0'), finding(0, 4, '/0/metadata/a~1b'), finding(5, 8)], split).map(
    ({ pointer, start, end }) => [pointer, start, end],
  )
  assert.deepEqual(found, [
    [list, 0, 11],
    ['/metadata/a~1b', 0, 4],
    ['/messages/1/content', 1, 4],
  ])
})

test('the texts of tools are told apart where there are others beside them', () => {
  const [own, other] = parts as [Part, Part]
  assert.deepEqual(partsOf(parts), {})
  assert.deepEqual(partsOf(parts.map((part) => ({ ...part, origin: 'tool' }))), {})
  assert.deepEqual(partsOf([own, { ...other, origin: 'tool' }, own]).parts, [
    { units: 5, origin: 'user' },
    { units: 5, origin: 'tool' },
    { units: 4, origin: 'user' },
  ])
})
