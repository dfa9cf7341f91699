import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proposedIn } from '../planners.ts'

const TOOLS = new Set(['hash'])
const said = (content: unknown) => proposedIn({ choices: [{ message: { content } }] }, TOOLS)

test('one call of a listed tool is taken, and so is the word that it is done', () => {
  assert.deepEqual(said(' {"tool":"hash","args":{"text":"x"}}\n'), { call: { tool: 'hash', args: { text: 'x' } } })
  assert.deepEqual(said('{"done":true}'), { done: true })
})

const refused: [what: string, content: unknown][] = [
  ['prose around the JSON', 'Sure! {"tool":"hash","args":{}}'],
  ['a fenced block', '```json\n{"done":true}\n```'],
  ['another tool', '{"tool":"shell","args":{}}'],
  ['a name of the prototype', '{"tool":"__proto__","args":{}}'],
  ['an effect of its own', '{"tool":"hash","args":{},"effect":"read"}'],
  ['two calls', '[{"tool":"hash","args":{}},{"tool":"hash","args":{}}]'],
  ['a key twice', '{"tool":"hash","tool":"time","args":{}}'],
  ['arguments that are a list', '{"tool":"hash","args":[]}'],
  ['not done', '{"done":false}'],
  ['no text', null],
  ['nesting without end', '['.repeat(100_000)],
]
for (const [what, content] of refused) test(`${what} is no answer`, () => assert.equal(said(content), null))

test('a completion without choices is no answer', () => {
  for (const value of [null, {}, { choices: [] }, { choices: [{}] }, 'x']) assert.equal(proposedIn(value, TOOLS), null)
})
