import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { argumentFault, isToolName, TOOL_ARGUMENTS } from '../../../domain/tools/arguments.ts'
import { TOOL_EFFECTS } from '../../../domain/tools/effects.ts'
import { clausesOf, FORMS } from './grammar.ts'
import { planOf } from './planner.ts'

const DIGEST = 'ab'.repeat(32)
const goals: [goal: string, calls: { tool: string; args: object }[]][] = [
  ['hash "x"', [{ tool: 'hash', args: { text: 'x' } }]],
  ['Hash \u201cx\u201d with SHA3-256.', [{ tool: 'hash', args: { text: 'x', algorithm: 'sha3-256' } }]],
  ['calculate 2+3*4', [{ tool: 'calc', args: { expression: '2+3*4' } }]],
  [
    'Please compute 3.14 * 2. What time is it?',
    [
      { tool: 'calc', args: { expression: '3.14 * 2' } },
      { tool: 'time', args: {} },
    ],
  ],
  [
    `lookup ${DIGEST}; verify receipt ${DIGEST.toUpperCase()}`,
    [
      { tool: 'ledger_lookup', args: { digest: DIGEST } },
      { tool: 'verify_receipt', args: { digest: DIGEST } },
    ],
  ],
  [
    'remember "milk; then bread. Now" as list, then search for "bread"',
    [
      { tool: 'note_put', args: { name: 'list', text: 'milk; then bread. Now' } },
      { tool: 'retrieve', args: { query: 'bread' } },
    ],
  ],
  ['query /a/0 in {"a": ["then; x"]}', [{ tool: 'json_query', args: { query: '/a/0', document: { a: ['then; x'] } } }]],
  [
    'count "one two"\nclear my notes',
    [
      { tool: 'text_stats', args: { text: 'one two' } },
      { tool: 'session_clear', args: {} },
    ],
  ],
  ['check "hello there"', [{ tool: 'gate_check', args: { text: 'hello there' } }]],
]
for (const [goal, calls] of goals)
  test(`the grammar reads ${JSON.stringify(goal.slice(0, 50))}`, () => {
    const plan = planOf(goal, null)
    assert.deepEqual(plan.calls, calls)
    assert.deepEqual(plan.needs, [])
    for (const { tool, args } of plan.calls) assert.equal(isToolName(tool) && argumentFault(tool, args), null)
  })

const inWords: [goal: string, tool: string, args: object][] = [
  ['What is the SHA-256 hash of "abc"?', 'hash', { text: 'abc', algorithm: 'sha256' }],
  ['Can you please hash hello world for me?', 'hash', { text: 'hello world' }],
  ['What time is it in Tokyo?', 'time', { zone: 'Asia/Tokyo' }],
  ["What's the time in New York", 'time', { zone: 'America/New_York' }],
  ['How many words are in the quick brown fox?', 'text_stats', { text: 'the quick brown fox' }],
  ['count the characters in "one  two"', 'text_stats', { text: 'one  two' }],
  ['What is twenty-three plus 4?', 'calc', { expression: '23 + 4' }],
  ['subtract 3 from two hundred and five', 'calc', { expression: '(205)-(3)' }],
  ['15 percent of 1,000', 'calc', { expression: '(15)/100*(1000)' }],
  ['remember that Bob likes tea as bob', 'note_put', { name: 'bob', text: 'Bob likes tea' }],
  ['what do you remember about tea?', 'retrieve', { query: 'tea' }],
  ['search for green tea', 'retrieve', { query: 'green tea' }],
  [`where is the receipt ${DIGEST}?`, 'ledger_lookup', { digest: DIGEST }],
  [`is the receipt ${DIGEST} valid?`, 'verify_receipt', { digest: DIGEST }],
  ['would the gates allow hello there?', 'gate_check', { text: 'hello there' }],
  ['forget everything', 'session_clear', {}],
]
for (const [goal, tool, args] of inWords)
  test(`the grammar understands ${JSON.stringify(goal.slice(0, 50))}`, () => {
    const plan = planOf(goal, null)
    assert.deepEqual([plan.calls, plan.needs], [[{ tool, args }], []])
    assert.equal(isToolName(tool) && argumentFault(tool, plan.calls[0]!.args), null)
  })

const open: [goal: string, tool: string | null, missing: RegExp][] = [
  ['hash', 'hash', /text to hash/],
  ['what time is it in Atlantis', 'time', /Europe\/Berlin/],
  ['count the words', 'text_stats', /text to count/],
  ['calculate the meaning of life', 'calc', /15 percent of 200/],
  ['remember', 'note_put', /what to note/],
  ['recall', 'retrieve', /what to search for/],
  ['look up abc', 'ledger_lookup', /64 hex digits/],
  ['verify it', 'verify_receipt', /64 hex digits/],
  ['check', 'gate_check', /text to check/],
  ['query /a in {"a":', 'json_query', /JSON document/],
  ['Write me a poem', null, /hash, json_query/],
  ['asdf qwer', null, /calc/],
  ['delete everything', null, /tools/],
]
for (const [goal, tool, missing] of open)
  test(`what ${JSON.stringify(goal)} leaves open is asked for`, () => {
    const { calls, needs } = planOf(goal, null)
    assert.deepEqual([calls, needs.map((need) => need.tool)], [[], [tool]])
    assert.match(needs[0]!.missing, missing)
  })

test('what no form matches is told with its place and not guessed at', () => {
  const { calls, clauses, needs } = planOf('Write me a poem. hash "x". Delete everything', null)
  assert.deepEqual([calls, clauses], [[{ tool: 'hash', args: { text: 'x' } }], 3])
  assert.deepEqual(
    needs.map(({ clause }) => clause),
    [0, 2],
  )
})

test('a long goal of number words and courtesies is read in one walk', () => {
  for (const piece of ['add ', 'half of ', 'percent of ', 'plus ', 'one ', 'as ', '" ', 'in ', 'please '])
    assert.ok(planOf(piece.repeat(8192 / piece.length), null).clauses <= 1, piece)
})

test('a tool outside the list given is not planned', () => {
  assert.deepEqual(planOf('clear my notes; what time is it', new Set(['time'])).calls, [{ tool: 'time', args: {} }])
})

test('a note without a name is named by its digest, so the same goal gives the same plan', () => {
  const [call] = planOf('remember "x"', null).calls
  assert.deepEqual(call?.args, { name: 'note-2d711642b726', text: 'x' })
})

test('then inside a word or a quotation parts nothing', () => {
  assert.deepEqual(clausesOf('strengthen it, then "a then b" thenceforth'), ['strengthen it', '"a then b" thenceforth'])
})

test('broken JSON, duplicate keys and a bare quotation mark are no call', () => {
  for (const goal of ['query /a in {"a":', 'query /a in {"a":1,"a":2}', 'hash "', 'hash ""'])
    assert.deepEqual(planOf(goal, null).calls, [], goal)
})

test('every clause is accounted for, whatever the goal holds', () => {
  const piece = fc.constantFrom(
    'hash "x"',
    '"',
    ';',
    '\n',
    ' then ',
    '. ',
    'time',
    'calculate 1',
    '\u201c',
    '\\',
    'please ',
    ',',
    'and ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
      const plan = planOf(parts.join(''), null)
      assert.equal(Math.min(plan.calls.length, 21) + plan.needs.length, Math.min(plan.clauses, plan.needs.length + 21))
    }),
    { seed: 6, numRuns: 300 },
  )
})

test('every tool of the registry has arguments and a form, and the document shows each form', () => {
  const document = readFileSync(new URL('../../../../../../docs/formats/agent-planner.md', import.meta.url), 'utf8')
  assert.deepEqual(Object.keys(TOOL_EFFECTS).sort(), Object.keys(TOOL_ARGUMENTS).sort())
  assert.deepEqual([...new Set(FORMS.map(({ tool }) => tool))].sort(), Object.keys(TOOL_EFFECTS).sort())
  for (const { tool, written } of FORMS)
    assert.ok(
      document.includes(`| \`${tool}\` | ${TOOL_EFFECTS[tool]} | \`${written.replaceAll('|', '\\|')}\` |`),
      tool,
    )
})

test('a name of the prototype is no tool', () => {
  for (const name of ['__proto__', 'constructor', 'toString', '']) {
    assert.equal(isToolName(name), false)
    assert.equal(TOOL_EFFECTS[name], undefined)
  }
})
