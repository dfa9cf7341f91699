import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMedians, MAX_ROWS, MODEL_CASES, MODEL_NOW, REJECT_CODES } from './model.ts'

test('the table of the contract', () => {
  const found = MODEL_CASES.map(({ case: name, rows }) => {
    const { venue_median, reference, groups, group_mad_bps, state, rejected } = groupMedians(rows, 'BTC')
    return [name, rows.length, venue_median, reference, groups, group_mad_bps, state, rejected.length]
  })
  assert.deepEqual(found, [
    ['single_outlier', 4, '100.5', '100.5', 4, '99.50248756', 'REVIEW', 0],
    ['correlated_venue_cluster', 10, '1000', '100.5', 4, '99.50248756', 'REVIEW', 0],
  ])
})

const row = { venue: 'x', symbol: 'BTC', quote: 'USD', price: '100', observed_at: MODEL_NOW }
const codeOf = (rows: readonly unknown[]) => groupMedians(rows, 'BTC').rejected.map(({ code }) => code)

test('every reject code, and each bound from both sides', () => {
  const cases: [row: unknown, code: string | null][] = [
    ...[null, 7, 'x', []].map((value): [unknown, string] => [value, 'ROW_NOT_OBJECT']),
    [{ ...row, size: 1 }, 'UNKNOWN_FIELDS'],
    ...['', 7, undefined, ' x', 'x'.repeat(65)].map((venue): [unknown, string] => [{ ...row, venue }, 'INVALID_VENUE']),
    [{ ...row, venue: 'x'.repeat(64) }, null],
    [{ ...row, symbol: 'ETH' }, 'SYMBOL_MISMATCH'],
    ...[undefined, null, ''].map((quote): [unknown, string] => [{ ...row, quote }, 'MISSING_QUOTE']),
    [{ ...row, quote: 'EUR' }, 'QUOTE_NOT_USD'],
    ...['0', '-1', '1e3', '', '.5', '5.', 'NaN', 100, null].map((price): [unknown, string] => [
      { ...row, price },
      'INVALID_PRICE',
    ]),
    ...['1000', Number.NaN, Number.POSITIVE_INFINITY, undefined].map((observed_at): [unknown, string] => [
      { ...row, observed_at },
      'INVALID_OBSERVED_AT',
    ]),
    [{ ...row, observed_at: MODEL_NOW + 0.001 }, 'FUTURE_OBSERVATION'],
    [{ ...row, observed_at: MODEL_NOW - 10.001 }, 'STALE_OBSERVATION'],
    [{ ...row, observed_at: MODEL_NOW - 10 }, null],
    ...['', 7, null].map((group): [unknown, string] => [{ ...row, group }, 'INVALID_GROUP']),
  ]
  for (const [value, code] of cases)
    assert.deepEqual(codeOf([value]), code === null ? [] : [code], JSON.stringify(value))
  assert.deepEqual(codeOf([row, { ...row, price: '101' }]), ['DUPLICATE_VENUE', 'DUPLICATE_VENUE'])
  const reached = new Set([...cases.map(([, code]) => code), 'DUPLICATE_VENUE'])
  assert.deepEqual(
    REJECT_CODES.filter((code) => !reached.has(code)),
    [],
  )
})

test('two groups are too few, three are enough, and a group named like a venue is not that venue', () => {
  const two = groupMedians([row, { ...row, venue: 'y' }], 'BTC')
  assert.deepEqual([two.state, two.decision_reasons, two.reference], ['ABSTAIN', ['INSUFFICIENT_GROUPS'], null])
  const three = groupMedians([row, { ...row, venue: 'y', group: 'x' }, { ...row, venue: 'z', group: 'z' }], 'BTC')
  assert.deepEqual([three.state, three.groups, three.group_mad_bps], ['REVIEW', 3, '0.00000000'])
})

test('the model takes 256 rows and not one more', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ ...row, venue: `v${at}` }))
  assert.equal(groupMedians(rows(MAX_ROWS), 'BTC').rows_accepted, 256)
  assert.throws(() => groupMedians(rows(MAX_ROWS + 1), 'BTC'), RangeError)
})
