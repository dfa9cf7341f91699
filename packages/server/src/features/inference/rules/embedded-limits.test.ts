import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InputError } from '../../../errors.ts'
import { assertServable } from './embedded-limits.ts'

const TEXT = [{ pointer: '/messages/0/content', text: 'A receipt is', origin: 'user' as const, list: null }]
const asked = (more: object) => ({ model: 'm1', messages: [{ role: 'user', content: 'A receipt is' }], ...more })
const fieldsOf = (more: object, texts = TEXT): string[] => {
  try {
    assertServable(asked(more), texts)
    return []
  } catch (error) {
    assert.ok(error instanceof InputError)
    return error.detail.map(({ loc }) => loc.slice(1).join('.'))
  }
}

test('what the embedded model cannot heed is refused by its name and never passed over', () => {
  const refused: [string, unknown][] = [
    ['temperature', -1],
    ['temperature', 2.1],
    ['temperature', '1'],
    ['top_p', 1.5],
    ['seed', 1.5],
    ['seed', 'a'],
    ['stop', ''],
    ['stop', 5],
    ['stop', ['a', 'b', 'c', 'd', 'e']],
    ['n', 2],
    ['logprobs', 1],
    ['top_logprobs', 3],
    ['frequency_penalty', 0.5],
    ['presence_penalty', -1],
    ['logit_bias', { 5: 100 }],
    ['response_format', { type: 'json_object' }],
    ['response_format', 'json'],
    ['tool_choice', 'required'],
    ['tool_choice', { type: 'function', function: { name: 'x' } }],
    ['function_call', { name: 'x' }],
    ['modalities', ['text', 'audio']],
    ['audio', { voice: 'a' }],
  ]
  for (const [field, value] of refused) assert.deepEqual(fieldsOf({ [field]: value }), [field], `${field} ${value}`)
})

test('log-probabilities come with a whole answer, up to twenty alternatives for each token', () => {
  assert.deepEqual(fieldsOf({ logprobs: true, top_logprobs: 20 }), [])
  assert.deepEqual(fieldsOf({ logprobs: true, top_logprobs: 21 }), ['top_logprobs'])
  assert.deepEqual(fieldsOf({ logprobs: true, stream: true }), ['logprobs'])
})

test('what says no more than the model does anyway is taken', () => {
  const taken = {
    temperature: 2,
    top_p: 0,
    seed: -7,
    stop: ['\n'],
    n: 1,
    logprobs: false,
    tool_choice: 'auto',
    tools: [],
  }
  const nulls = { stop: null, seed: null, response_format: null, logit_bias: {}, modalities: ['text'] }
  assert.deepEqual(fieldsOf({ ...taken, user: 'u', metadata: {}, unknown_field: 1 }), [])
  assert.deepEqual(fieldsOf({ ...nulls, response_format: { type: 'text' }, presence_penalty: 0 }), [])
})

test('a picture is not passed over, and there has to be something to continue', () => {
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: 'data:,' } },
  ]
  assert.deepEqual(fieldsOf({ messages: [{ role: 'user', content }] }), ['messages.0.content'])
  const refusal = [{ type: 'refusal', refusal: 'No.' }]
  assert.deepEqual(fieldsOf({ messages: [{ role: 'assistant', content: refusal }] }), ['messages.0.content'])
  assert.deepEqual(fieldsOf({}, [{ ...TEXT[0]!, text: ' \n' }]), ['messages'])
  assert.deepEqual(fieldsOf({}, []), ['messages'])
})
