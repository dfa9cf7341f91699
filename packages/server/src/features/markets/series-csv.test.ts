import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSeriesCsv } from './series-csv.ts'

const GOOD = 'observation_date,GDP\n2024-01-01,28624.069\n2024-04-01,.\n2024-07-01,\n2024-10-01,-0.5\n'

test('a series is read with its missing values, in both forms of its header and line ends', () => {
  const points = [
    { date: '2024-01-01', value: '28624.069' },
    { date: '2024-04-01', value: null },
    { date: '2024-07-01', value: null },
    { date: '2024-10-01', value: '-0.5' },
  ]
  for (const text of [GOOD, GOOD.replaceAll('\n', '\r\n'), GOOD.trimEnd(), GOOD.replace('observation_date', 'DATE')])
    assert.deepEqual(parseSeriesCsv(text, 'GDP'), { ok: true, points })
  assert.deepEqual(parseSeriesCsv('DATE,GDP\n', 'GDP'), { ok: true, points: [] })
})

test('anything else is refused with its code', () => {
  const cases: [text: string, fault: string][] = [
    ['', 'INVALID_SOURCE_SCHEMA'],
    ['<html>', 'INVALID_SOURCE_SCHEMA'],
    ['observation_date,GDP,X\n', 'INVALID_SOURCE_SCHEMA'],
    ['when,GDP\n', 'INVALID_SOURCE_SCHEMA'],
    ['DATE\n2024-01-01\n', 'INVALID_SOURCE_SCHEMA'],
    ['DATE,CPI\n2024-01-01,1\n', 'IDENTITY_MISMATCH'],
    ['DATE,gdp\n', 'IDENTITY_MISMATCH'],
    ['DATE,GDP\n2024-01-01,1,2\n', 'INVALID_SOURCE_SCHEMA'],
    ['DATE,GDP\n2024-01-01\n', 'INVALID_SOURCE_SCHEMA'],
    ['DATE,GDP\n\n2024-01-01,1\n', 'INVALID_SOURCE_SCHEMA'],
    ['DATE,GDP\n2024-02-30,1\n', 'INVALID_SOURCE_TIMESTAMP'],
    ['DATE,GDP\n2024-01-01,1\n2024-01-01,2\n', 'INVALID_SOURCE_TIMESTAMP'],
    ['DATE,GDP\n2024-02-01,1\n2024-01-01,2\n', 'INVALID_SOURCE_TIMESTAMP'],
    ['DATE,GDP\n2024-01-01,NaN\n', 'INVALID_SOURCE_NUMBER'],
    ['DATE,GDP\n2024-01-01,1e5\n', 'INVALID_SOURCE_NUMBER'],
    ['DATE,GDP\n2024-01-01,"1"\n', 'INVALID_SOURCE_NUMBER'],
    ['DATE,GDP\n2024-01-01, 1\n', 'INVALID_SOURCE_NUMBER'],
    [`DATE,GDP\n2024-01-01,${'9'.repeat(32)}\n`, 'INVALID_SOURCE_NUMBER'],
  ]
  for (const [text, fault] of cases) assert.deepEqual(parseSeriesCsv(text, 'GDP'), { ok: false, fault }, text)
})

test('no text makes the parser throw, and what it accepts it would write again', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      const found = parseSeriesCsv(`DATE,GDP\n${text}`, 'GDP')
      if (found.ok) for (const { date } of found.points) assert.ok(text.includes(date))
    }),
    { seed: 20260117 },
  )
})
