import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedText, piecesOf, piecesOfMasked, statedOf } from './question.ts'

const finding = (gate: string, rule: string, start: number, end: number) => ({ gate, rule, start, end, pointer: null })

test('a value is shown as what it is, what a rule objected to is marked, and a mask wins over a mark', () => {
  const found = [finding('threat-signature-scan', 'T13', 0, 8), finding('pii-egress-guard', 'P02', 4, 8)]
  assert.deepEqual(
    piecesOf('Pay 4111 now', found).map(({ kind, text }) => [kind, text]),
    [
      ['marked', 'Pay '],
      ['masked', 'payment card number'],
      ['plain', ' now'],
    ],
  )
})

test('places count letters, not units, and a finding inside the context marks nothing in the text', () => {
  const found = [finding('pii-egress-guard', 'P02', 2, 4), { ...finding('x', 'T1', 0, 9), pointer: '/note' }]
  assert.deepEqual(
    piecesOf('\u{1F600} 12', found).map(({ text }) => text),
    ['\u{1F600} ', 'payment card number'],
  )
})

test('the text is found under either name, and what a reply does not tell is null', () => {
  assert.deepEqual(
    [{ request: { text: 'a' } }, { request: { request: 'b' } }, { request: { messages: [] } }, null].map(askedText),
    ['a', 'b', null, null],
  )
  assert.deepEqual(statedOf({ question: 'q', tool_sha256: 'd' }), { question: 'q', agent: null, tool: 'd' })
})

test('what a list masks by its rule is shown as what it is, and brackets that are no mask stay', () => {
  assert.deepEqual(
    piecesOfMasked('mail [P05] about [Z99] and [1]').map(({ kind, text }) => [kind, text]),
    [
      ['plain', 'mail '],
      ['masked', 'e-mail address'],
      ['plain', ' about '],
      ['plain', '[Z99]'],
      ['plain', ' and [1]'],
    ],
  )
})
