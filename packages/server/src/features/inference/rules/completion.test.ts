import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompletionChunks, outputRest, outputText, readCompletion } from './completion.ts'

const message = (content: unknown, more = {}) => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, ...more }],
})

test('a completion is reduced to what is examined', () => {
  const read = readCompletion({
    id: 'x',
    model: 'm',
    ...message('Paris', { finish_reason: 'stop', logprobs: { content: [{ token: 'secret' }] } }),
    usage: { prompt_tokens: 3, completion_tokens: 1, planted: 'x' },
    planted: 'field',
  })
  assert.deepEqual(read, {
    model: 'm',
    choices: [{ index: 0, content: 'Paris', refusal: null, toolCalls: [], finishReason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  })
})

test('what is no completion is null', () => {
  const tool = (call: unknown) => ({ choices: [{ message: { content: null, tool_calls: [call] } }] })
  for (const value of [
    null,
    [],
    'text',
    {},
    { choices: [] },
    { choices: [null] },
    { choices: [{}] },
    { choices: Array(17).fill({ message: {} }) },
    tool(null),
    tool({ function: { name: 'f' } }),
    { choices: [{ message: { tool_calls: {} } }] },
  ])
    assert.equal(readCompletion(value), null, JSON.stringify(value))
})

test('counts that are no counts are not repeated', () => {
  for (const usage of [
    null,
    'many',
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
  ])
    assert.equal(readCompletion({ ...message('x'), usage })?.usage, null)
})

test('chunks add up to a completion, tool calls and other choices included', () => {
  const chunks = new CompletionChunks()
  const part = (delta: object, index = 0, finish_reason: string | null = null) => ({
    model: 'm',
    choices: [{ index, delta, finish_reason }],
  })
  assert.equal(chunks.add(part({ role: 'assistant', content: 'Par' })), 'Par')
  assert.equal(chunks.add(part({ content: 'is' })), 'is')
  assert.equal(chunks.add(part({ content: 'Lyon' }, 1)), '')
  assert.equal(
    chunks.add(part({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a"' } }] })),
    '',
  )
  assert.equal(chunks.add(part({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 0, 'tool_calls')), '')
  assert.equal(chunks.add({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }), '')
  const done = chunks.completion()
  assert.equal(outputText(done), 'Paris\n\nLyon')
  assert.deepEqual(done.choices[0]?.toolCalls, [
    { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
  ])
  assert.deepEqual(
    [done.choices[0]?.finishReason, done.usage, done.model],
    ['tool_calls', { prompt_tokens: 1, completion_tokens: 2 }, 'm'],
  )
})

test('chunks that are none are told apart', () => {
  for (const chunk of [
    null,
    {},
    { choices: [null] },
    { choices: [{ index: -1, delta: {} }] },
    { choices: [{ index: 1e9, delta: {} }] },
    { choices: [{ delta: { tool_calls: [{ index: 1e9 }] } }] },
    { choices: [{ delta: { tool_calls: [{ index: -1 }] } }] },
    { choices: [{ delta: { tool_calls: 'x' } }] },
  ])
    assert.equal(new CompletionChunks().add(chunk), null, JSON.stringify(chunk))
})

test('arguments of a tool call are examined as text and as the JSON they are', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"ssn":"123\\u002d45-6789"}' } }
  const read = readCompletion({ choices: [{ message: { content: null, tool_calls: [call] } }] })!
  assert.match(JSON.stringify(outputRest(read, null)), /123-45-6789/)
  assert.equal(outputText(read), '')
})

test('the name of a model we did not ask for is examined like the rest', () => {
  const read = readCompletion({ ...message('x'), model: 'SSN 123-45-6789' })!
  assert.deepEqual(outputRest(read, 'm'), { choices: [], model: 'SSN 123-45-6789', together: null })
  assert.equal(outputRest({ ...read, model: 'm' }, 'm'), undefined)
})

test('content in parts is read as the text a client shows, whole and in chunks', () => {
  const parts = [{ type: 'text', text: 'Pa' }, { type: 'image' }, { type: 'text', text: 'ris' }]
  assert.equal(readCompletion(message(parts))?.choices[0]?.content, 'Paris')
  assert.equal(readCompletion(message([]))?.choices[0]?.content, null)
  assert.equal(new CompletionChunks().add({ choices: [{ index: 0, delta: { content: parts } }] }), 'Paris')
})

test('several choices are examined side by side as well', () => {
  const choice = (content: string) => ({ message: { content } })
  const read = readCompletion({ choices: [choice('123-45'), choice('-6789')] })!
  assert.equal((outputRest(read, null) as { together: string }).together, '123-45-6789')
})
