import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskedQuestion } from './masked-question.ts'

const whole = { values: [], planned: 2, completed: 2 }

test('9.2: a question is one line without personal values, secrets, line ends and marks that turn text', () => {
  const text = 'Refund\n4111 1111 1111 1111\u202E now'
  const values = [{ start: 7, end: 26, rule: 'P02' }]
  assert.equal(maskedQuestion(text, { ...whole, values }), 'Refund [P02]  now')
})

test('9.2: a long question is cut after it was masked, between letters', () => {
  const shown = maskedQuestion(`${'\u{1F600}'.repeat(300)}`, whole)!
  assert.deepEqual([[...shown].length, shown.endsWith('\u{1F600}…')], [280, true])
  assert.equal(maskedQuestion('x'.repeat(280), whole), 'x'.repeat(280))
})

test('9.2: nothing is shown of a text that the gates did not finish', () => {
  assert.equal(maskedQuestion('pay 4111', { ...whole, completed: 1 }), null)
})
