import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolName } from '../../../domain/tools/arguments.ts'
import { MAX_OUTPUT_BYTES, useTool, type World } from './tool-box.ts'

const world = (over: Partial<World> = {}): World => ({
  now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  receipt: async () => null,
  verify: async () => null,
  check: async () => ({ decision: 'allow' }),
  notes: [],
  scope: 'session',
  observed: [],
  ...over,
})
const output = async (tool: ToolName, args: Record<string, unknown>, over: Partial<World> = {}) => {
  const use = await useTool(tool, args, world(over))
  assert.ok(use.ok, use.ok ? '' : use.reason)
  return use.output
}
const failure = async (tool: ToolName, args: Record<string, unknown>, over: Partial<World> = {}) => {
  const use = await useTool(tool, args, world(over))
  assert.equal(use.ok, false)
  return use.ok ? '' : use.failure
}

test('a digest is the one every other program computes', async () => {
  const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
  const sha3 = '3338be694f50c5f338814986cdf0686453a888b84f424d792af4b9202398f392'
  assert.deepEqual(await output('hash', { text: 'hello' }), { algorithm: 'sha256', digest: sha256, bytes: 5 })
  assert.equal((await output('hash', { text: 'hello', algorithm: 'sha3-256' })).digest, sha3)
})

test('the time is the clock\u2019s', async () => {
  assert.deepEqual(await output('time', {}), { utc: '2026-01-02T03:04:05.006Z' })
})

test('text is counted in code points, words and lines, and what nobody sees is counted too', async () => {
  const counts = await output('text_stats', { text: 'a\u200bb \u{1F600}\nc1' })
  assert.deepEqual(counts, { code_points: 8, utf8_bytes: 13, words: 3, lines: 2, digits: 1, invisible: 1 })
})

test('search finds the passage that speaks of what is asked, in notes and observations', async () => {
  const notes = [
    { name: 'ships', text: 'The harbour opens at six.' },
    { name: 'food', text: 'Milk, bread and bread again.' },
  ]
  const observed = [{ source: 'observation' as const, id: 'step-2', text: '{"utc":"bread"}' }]
  const found = await output('retrieve', { query: 'BREAD' }, { notes, observed })
  const results = found.results as { id: string; score: number }[]
  assert.deepEqual(results.map(({ id }) => id).sort(), ['food', 'step-2'])
  assert.ok(results[0]!.score >= results[1]!.score)
  assert.deepEqual((await output('retrieve', { query: 'whale' }, { notes })).results, [])
})

test('a note of the same name is replaced, and a full session takes no more', async () => {
  const notes = Array.from({ length: 128 }, (_, at) => ({ name: `n${at}`, text: 'x' }))
  const use = await useTool('note_put', { name: 'n0', text: 'y' }, world({ notes }))
  assert.ok(use.ok && use.notes?.length === 128 && use.notes.at(-1)?.text === 'y')
  assert.equal(await failure('note_put', { name: 'new', text: 'y' }, { notes }), 'REFUSED')
})

test('clearing hands back no notes and says how many there were', async () => {
  const use = await useTool('session_clear', {}, world({ notes: [{ name: 'a', text: 'b' }] }))
  assert.ok(use.ok && use.notes?.length === 0 && use.output.cleared === 1)
})

const misfits: [tool: ToolName, args: Record<string, unknown>][] = [
  ['hash', {}],
  ['hash', { text: 'x', more: 1 }],
  ['hash', { text: 7 }],
  ['hash', JSON.parse('{"text":"x","__proto__":{}}')],
  ['time', { now: 0 }],
  ['calc', { expression: '1'.repeat(1025) }],
  ['ledger_lookup', { digest: 'AB'.repeat(32) }],
  ['note_put', { name: '../x', text: 'y' }],
  ['retrieve', { query: 'x', limit: 11 }],
  ['session_clear', { all: true }],
]
for (const [tool, args] of misfits)
  test(`${tool} refuses ${JSON.stringify(args).slice(0, 40)}`, async () =>
    assert.equal(await failure(tool, args), 'ARGUMENTS_INVALID'))

test('a tool that throws is a failure without a word of what it threw', async () => {
  const receipt = async () => {
    throw new Error('password=hunter2')
  }
  const use = await useTool('ledger_lookup', { digest: 'ab'.repeat(32) }, world({ receipt }))
  assert.deepEqual(use, { ok: false, failure: 'THREW', reason: 'the tool broke' })
})

test('an output over 16 KiB is a failure and not a part of itself', async () => {
  const fits = 'x'.repeat(MAX_OUTPUT_BYTES - '{"count":1,"matches":[""]}'.length)
  assert.ok(await output('json_query', { document: fits, query: '' }))
  assert.equal(await failure('json_query', { document: `${fits}x`, query: '' }), 'OUTPUT_TOO_LARGE')
})
