import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCount, parseInstant, parseWord } from './forgiving.ts'
import { type Column, tableHeader, tableRow } from './table.ts'

const NOW = Date.parse('2026-11-16T10:20:30.456Z')

test('a time is a length, a day or an instant, and always comes out in UTC with milliseconds', () => {
  for (const [text, instant] of [
    ['2h', '2026-11-16T08:20:30.456Z'],
    ['90 m ago', '2026-11-16T08:50:30.456Z'],
    ['7d', '2026-11-09T10:20:30.456Z'],
    ['now', '2026-11-16T10:20:30.456Z'],
    ['Today', '2026-11-16T00:00:00.000Z'],
    ['yesterday', '2026-11-15T00:00:00.000Z'],
    ['2026-11-15', '2026-11-15T00:00:00.000Z'],
    ['2026-11-15 08:30', '2026-11-15T08:30:00.000Z'],
    ['2026-11-15T08:30:00+02:00', '2026-11-15T06:30:00.000Z'],
    ['2026-11-15T08:30:00.123Z', '2026-11-15T08:30:00.123Z'],
  ] as const)
    assert.equal(parseInstant('--since', text, NOW), instant, text)
})

test('what is no time is refused with its flag and examples, and never guessed', () => {
  for (const text of ['', 'blah', '2026-13-01', '2026-11-31T25:00', '11/15/2026', '2x', '99999999d'])
    assert.throws(
      () => parseInstant('--since', text, NOW),
      /^CliError: --since: .* is not a time; write for example 2h/,
      text,
    )
})

test('words are read in any case, and a wrong one is told the right ones', () => {
  assert.equal(parseWord('--decision', ' Denied', ['ALLOW', 'DENY'], { denied: 'DENY' }), 'DENY')
  assert.throws(() => parseWord('--role', 'king', ['user', 'admin']), /--role: "king" is not one of user, admin/)
  assert.throws(() => parseWord('--role', 'constructor', ['user']), /is not one of user/)
  assert.equal(parseCount('--limit', '200', 1, 200), 200)
  for (const text of ['0', '201', '1e2', '-1', ' 5', ''])
    assert.throws(() => parseCount('--limit', text, 1, 200), /--limit: .* is not a whole number from 1 to 200/, text)
})

test('a cell is cut to its column, and control characters of others do not reach the terminal', () => {
  const columns: Column<string>[] = [
    { title: 'A', width: 5, value: (text) => text },
    { title: 'B', width: 3, value: () => 'x', colour: () => 'red' },
  ]
  const plain = { paint: (_: unknown, text: string) => text }
  assert.equal(tableHeader(columns, plain), 'A      B\n')
  assert.equal(tableRow(columns, 'ab\u001b[31mcdef', plain), 'ab\ufffd[~  x\n')
})
