import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { clausesOf } from './clauses.ts'
import { FORMS, planOf } from './planner.ts'
import { argumentFault, isToolName, TOOL_ARGUMENTS } from './tool-arguments.ts'
import { TOOL_EFFECTS } from './tool-effects.ts'

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
    assert.deepEqual(plan.unmatched, [])
    for (const { tool, args } of plan.calls) assert.equal(isToolName(tool) && argumentFault(tool, args), null)
  })

test('what no form matches is counted and not guessed at', () => {
  assert.deepEqual(planOf('Write me a poem. hash "x". Delete everything', null), {
    calls: [{ tool: 'hash', args: { text: 'x' } }],
    clauses: 3,
    unmatched: [0, 2],
  })
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
      assert.equal(
        Math.min(plan.calls.length, 21) + plan.unmatched.length,
        Math.min(plan.clauses, plan.unmatched.length + 21),
      )
    }),
    { seed: 6, numRuns: 300 },
  )
})

test('every tool of the registry has arguments and a form, and the document shows each form', () => {
  const document = readFileSync(new URL('../../../../../docs/formats/agent-planner.md', import.meta.url), 'utf8')
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
